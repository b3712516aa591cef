// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "replay/trace/reader.hpp"
#include "replay/trace/recording.hpp"
#include "replay/trace/writer.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "tests/folder.hpp"

namespace collcast::trace::test {

using Bytes = std::vector<std::uint8_t>;

inline Bytes read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

inline void write_file(const std::string& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

inline Metadata metadata(int ranks) {
  Metadata m;
  m.ranks = ranks;
  m.command = "app -n 3";
  m.mpi = "Open MPI v4.1.4";
  m.recorded_at = "2024-01-01T00:00:00Z";
  m.hosts = {"one", "two"};
  m.clocks = "compute: CLOCK_THREAD_CPUTIME_ID";
  m.recorded_time = Seconds(1.5);
  m.losses = {{"MPI_Put", 3, "not modelled"}};
  return m;
}

inline std::vector<int> world_of(int ranks) {
  std::vector<int> all;
  for (int r = 0; r < ranks; ++r) all.push_back(r);
  return all;
}

inline Event event(Op op, CommId comm = none) {
  Event e;
  e.op = op;
  e.comm = comm;
  return e;
}

inline Event message(Op op, int dest, int source, int tag, std::int64_t bytes, RequestId request = none) {
  Event e = event(op, world);
  e.dest = dest, e.source = source, e.request = request;
  if (dest != none) e.send_tag = tag, e.send_bytes = bytes;
  if (source != none) e.recv_tag = tag, e.recv_bytes = bytes;
  return e;
}

/// A trace whose ranks all have the same events.
inline void write_trace(const std::string& path, int ranks, const std::vector<Event>& events) {
  Writer writer(path, metadata(ranks), {world_of(ranks)});
  for (int r = 0; r < ranks; ++r)
    for (const auto& e : events) writer.put(r, e);
  writer.close();
}

inline std::vector<Event> read_rank(const Reader& reader, int rank) {
  std::vector<Event> events;
  Event e;
  for (auto cursor = reader.rank(rank); cursor.next(e);) events.push_back(e);
  return events;
}

/// Reads all events of all ranks, and keeps none.
inline void read_through(const Reader& reader) {
  Event e;
  for (int r = 0; r < reader.ranks(); ++r)
    for (auto cursor = reader.rank(r); cursor.next(e);) {
    }
}

/// The one line that an action complains with; empty if it does not.
template <class Action>
std::string complaint(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace collcast::trace::test

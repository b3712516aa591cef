// SPDX-License-Identifier: Apache-2.0
// Recordings whose checksums hold and whose numbers make no sense.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <iterator>

#include "replay/formats/convert.hpp"
#include "replay/trace/codec.hpp"
#include "replay/trace/container.hpp"
#include "replay/trace/event_checker.hpp"
#include "replay/trace/writer.hpp"
#include "support/json.hpp"
#include "tests/replay/formats/other_numbers.hpp"

namespace collcast {
namespace {

using trace::Event;
using trace::Op;

const trace::Communicators communicators{{0, 1, 2}, {2, 0, 1}, {1, 2}};

trace::Metadata of_three() {
  trace::Metadata m;
  m.ranks = 3;
  m.recorded_time = Seconds(1.5);
  m.losses = {{"MPI_Put", 3, "not modelled"}};
  return m;
}

/// A ring of messages by requests, collectives in equal and unequal parts, a message without requests.
std::vector<Event> calls_of(int me) {
  const int next = (me + 1) % 3, before = (me + 2) % 3;
  std::vector<Event> all(7);
  Event &receive = all[0], &send = all[1], &wait = all[2], &sum = all[3], &parts = all[4], &root = all[5];
  receive.op = Op::recv, receive.comm = trace::world, receive.request = 0;
  receive.source = before, receive.recv_tag = 5, receive.recv_bytes = 64;
  send.op = Op::send, send.comm = trace::world, send.request = 1;
  send.dest = next, send.send_tag = 5, send.send_bytes = 64;
  wait.op = Op::waitall, wait.completed = {{0}, {1}};
  sum.op = Op::allreduce, sum.comm = 1, sum.send_bytes = sum.recv_bytes = 8, sum.datatype_bytes = 8;
  parts.op = Op::alltoallv, parts.comm = trace::world;
  parts.send_counts = parts.recv_counts = {1, 1, 1};
  root.op = Op::gatherv, root.comm = trace::world, root.root = 2, root.send_bytes = 4;
  if (me == 2) root.recv_counts = {4, 4, 4};
  all[6].op = Op::finalize;
  for (Event& e : all) e.compute = e.duration = Seconds(1e-6);
  return all;
}

std::int64_t senseless(std::mt19937& random) {
  constexpr std::int64_t numbers[] = {-5,      -1,      0,         1,         3,         1 << 26,
                                      INT_MAX, INT_MIN, INT64_MAX, INT64_MIN, 1LL << 46, 1LL << 62};
  return numbers[random() % std::size(numbers)];
}

void misnumber(Event& e, std::mt19937& random) {
  const std::int64_t n = senseless(random);
  const auto one_of = [&](std::vector<std::int64_t>& list) {
    if (!list.empty()) list[random() % list.size()] = n;
  };
  int* const ints[] = {&e.comm, &e.new_comm, &e.dest, &e.source, &e.send_tag, &e.recv_tag, &e.root};
  std::int64_t* const longs[] = {&e.send_bytes, &e.recv_bytes, &e.datatype_bytes, &e.request, &e.polls};
  Seconds* const times[] = {&e.compute, &e.duration, &e.polling};
  switch (random() % 6) {
    case 0:
      return one_of(e.send_counts);
    case 1:
      return one_of(e.recv_counts);
    case 2:
      if (!e.completed.empty())
        e.completed[random() % e.completed.size()] = {n, static_cast<int>(n), 1, n < 0};
      return;
    case 3:
      *times[random() % std::size(times)] = Seconds(1e-9 * static_cast<double>(n));
      return;
    case 4:
      *longs[random() % std::size(longs)] = n;
      return;
    default:
      *ints[random() % std::size(ints)] = static_cast<int>(std::clamp<std::int64_t>(n, INT_MIN, INT_MAX));
  }
}

void expect_one_line(const std::string& complaint, const std::string& path) {
  if (complaint.empty()) return;
  EXPECT_EQ(complaint.find('\n'), std::string::npos) << complaint;
  EXPECT_NE(complaint.find(path), std::string::npos) << complaint;
}

/// Whatever the numbers: read, scaled and written in other formats, or one line.
TEST(CctNumbers, OtherEventsAreReadOrRefused) {
  const Folder folder;
  const std::string path = folder / "t.cct", out = folder / "out";
  std::mt19937 random(20261128);
  int refused = 0;
  for (int i = 0; i < testing::all_or_one_in(4, 200); ++i) {
    trace::Writer writer(path, of_three(), communicators);
    const int odd = static_cast<int>(random() % 3);
    for (int r = 0; r < 3; ++r) {
      auto events = calls_of(r);
      for (std::size_t n = random() % 3; r == odd && n <= 2; ++n)
        misnumber(events[random() % events.size()], random);
      for (const Event& e : events) writer.put(r, e);
    }
    writer.close();
    const std::string complaint = testing::complaint([&] { inspect(*open_source({path})); });
    expect_one_line(complaint, path);
    refused += !complaint.empty();
    if (!complaint.empty()) continue;
    const auto source = open_source({path});
    expect_one_line(testing::complaint([&] { write_cct(*source, out); }), path);
    EXPECT_EQ(testing::complaint([&] { open_source({out}); }), "");
    expect_one_line(testing::complaint([&] { write_time_independent(*source, out); }), path);
    expect_one_line(testing::complaint([&] { write_chakra(*source, out); }), path);
    expect_one_line(testing::complaint([&] { inspect(open_trace({path}, {}, 64).source()); }), path);
  }
  EXPECT_GT(refused, testing::all_or_one_in(4, 200) / 4);
}

/// A trace without events, of other metadata.
void write_metadata(const std::string& path, const std::string& text) {
  const auto bytes = [](const std::vector<std::uint8_t>& b) { return std::string(b.begin(), b.end()); };
  samples::write(
      path,
      bytes(trace::preamble(trace::FileKind::trace)) +
          bytes(trace::pack(trace::PieceKind::metadata, 0, 0,
                            {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()})) +
          bytes(trace::pack(trace::PieceKind::communicators, 0, 3, trace::encode_groups(communicators))));
}

TEST(CctNumbers, OtherMetadataAreReadOrRefused) {
  const Folder folder;
  const std::string path = folder / "t.cct", good = dump(trace::to_json(of_three()));
  std::mt19937 random(20261128);
  for (int i = 0; i < testing::all_or_one_in(4, 400); ++i) {
    write_metadata(path, misnumbered(good, random));
    const std::string complaint = testing::complaint([&] {
      const auto source = open_source({path});
      const SourceInfo& info = source->info();
      EXPECT_TRUE(info.recorded >= Seconds() && info.recorded <= trace::longest_of_all)
          << info.recorded.value;
      for (const Loss& loss : info.losses) EXPECT_GE(loss.count, 0);
    });
    expect_one_line(complaint, path);
  }
}

}  // namespace
}  // namespace collcast

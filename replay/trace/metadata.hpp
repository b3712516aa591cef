// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/schedule.hpp"
#include "model/units.hpp"
#include "support/json_fwd.hpp"
#include "support/loss.hpp"

namespace collcast::trace {

/// What a trace says about itself; JSON in the file.
struct Metadata {
  int ranks = 0;
  std::string command;      ///< the application's command line
  std::string mpi;          ///< MPI library, as it names itself
  std::string recorded_at;  ///< UTC, ISO 8601
  std::vector<std::string> hosts;
  std::string clocks;            ///< which clocks were read
  std::string window;            ///< which part of the run was recorded; empty: all
  Seconds recorded_time;         ///< wall clock from the end of MPI_Init to MPI_Finalize, longest rank
  Memory memory = Memory::host;  ///< where the application keeps its data
  bool by_mpi = true;            ///< it communicates by MPI, and not by NCCL or RCCL
  int threads = 1;               ///< threads of a rank that call MPI; the most of any rank
  std::vector<Loss> losses;
  std::vector<std::string> notes;     ///< why the recording is incomplete; empty if it is complete
  std::vector<std::string> inferred;  ///< what a reader of another format took for granted

  bool operator==(const Metadata&) const = default;
};

inline constexpr int most_ranks = 1 << 26, most_threads = 1 << 16;

/// A whole number, written as one, from `least` to `most`. Throws InputError that starts with `where`.
std::int64_t whole_number(const Json& json, const std::string& where, std::int64_t least, std::int64_t most);

/// A time of 0 to 30 years. Throws InputError that starts with `where`.
Seconds recorded_time(const Json& json, const std::string& where);

Json to_json(const Metadata& metadata);

/// Throws InputError that starts with `where` if a key is missing or has the wrong type or range.
Metadata metadata_from_json(const Json& json, const std::string& where);

}  // namespace collcast::trace

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "model/units.hpp"
#include "replay/trace/reader.hpp"

namespace collcast::trace {

/// All calls of one name in a trace.
struct OperationSummary {
  std::string operation;   ///< "MPI_Iallreduce"
  std::int64_t count = 0;  ///< calls, over all ranks
  std::int64_t bytes = 0;  ///< that the ranks contribute or send
  Seconds duration;        ///< wall-clock time inside the calls, over all ranks
};

/// What a trace holds, in numbers.
struct Summary {
  int ranks = 0;
  int communicators = 0;
  std::int64_t events = 0;
  Seconds compute;                           ///< CPU time between calls, over all ranks
  Seconds longest_compute;                   ///< of the rank with most
  Seconds polling;                           ///< CPU time between unsuccessful tests, over all ranks
  Seconds recorded_time;                     ///< wall clock of the longest rank
  std::vector<OperationSummary> operations;  ///< most time first
  std::vector<Loss> losses;
  std::vector<std::string> notes;
};

/// Reads the whole trace once, in bounded memory.
Summary summarize(const Reader& reader);

/// A table for people.
std::ostream& operator<<(std::ostream& out, const Summary& summary);

/// Bytes that the calling rank contributes or sends in one event; for a receive none.
std::int64_t bytes_sent(const Event& event);

}  // namespace collcast::trace

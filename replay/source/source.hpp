// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "replay/source/activity.hpp"
#include "support/loss.hpp"

namespace collcast {

/// The activities of one stream in order, handed out one by one so that a source need not fit into memory.
class Activities {
 public:
  virtual ~Activities() = default;
  /// Overwrites `activity` with the next one; false at the end. Throws InputError at damage.
  virtual bool next(Activity& activity) = 0;
};

/// How a library set a communicator up, as it says itself: a pattern of channels, or the connections of one
/// kind.
struct SetUp {
  std::string communicator;  ///< "world", or its name and ranks
  std::string graph;         ///< "ring", "tree", "in use for collectives", "12 connections"
  std::int64_t channels = 0;
  double within_GBps = -1,
         between_GBps = -1;         ///< of a channel, inside nodes and between them; negative: not said
  std::string links;                ///< in the library's words: "NVL/PIX", "NET/IB/GDRDMA"
  std::vector<std::string> orders;  ///< for each ring, the communicator's ranks in order
};

/// A source's description of itself.
struct SourceInfo {
  std::string name;              ///< its file or files, or what describes it
  std::string format;            ///< "cct", "kineto", ...
  std::string command;           ///< the command that was run; empty: unknown
  Seconds recorded;              ///< wall clock of the recorded run; 0: unknown
  Memory memory = Memory::host;  ///< where the application keeps its data
  bool by_mpi = true;            ///< it communicates by MPI, and not by NCCL or RCCL
  bool one_clock = false;        ///< begins of different ranks can be compared: the clocks agree
  /// Durations of collectives include waiting for late ranks. If not, a collective lasts from when all its
  /// ranks have come, and waiting before that is shown as a pause, `waiting_for_ranks`.
  bool waits_recorded = true;
  std::vector<Rank> recorded_ranks;  ///< the ranks that the source holds; empty: all
  std::int64_t by_node = 0;          ///< number of a rank's collectives that have `phases`
  bool ordered = true;     ///< false: a profile, which says how often and how long; it cannot be replayed
  std::string unplayable;  ///< why it can be replayed in no way, though it is no profile; empty: it can
  std::string unscalable;  ///< why it cannot be scaled to other numbers of ranks; empty: it can
  bool truncated = false;  ///< ranks may end while others wait for them
  std::map<int, std::string> communicator_names;  ///< as the application or the library calls them
  std::vector<SetUp> set_up;
  std::vector<std::string> unknown;  ///< what its format or this file does not say
  std::vector<Loss> losses;
  std::vector<std::string> notes;  ///< on what was inferred, and why it covers only a part of the run

  /// Adds a loss, unless nothing was lost.
  void lose(std::string operation, std::int64_t count, std::string reason, double time_s = 0,
            double share = 0) {
    if (count > 0) losses.push_back({std::move(operation), count, std::move(reason), time_s, share});
  }
};

/// What each rank of an application does: a trace of any format, or a described job, as computation, messages
/// and collectives of communicators, in streams of activities.
///
/// A rank has one or more streams. All of them begin when the rank begins and go on side by side, each
/// through its own activities in order: one at a time, except that an activity with a request does not block
/// its stream. Streams of a rank are ordered only by `record` and `await`: a stream records that it has come
/// so far, another awaits the stream's n-th record. So a data-parallel step has its backward pass on stream
/// 0, with a record after each bucket; its allreduces on stream 1, each after an await of stream 0's next
/// record, with a record at the end; and on stream 0, before the optimizer, an await of that record.
/// Computation of all streams shares the rank's one processor; messages and collectives of different streams
/// run at the same time and share links. Collectives of one communicator match across ranks in the order in
/// which the ranks come to them, so they belong on one stream.
class Source {
 public:
  virtual ~Source() = default;
  virtual const SourceInfo& info() const = 0;
  virtual Rank ranks() const = 0;
  /// The ranks of each communicator, in its own order; 0 is all ranks.
  virtual const std::vector<std::vector<Rank>>& communicators() const = 0;
  virtual int streams(Rank rank) const {
    (void)rank;
    return 1;
  }
  /// A new reader of the stream. The source has to outlive it.
  virtual std::unique_ptr<Activities> stream(Rank rank, int stream) const = 0;
};

/// The ranks that the source holds.
inline std::vector<Rank> recorded_ranks(const Source& source) {
  std::vector<Rank> ranks = source.info().recorded_ranks;
  if (!ranks.empty()) return ranks;
  ranks.resize(static_cast<std::size_t>(source.ranks()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// The wall clock of the recorded run times its ranks; losses are shares of it. 0: unknown.
inline Seconds recorded_over_ranks(const Source& source) {
  return static_cast<double>(source.ranks()) * source.info().recorded;
}

}  // namespace collcast

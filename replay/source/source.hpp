// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/collective.hpp"
#include "support/loss.hpp"

namespace collcast {

/// Messages with tags from here on belong to a collective's algorithm. No library buffers them beyond what
/// the platform says.
inline constexpr int first_collective_tag = 1 << 30;

/// The name under which reports show time that a rank waits for others outside of collectives.
inline constexpr std::string_view waiting_for_ranks = "wait for ranks and rounds";

/// The bytes that a rank's call moves to and from each member of its communicator.
struct Counts {
  std::vector<Bytes> shares;    ///< of each member, if they differ and every rank knows them all
  std::vector<Bytes> sent;      ///< to each member; a single entry stands for all
  std::vector<Bytes> received;  ///< from each member; a single entry stands for all
};

/// A part of a hierarchical collective.
struct Phase {
  Collective collective;
  Seconds duration = Seconds(-1);  ///< as recorded; negative: unknown
};

/// One thing that a stream of a rank does. Peers and roots are ranks of the communicator.
struct Activity {
  enum class Kind : std::uint8_t {
    compute,  ///< `time` of the rank's processor, which serves the rank's streams one at a time, as they come
    pause,    ///< `time` passes on this stream alone: a host that launches late, a copy engine, a timer
    send,     ///< `bytes` to `to`
    receive,  ///< `received_bytes` from `from`
    exchange,    ///< a send and a receive at once
    collective,  ///< `collective` of `message` bytes among all members
    wait,        ///< waits until each of `requests` is done
    record,      ///< one more record of this stream: everything before it on the stream is done
    await,       ///< waits until stream `stream` of this rank has made its `count`th record (the first is 1)
    skipped,     ///< an operation that cannot be played, for the reason in `note`
  };
  Kind kind = Kind::compute;
  std::string_view operation;   ///< its name in reports: "allreduce"; lives as long as the source
  std::string_view call;        ///< its name in the source: "MPI_Iallreduce"; lives as long as the source
  std::string_view note;        ///< `skipped`: why; lives as long as the source
  Seconds time;                 ///< for compute and pause, and for a collective of unknown size
  Seconds begin = Seconds(-1);  ///< when it began, by the source's own clock; negative: unknown
  Seconds duration =
      Seconds(-1);         ///< how long it took where it was recorded, waiting included; negative: unknown
  std::int64_t times = 1;  ///< how often; more than once only in a profile, where `duration` is the mean
  Seconds shortest = Seconds(-1), longest = Seconds(-1);  ///< of several; negative: unknown
  int communicator = 0;                                   ///< index into Source::communicators()
  /// Of a collective in its communicator, the same on all ranks; negative: not said.
  std::int64_t number = -1;
  Collective collective = Collective::barrier;
  std::string_view algorithm;  ///< a name of the catalogue, for a collective; empty: it is left open
  bool direct = false;         ///< only sender and receiver know a block's size: `counts` has both
  bool sized = true;           ///< false: the source does not say how many bytes move
  bool synchronous = false;    ///< the send is not done before its receiver has come
  Bytes message;               ///< of a collective, as nccl-tests counts it
  Rank root = 0;
  Rank to = 0, from = 0;
  int tag = 0,
      received_tag = 0;  ///< messages with the same sender, receiver, communicator and tag match in order
  Bytes bytes, received_bytes;
  /// A send, receive or collective with a request does not block its stream. One `wait` of the rank names the
  /// request.
  std::int64_t request = -1;
  std::vector<std::int64_t> requests;
  int stream = 0;
  std::int64_t count = 0;
  std::shared_ptr<const Counts> counts;
  std::shared_ptr<const std::vector<Phase>> phases;  ///< if it was done node by node (by_node.hpp)
};

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

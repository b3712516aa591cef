// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "model/collective.hpp"

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

inline constexpr std::size_t activity_kinds = static_cast<std::size_t>(Activity::Kind::skipped) + 1;

/// A collective of a communicator, named as reports name it.
Activity collective_activity(Collective collective, int communicator, Bytes message);

/// A message to `peer` if it `sends`, else from there.
Activity message_activity(bool sends, int communicator, Rank peer, Bytes bytes);

/// A wait for requests.
Activity wait_activity(std::vector<std::int64_t> requests);

/// An await of a stream's record.
Activity await_activity(int stream, std::int64_t count);

}  // namespace collcast

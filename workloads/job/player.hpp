// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "workloads/job/job.hpp"
#include "workloads/job/price.hpp"

namespace collcast::workloads {

/// One activity as it was played.
struct Span {
  int role, stream;
  JobActivity::Kind kind;
  std::string name, part;
  Bytes bytes;
  Seconds start;  ///< when the activity is reached
  Seconds moves;  ///< when its counterparts in other roles are reached as well
  Seconds end;
};

/// The result of playing a job; compute, communication, hidden and waiting are those of the role that
/// computes longest.
struct Played {
  Seconds time;
  Seconds compute;        ///< on the first stream, undisturbed
  Seconds communication;  ///< time with a collective or message under way, for which all ranks have come
  Seconds hidden;         ///< the part of that during computation on the first stream
  Seconds waiting;    ///< time with nothing under way: a pipeline's bubbles, or until a coordinator's round
  Seconds agreement;  ///< time that the coordinator takes to agree, in the role where that is longest
  std::vector<Span> spans;
  std::string limited_by;                                ///< what limits the collectives that took most time
  std::optional<std::pair<Seconds, Seconds>> ends = {};  ///< of the interval, if they were computed as well
};

/// Which end of the prices' intervals a job is played with.
enum class End : std::uint8_t { low, middle, high };

/// Plays a job. An activity starts once the one before it on its stream has ended, all in its `after` have
/// ended, and its counterparts in other roles have been reached. One rank stands for all ranks of a role.
/// Activities that together overload links of a rank share them. Throws InputError if activities wait for
/// each other in a circle.
Played play(const Job& job, const PriceOf& price, End end = End::middle);

/// A way to play a job: `play`, or message by message.
using PlayOf = std::function<Played(const Job& job, End end)>;

/// The job with the coordinator's work as activities, in the rounds that `play` finds. Each round begins a
/// cycle after the one before, and after its tensors are ready.
Job without_coordinator(const Job& job, const PriceOf& price, End end = End::middle);

/// The computation of the role that has most: that of `Played::compute`.
Seconds computation(const Job& job);
Seconds computation(const Role& role);

}  // namespace collcast::workloads

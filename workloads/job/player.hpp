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
  Seconds start;  ///< it is there
  Seconds moves;  ///< so are its counterparts in other roles
  Seconds end;
};

/// A job that was played; compute, communication, hidden and waiting are those of the role that computes
/// longest.
struct Played {
  Seconds time;
  Seconds compute;        ///< on the first stream, undisturbed
  Seconds communication;  ///< a collective or message is under way: all whom it takes are there
  Seconds hidden;         ///< of that, beneath computation of the first stream
  Seconds waiting;        ///< nothing is under way: for others, as in a pipeline's bubbles, or for a round
  Seconds agreement;      ///< of the coordinator of the role where it takes longest
  std::vector<Span> spans;
  std::string limited_by;                                ///< what limits the collectives that took most time
  std::optional<std::pair<Seconds, Seconds>> ends = {};  ///< of the interval, where they came along
};

/// Which end of the prices' intervals it is played with.
enum class End : std::uint8_t { low, middle, high };

/// Every activity starts when the one before it on its stream, those that it comes after, and its
/// counterparts in other roles are there; ranks of a role are alike, so that one stands for them. What loads
/// the same links of a rank with more than they carry shares them. Throws InputError where activities wait
/// for each other.
Played play(const Job& job, const PriceOf& price, End end = End::middle);

/// How a job is played: as above, or by those who play its messages.
using PlayOf = std::function<Played(const Job& job, End end)>;

/// The job with what its coordinator does put down, in the rounds that it takes as `play` has it: each begins
/// so long after the one before and its tensors.
Job without_coordinator(const Job& job, const PriceOf& price, End end = End::middle);

/// What `Played::compute` is of: the role with most.
Seconds computation(const Job& job);
Seconds computation(const Role& role);

}  // namespace collcast::workloads

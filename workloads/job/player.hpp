// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/job/job.hpp"
#include "workloads/job/price.hpp"

namespace collcast::workloads {

/// One activity as it was played.
struct Span {
  int role, stream;
  Activity::Kind kind;
  std::string name;
  Bytes bytes;
  Seconds start, end;
};

/// A job that was played.
struct Played {
  Seconds time;
  Seconds compute;        ///< on the first stream, undisturbed, of the role with most of it
  Seconds communication;  ///< of the role with most of it: while a collective or message of it was under way
  Seconds agreement;      ///< of the coordinator of the role where it takes longest
  std::vector<Span> spans;
  std::string limited_by;  ///< what limits the collectives that took most time
};

/// Which end of the prices' intervals it is played with.
enum class End : std::uint8_t { low, middle, high };

/// Every activity starts when the one before it on its stream, those that it comes after, and its
/// counterparts in other roles are there; ranks of a role are alike, so that one stands for them. Throws
/// InputError where activities wait for each other.
Played play(const Job& job, const PriceOf& price, End end = End::middle);

}  // namespace collcast::workloads

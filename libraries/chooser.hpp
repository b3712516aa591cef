// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "libraries/segments.hpp"
#include "libraries/situation.hpp"
#include "platforms/machine/machine.hpp"

namespace collcast {

/// A collective that some ranks of a machine call.
struct Request {
  Collective collective;
  std::span<const Rank> members;  ///< the machine's numbers of the call's ranks; empty: they are its ranks
  Call call;
  bool direct =
      false;  ///< sizes are known to sender and receiver alone: blocks go straight from one to the other
};

/// What is to be played, and why.
struct Choice {
  const Algorithm* algorithm = nullptr;  ///< null: the catalogue has none that serves the request
  Call call;                             ///< with the algorithm's parameters and segments
  std::string why = {};                  ///< one line; empty: it was named, or is the fastest
  std::string protocol = {};             ///< of NCCL: LL, LL128 or Simple
  bool blocking = false;                 ///< its sends return when their buffers are free: MPI_Send
};

/// How the request's ranks sit on the machine.
Seats seats(const Machine& machine, std::span<const Rank> members = {});

/// Who says what plays a request: predict, replays, jobs and campaigns take any of them. Throws InputError
/// where it has no rule. Outlives none of what it was made of.
using Chooser = std::function<Choice(const Request&)>;

/// The one that was named, in segments of so many bytes; without, in those that are the fastest.
Chooser named(const Fabric& fabric, const Algorithm& algorithm, std::optional<Bytes> segment = {});
/// The fastest of the common algorithms by critical path (`fastest`).
Chooser fastest_on(const Fabric& fabric, std::optional<Bytes> segment = {});
/// What a library would play (`pick`), its own parameters included. Throws InputError for an unknown policy.
/// `blocking`: the fabric on which segments of blocking sends are found.
Chooser by_policy(std::string policy, const Description& description, const Machine& machine,
                  const Fabric& fabric, const Fabric* blocking = nullptr);

/// The fastest of the candidates that support so many ranks, by critical path, and the first of them that are
/// equally fast; a null algorithm if none does. Those of few steps go first: longer ones are read only until
/// they are too late. `consider` is told of each before it is read.
Choice fastest(
    const Fabric& fabric, const std::vector<const Algorithm*>& candidates, const Call& call,
    std::optional<Bytes> segment = {},
    const std::function<void(const Algorithm&)>& consider = [](const Algorithm&) {});

/// A row of the catalogue as libraries play it that copy their buffers to host memory first, and what they
/// did not have back at last.
const Algorithm& in_host_memory(const Algorithm& algorithm);

/// The algorithms of a collective that `auto` chooses from: those that any network can play.
std::vector<const Algorithm*> common_algorithms(Collective collective);
/// Whether its blocks go straight from their owner to their user.
bool goes_direct(const Algorithm& algorithm);

}  // namespace collcast

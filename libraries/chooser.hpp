// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "libraries/parameters.hpp"
#include "libraries/situation.hpp"
#include "platforms/machine/machine.hpp"

namespace collcast {

/// A call of a collective by ranks of a machine.
struct Request {
  Collective collective;
  std::span<const Rank> members;  ///< the machine's ranks that call it; empty: all
  Call call;
  /// Blocks go straight from sender to receiver, as only these know the size of a block.
  bool direct = false;
};

/// The algorithm for a request, and why it was chosen.
struct Choice {
  const Algorithm* algorithm = nullptr;  ///< null: the catalogue has none for the request
  Call call;                             ///< with the algorithm's parameters and segments
  std::string why = {};                  ///< one line; empty if it was named or is the fastest
  std::string protocol = {};             ///< NCCL's protocol: LL, LL128 or Simple; empty for others
  bool blocking = false;                 ///< sends return when their buffers are free, as MPI_Send does
  bool staged = false;                   ///< `algorithm` is one `in_host_memory`
};

/// The occupancy of the machine's nodes by these ranks, or by all ranks if `members` is empty.
Occupancy occupancy(const Machine& machine, std::span<const Rank> members = {});

/// Chooses the algorithm for a request. Predict, replays, jobs and campaigns take any chooser. Throws
/// InputError if it has no rule. What a chooser was made from must outlive it.
using Chooser = std::function<Choice(const Request&)>;

/// Chooses this algorithm; for a request that needs direct blocks and an algorithm without, the fastest one.
/// With `segment`, the other parameters are as the request says; without, all are the fastest
/// (`with_parameters`).
Chooser named(const Fabric& fabric, const Algorithm& algorithm, std::optional<Bytes> segment = {});
/// Chooses the fastest of the common algorithms (`fastest`).
Chooser fastest_on(const Fabric& fabric);
/// Chooses what a library would play (`pick`), with the library's parameters. Throws InputError for an
/// unknown policy. `blocking`: the fabric for choosing segments if sends are blocking.
Chooser by_policy(std::string policy, const Description& description, const Machine& machine,
                  const Fabric& fabric, const Fabric* blocking = nullptr);

/// The fastest candidate by critical path and most loaded link; of equally fast ones the first. Parameters
/// that are not stated are the fastest. The algorithm is null if no candidate supports this number of ranks.
/// Candidates with few steps are read first, so that longer ones can be abandoned early. With many ranks two
/// threads read, with the same result. `consider` is called with each candidate before it is read, by one
/// thread at a time.
Choice fastest(
    const Fabric& fabric, const std::vector<const Algorithm*>& candidates, const Call& call,
    const Stated& stated = {},
    const std::function<void(const Algorithm&)>& consider = [](const Algorithm&) {});

/// The algorithm as played by libraries that stage their buffers in host memory: buffers are copied there
/// first, and the result is copied back.
const Algorithm& in_host_memory(const Algorithm& algorithm);

/// The algorithms that `auto` chooses from: those that need nothing special of the network.
std::vector<const Algorithm*> common_algorithms(Collective collective);
/// Whether each block goes straight from the rank that has it to the rank that needs it.
bool goes_direct(const Algorithm& algorithm);

}  // namespace collcast

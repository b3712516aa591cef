// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "model/collective.hpp"
#include "model/rank_group.hpp"

namespace collcast::workloads {

/// A collective of a group, all groups alike calling it at the same time. `sendrecv`: one message between the
/// group's two members.
struct GroupCall {
  Collective collective = Collective::allreduce;
  RankGroup group;
  Bytes bytes;
  bool control = false;        ///< of a framework's control plane: small, in host memory, by MPI
  bool offloaded = false;      ///< played by the DPUs of the nodes
  std::string algorithm = {};  ///< empty: as the policy chooses
  auto operator<=>(const GroupCall&) const = default;
};

/// A message that leaves whether or not its receiver is there.
struct Departure {
  Seconds overhead;  ///< before its sender goes on
  Seconds occupies;  ///< its sender's way out, and its receiver's way in
};

/// How long it takes, between which limits, and what limits it.
struct Price {
  Seconds time, low, high;
  std::string limited_by;
  std::optional<Departure> departure = {};  ///< of a message; none: it waits for its receiver
  double load = 0;                          ///< of the time, for how much its links carry all that they can
  bool between_nodes = false;  ///< which of a rank's links: those to other nodes, or those within
};
using PriceOf = std::function<Price(const GroupCall&)>;

/// Asks once for each call.
PriceOf cached(PriceOf price);

}  // namespace collcast::workloads

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "model/collective.hpp"
#include "model/rank_group.hpp"

namespace collcast::workloads {

/// A collective of a group, which all groups like it call at the same time. `sendrecv`: one message between
/// the group's two members.
struct GroupCall {
  Collective collective = Collective::allreduce;
  RankGroup group;
  Bytes bytes;
  bool control = false;        ///< of a framework's control plane: small, in host memory, by MPI
  bool served = false;         ///< a message to parameter servers or from them: in host memory, by MPI
  bool offloaded = false;      ///< the DPUs of the nodes play it
  std::string algorithm = {};  ///< empty: as the policy chooses
  auto operator<=>(const GroupCall&) const = default;
};

/// The costs of a message that leaves whether or not its receiver has come.
struct Departure {
  Seconds overhead;  ///< time before the sender goes on
  Seconds occupies;  ///< time for which it keeps the sender's port and the receiver's port busy
};

/// The time of a call, its interval, and what limits it.
struct Price {
  Seconds time, low, high;
  std::string limited_by;
  std::optional<Departure> departure = {};  ///< for a message; none: it waits for its receiver
  double load = 0;                          ///< the share of the time in which its links are fully loaded
  bool between_nodes = false;               ///< these are links between nodes, not within one
  Seconds bound = {};                       ///< time that no schedule beats; 0: not known
  std::string cut = {};                     ///< what sets the bound, in words
  bool calibrated = true;                   ///< the price rests on no weaker number than a calibrated one
  std::optional<bool> transferred = {};     ///< outside of what was calibrated; none: not known
};
using PriceOf = std::function<Price(const GroupCall&)>;

/// Remembers prices, so that each call is priced once.
PriceOf cached(PriceOf price);

}  // namespace collcast::workloads

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "forecast/predict.hpp"
#include "model/rank_group.hpp"

namespace collcast {

/// How long a collective of a group takes.
struct GroupPrediction {
  Seconds time, low, high;  ///< handing it to DPUs included
  std::string limited_by;
  std::string choice = {};               ///< the policy's: algorithm and protocol
  double load = 0;                       ///< the share of the time in which links carry as much as they can
  bool between_nodes = false;            ///< these links join nodes
  Seconds bound = {};                    ///< the time that no schedule beats; 0: not known
  std::string cut = {};                  ///< what sets the bound, in words
  bool calibrated = true;                ///< the time rests on no weaker number than a calibrated one
  std::optional<bool> transferred = {};  ///< outside of what the platform was calibrated on; none: not known
};

/// Collectives that groups of a platform's ranks hand to the DPUs of their nodes, in block placement. All
/// groups of the world call at once, and every message of each is played, so that they share workers, memory
/// and network where they meet. For the group of all ranks it answers what `predict --offload dpu` does.
class OffloadedGroups {
 public:
  /// `pieces`: how many a message is cut into, for a pipeline; `direct`: workers write into the ranks' own
  /// memory (on_dpu).
  explicit OffloadedGroups(Description platform, int pieces = 1, bool direct = false);

  /// `algorithm`: empty: the fastest of the catalogue. Throws InputError if the platform has no DPU.
  GroupPrediction predict(Collective collective, const RankGroup& group, Bytes message,
                          const std::string& algorithm = "");

 private:
  /// The platform as described, and at both ends of its uncertainty.
  struct World {
    Forecaster nominal, fast, slow;
  };
  const World& world(Rank ranks);

  const Description platform_;
  const int pieces_;
  const bool direct_;
  std::map<Rank, std::unique_ptr<World>> worlds_;
};

/// The algorithm, called at once by this group and all groups of the world that are like it.
Algorithm by_all_alike(const Algorithm& algorithm, const RankGroup& group);

}  // namespace collcast

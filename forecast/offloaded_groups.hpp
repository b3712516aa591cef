// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "forecast/predict.hpp"
#include "model/rank_group.hpp"

namespace collcast {

/// Collectives that groups of a platform's ranks hand to the DPUs of their nodes, in block placement: all
/// groups of the world at once, each message of each of them played, so that they share workers, memory and
/// network as they meet. Of everyone it is what `predict --offload dpu` says.
class OffloadedGroups {
 public:
  /// `pieces`: of each message, in a pipeline; `direct`: into the ranks' own memory (on_dpu).
  explicit OffloadedGroups(Description platform, int pieces = 1, bool direct = false);

  struct Answer {
    Seconds time, low, high;  ///< handing it over included
    std::string limited_by;
    std::string choice = {};  ///< of the policy: algorithm and protocol
    double load = 0;          ///< of the time, for how much links carry all that they can
  };
  /// By `algorithm`, or by the fastest of the catalogue where it is empty. Throws InputError where the
  /// platform has no DPU.
  Answer predict(Collective collective, const RankGroup& group, Bytes message,
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

/// The algorithm, called by all groups alike of the world at once.
Algorithm by_all_alike(const Algorithm& algorithm, const RankGroup& group);

}  // namespace collcast

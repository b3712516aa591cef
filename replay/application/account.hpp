// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engines/player/player.hpp"
#include "replay/application/application.hpp"
#include "replay/application/moments.hpp"

namespace collcast {

/// Adds up how long the ranks of an application are in each operation, and how long in any operation.
/// Operations of a rank that overlap count once. A rank that awaits one of its own streams is in no
/// operation.
class Account : public Observer {
 public:
  explicit Account(const Application& application)
      : application_(application),
        open_(static_cast<std::size_t>(application.ranks())),
        open_busy_(open_.size()) {}
  void done(const Interval& interval) override;
  /// The interval's operation, as `times` names it; empty if it is no communication.
  std::string name_of(const Interval& interval) const;

  /// Time in each operation, over all ranks, by name.
  const std::map<std::string, Seconds>& times() const { return times_; }
  /// Time in which some communication of a rank is under way, over all ranks.
  Seconds communication() const { return communication_; }
  /// The same, or in which the rank computes.
  Seconds busy() const { return busy_; }

 private:
  const Application& application_;
  std::map<std::string, Seconds> times_;
  Seconds communication_, busy_;
  std::vector<std::map<std::string, Moments>> open_;  ///< of each rank, by operation; "": any operation
  std::vector<Moments> open_busy_;                    ///< of each rank
};

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engines/player/player.hpp"
#include "replay/application/application.hpp"
#include "replay/application/moments.hpp"

namespace collcast {

/// Adds up how long the ranks of an application are in each operation, and how long in any. Operations of a
/// rank that overlap count once; a rank that awaits a stream of its own is in none.
class Account : public Observer {
 public:
  explicit Account(const Application& application)
      : application_(application),
        open_(static_cast<std::size_t>(application.ranks())),
        open_busy_(open_.size()) {}
  void done(const Interval& interval) override;
  /// The operation's name in `times`; empty for what is no communication.
  std::string name_of(const Interval& interval) const;

  /// Over all ranks, by operation name.
  const std::map<std::string, Seconds>& times() const { return times_; }
  /// The time with some communication under way, over all ranks.
  Seconds communication() const { return communication_; }
  /// The same with that in which they compute.
  Seconds busy() const { return busy_; }

 private:
  const Application& application_;
  std::map<std::string, Seconds> times_;
  Seconds communication_, busy_;
  std::vector<std::map<std::string, Moments>> open_;  ///< of each rank, by operation; "": of any
  std::vector<Moments> open_busy_;                    ///< of each rank
};

}  // namespace collcast

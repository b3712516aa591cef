// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engines/player/player.hpp"
#include "replay/application/application.hpp"
#include "replay/application/moments.hpp"

namespace collcast {

/// Adds up how long ranks of an application are in which operation, and how long in any: each moment once,
/// however many of a rank's overlap. Awaits of their own streams are none.
class Account : public Observer {
 public:
  explicit Account(const Application& application)
      : application_(application), open_(static_cast<std::size_t>(application.ranks())) {}
  void done(const Interval& interval) override;
  /// Of the operation, as `times` has it; empty for what is no communication.
  std::string name_of(const Interval& interval) const;

  /// Over all ranks, by operation name.
  const std::map<std::string, Seconds>& times() const { return times_; }
  /// Over all ranks: time with some communication under way, each moment once.
  Seconds communication() const { return communication_; }

 private:
  const Application& application_;
  std::map<std::string, Seconds> times_;
  Seconds communication_;
  std::vector<std::map<std::string, Moments>> open_;  ///< of each rank, by operation; "": of any
};

}  // namespace collcast

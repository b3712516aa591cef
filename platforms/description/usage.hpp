// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>

#include "model/units.hpp"
#include "platforms/description/description.hpp"

namespace collcast {

/// Records which parameters were read, and the weakest of their stamps.
class Usage {
 public:
  double take(const Parameter& p) {
    if (paths_.insert(p.path).second) weakest_ = std::max(weakest_, p.stamp);
    return p.value;
  }
  /// A time in seconds of a parameter in microseconds; 0 if the file leaves it out.
  Seconds time(const std::optional<Parameter>& p) { return p ? Seconds(take(*p) * 1e-6) : Seconds(); }
  BytesPerSecond bandwidth(const Parameter& p) { return BytesPerSecond(take(p) * 1e9); }
  /// Marks a parameter as used on which only some schedules depend, without weakening the stamp.
  void mention(const Parameter& p) { paths_.insert(p.path); }
  void weaken(Stamp stamp) { weakest_ = std::max(weakest_, stamp); }

  std::set<std::string> paths() const { return {paths_.begin(), paths_.end()}; }
  Stamp weakest() const { return weakest_; }

 private:
  std::unordered_set<std::string> paths_;
  Stamp weakest_ = Stamp::what_if;
};

}  // namespace collcast

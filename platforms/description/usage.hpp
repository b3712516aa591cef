// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "model/units.hpp"
#include "platforms/description/description.hpp"

namespace collcast {

/// Remembers which parameters were read, and how well the weakest of them is known.
class Usage {
 public:
  double take(const Parameter& p) {
    if (paths_.insert(p.path).second) weakest_ = std::max(weakest_, p.stamp);
    return p.value;
  }
  /// Parameters that the file leaves out count as 0.
  Seconds time(const std::optional<Parameter>& p) { return p ? Seconds(take(*p) * 1e-6) : Seconds(); }
  BytesPerSecond bandwidth(const Parameter& p) { return BytesPerSecond(take(p) * 1e9); }
  /// What only some schedules rest on: it counts as used, but weakens nothing.
  void mention(const Parameter& p) { paths_.insert(p.path); }
  void weaken(Stamp stamp) { weakest_ = std::max(weakest_, stamp); }

  const std::set<std::string>& paths() const { return paths_; }
  Stamp weakest() const { return weakest_; }

 private:
  std::set<std::string> paths_;
  Stamp weakest_ = Stamp::what_if;
};

}  // namespace collcast

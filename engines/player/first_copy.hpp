// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "model/network.hpp"
#include "model/units.hpp"

namespace collcast {

/// When each port was free for the first copy of a multicast; the other copies pass with it.
class ForFirstCopy {
 public:
  /// `free`: when the port is free now.
  Seconds at(Port port, Seconds free) {
    for (const auto& [known, then] : free_)
      if (known == port) return then;
    return free_.emplace_back(port, free).second;
  }
  void clear() { free_.clear(); }

 private:
  std::vector<std::pair<Port, Seconds>> free_;
};

}  // namespace collcast

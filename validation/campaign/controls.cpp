// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/controls.hpp"

namespace collcast::campaign {

Description without_times(Description platform) {
  std::vector<std::string> zeros;
  for (const Parameter& p : platform.parameters())
    if (p.unit == "us") zeros.push_back(p.path + "=0");
  set_all(platform, zeros);
  return platform;
}

}  // namespace collcast::campaign

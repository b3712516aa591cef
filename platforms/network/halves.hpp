// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/fabric.hpp"

namespace collcast {

/// Two parts of a network, and the links by which all routes between them pass.
struct Halves {
  std::vector<char> inside;  ///< by switch, or by rank: whether it is in the first part
  std::vector<LinkId> out, in;
};

}  // namespace collcast

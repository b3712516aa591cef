// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platforms/description/blueprint.hpp"

namespace collcast {

/// A platform as boxes and lines, on which loads of links are shown: one node, which stands for all, and the
/// levels of switches of the network.
struct Sketch {
  struct Box {
    std::string name, what;
    int row;       ///< 0 on top
    int column;    ///< within the row
    bool network;  ///< a level of switches; false: in the node
  };
  /// From a box to itself: within a memory, or between switches of a level.
  struct Line {
    int from, to;
    std::vector<std::string> forth, back;  ///< names (`alike`) of the links and ports in either direction
  };
  std::vector<Box> boxes;
  std::vector<Line> lines;
};
Sketch sketch(const Blueprint& blueprint);

}  // namespace collcast

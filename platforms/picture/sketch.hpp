// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platforms/description/blueprint.hpp"

namespace collcast {

/// A platform as boxes and lines, to show what its links do: one node, as all are alike, over its network by
/// levels of switches.
struct Sketch {
  struct Box {
    std::string name, what;
    int row;       ///< 0 on top
    int column;    ///< of those in the row
    bool network;  ///< a level of switches; else in the node
  };
  /// From a box to itself: within a memory, or between switches of a level.
  struct Line {
    int from, to;
    std::vector<std::string> forth, back;  ///< which links and ports go that way, by `alike`
  };
  std::vector<Box> boxes;
  std::vector<Line> lines;
};
Sketch sketch(const Blueprint& blueprint);

/// The name of a machine's link or port without the number of its node, rank or switch.
std::string alike(const std::string& name);

}  // namespace collcast

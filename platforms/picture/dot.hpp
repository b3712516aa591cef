// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platforms/description/blueprint.hpp"

namespace collcast {

/// A picture in Graphviz's language: one node with all its vertices and links, and the network by its levels
/// of switches. Link widths and labels are bandwidths of one direction, colours what the links are made of.
std::string dot(const Blueprint& blueprint);

}  // namespace collcast

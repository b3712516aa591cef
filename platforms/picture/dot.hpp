// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platforms/description/blueprint.hpp"

namespace collcast {

/// A picture in Graphviz's language: one node with its vertices and links, and the levels of switches of the
/// network. Widths and labels of links are bandwidths of one direction, colours are kinds of links.
std::string dot(const Blueprint& blueprint);

}  // namespace collcast

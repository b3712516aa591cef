// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/schedule.hpp"
#include "platforms/description/description.hpp"

namespace collcast::cli {

/// Draws a platform: FILE.dot, or FILE.svg by Graphviz. Throws SubstrateError if that is not installed.
void write_graph(const Description& platform, const std::string& path);

/// Writes FILE.json, the platform with its base, parts and --set resolved; or FILE.xml, SimGrid's form of it
/// with so many ranks. 0 ranks: those of a node, or of two nodes if a node has one rank.
void write_export(const Description& platform, const std::string& path, Rank ranks);

/// Reads a file of another tool and writes it as a platform; the platform has to be valid.
void import_file(const std::string& from, const std::string& to);

}  // namespace collcast::cli

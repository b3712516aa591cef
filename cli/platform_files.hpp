// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/schedule.hpp"
#include "platforms/description/description.hpp"

namespace collcast::cli {

/// A picture: FILE.dot, or FILE.svg by Graphviz. Throws SubstrateError where that is not installed.
void write_graph(const Description& platform, const std::string& path);

/// FILE.json: the platform as it is after base, parts and --set. FILE.xml: SimGrid's, of some ranks; 0: of a
/// whole node, or as many as make two.
void write_export(const Description& platform, const std::string& path, Rank ranks);

/// Reads a file of another tool and writes a platform, which has to be sound.
void import_file(const std::string& from, const std::string& to);

}  // namespace collcast::cli

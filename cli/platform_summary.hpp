// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platforms/description/description.hpp"

namespace collcast::cli {

/// A number with six digits, as people write it: 4096, 0.1189.
std::string compact(double value);

/// The machine in some 20 lines: nodes, GPUs, links, NICs, network, and what --set takes.
std::string platform_summary(const Description& description);

/// The parameters, with all pieces of a curve (`software.in_node.host.pieces.3.latency_us`) as one parameter,
/// whose source says how many pieces there are.
std::vector<Parameter> folded(const std::vector<Parameter>& parameters);

}  // namespace collcast::cli

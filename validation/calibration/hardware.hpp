// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platforms/description/description.hpp"
#include "platforms/machine/machine.hpp"
#include "validation/calibration/paths.hpp"

namespace collcast {

/// Two ranks of a platform between whose memories a path runs.
struct PathEnds {
  Rank ranks;  ///< ranks that the platform needs for the path
  Place from, to;
};
/// The ends of a path. Throws InputError if the platform has no such path.
PathEnds ends_of(const Description& platform, const Path& path);

/// A link on the way, as the platform describes it.
struct Hop {
  std::string parameter;     ///< path of its bandwidth
  int count;                 ///< links side by side
  double bandwidth_GBps;     ///< of all links side by side
  std::string latency = {};  ///< path of its latency; empty: it has none of its own
  double latency_us = 0;
};
std::vector<Hop> hops_of(const Description& platform, const Path& path);
/// The links between two GPUs of a node, numbered as the ranks' devices.
std::vector<Hop> hops_between(const Description& platform, int sender, int receiver);

/// The platform without its software and protocol, for the cost of links alone.
Description hardware_of(const Description& platform);

/// How many NICs the first `ranks` ranks of a node use.
int nics_used(const Description& platform, int ranks, Memory memory);

}  // namespace collcast

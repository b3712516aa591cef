// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <map>
#include <vector>

#include "validation/measurements/measurement.hpp"

namespace collcast {

enum class Way : std::uint8_t { in_node, across_sockets, between_nodes };

/// What point-to-point tables measure: messages between two memories, by where they are.
struct Path {
  Way way = Way::in_node;
  Memory from = Memory::host, to = Memory::host;
  auto operator<=>(const Path&) const = default;
};

/// "between nodes, host to device".
std::string name(const Path& path);

/// Measurements of one path, by one pair of ranks or the fewest that were measured.
struct PathMeasurements {
  std::vector<Measurement> latency, messages;
  std::vector<Measurement> more_pairs;  ///< that share what a node has
  std::vector<Measurement> both_ways;   ///< windows
  std::vector<Measurement> stars;       ///< fans and exchanges of ranks that have a node each, or share one
};

struct SortedMeasurements {
  std::map<Path, PathMeasurements> paths;
  std::vector<Measurement> copies;  ///< between GPUs, without MPI
  std::vector<std::string> notes;   ///< what was left out, or taken from a file's name
};

/// Throws InputError at collectives' times that fall with the size, at rates far below any network's: there
/// ranks waited for each other.
void reject_waiting(const std::vector<Measurement>& measurements);

/// Throws InputError at collectives (and says so where waiting dominates them), and where neither a table nor
/// its name says on how many nodes, or with how many pairs, it was measured.
SortedMeasurements sort_by_path(std::vector<Measurement> measurements);

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <map>
#include <vector>

#include "validation/measurements/measurement.hpp"

namespace collcast {

enum class Way : std::uint8_t { in_node, across_sockets, between_nodes };

/// What point-to-point tables measure: messages between two memories, and where these are.
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
  std::vector<Measurement> more_pairs;  ///< several pairs, which share what a node has
  std::vector<Measurement> both_ways;   ///< windows in both directions
  std::vector<Measurement> stars;       ///< fans and exchanges of ranks on a node each, or all on one
};

struct SortedMeasurements {
  std::map<Path, PathMeasurements> paths;
  std::vector<Measurement> copies;  ///< between GPUs, without MPI
  std::vector<std::string> notes;   ///< what was left out, or taken from a file's name
};

/// Throws InputError if times of collectives fall with the size, at rates far below any network's: there
/// ranks waited for each other.
void reject_waiting(const std::vector<Measurement>& measurements);

/// Sorts point-to-point measurements by path. Throws InputError for collectives (and says so if waiting
/// dominates them), and if neither a table nor its name says how many nodes or pairs it was measured with.
SortedMeasurements sort_by_path(std::vector<Measurement> measurements);

}  // namespace collcast

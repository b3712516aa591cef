// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/exchange/point/point.hpp"

namespace collcast::campaign {

/// How the points of a campaign are measured.
struct MeasurementSettings {
  int least = 10, most = 50;         ///< repetitions
  double interval = 0.02;            ///< enough once the median's 95 % interval is within this share of it
  double limit_s = 60;               ///< or once `least` or more have lasted this long in all
  Bytes check_up_to = Bytes(65536);  ///< the largest message whose results are checked first
  std::string multicast = {};  ///< GROUP:PORT[%INTERFACE] of IP multicasts; empty: one message per receiver
  /// If set, the campaign measures how much of a collective a computation hides, with this number of workers
  /// on each host to play for its rank (0: the rank plays itself).
  std::optional<int> overlap_workers = {};

  /// The number of processes for `ranks` ranks, one rank on each host.
  Rank processes(Rank ranks) const { return ranks * (1 + overlap_workers.value_or(0)); }
};

/// A point, and whether its segments are given or left to the prediction.
struct PlannedPoint {
  Point point;
  enum class Segments { given, best } segments = Segments::given;
};

/// The largest absolute errors that an engine may have: relative for times, as a share of the collective for
/// the overlap.
struct Bounds {
  double mean = 0.02, worst = 0.10, overlap = 0.10;
  auto operator<=>(const Bounds&) const = default;
};

/// A set of points to predict and measure.
struct Campaign {
  std::string description;
  std::vector<PlannedPoint> points;
  MeasurementSettings settings;
  std::string nominal_platform;  ///< for a negative control: the machine as its maker describes it
  std::vector<std::string> nominal_set;
  /// The bounds of each engine. An engine that is not named is shown, but has no bounds.
  std::map<std::string, Bounds> bounds = {{"path", {}}, {"simgrid", {}}};
};

/// A campaign from the text of a campaign file (docs/campaigns.md). Throws InputError with `file` and JSON
/// path.
Campaign parse_campaign(const std::string& text, const std::string& file);

}  // namespace collcast::campaign

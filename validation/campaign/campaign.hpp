// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/exchange/point/point.hpp"

namespace collcast::campaign {

/// How carefully the points of a campaign are measured.
struct Care {
  int least = 10, most = 50;         ///< repetitions
  double interval = 0.02;            ///< enough once the median's 95 % interval is within this share of it
  double limit_s = 60;               ///< or once `least` or more have lasted so many seconds together
  Bytes check_up_to = Bytes(65536);  ///< results of messages up to this size are checked first
  std::string multicast = {};  ///< GROUP:PORT[%INTERFACE] that multicasts go to; empty: message by message
  /// Set: what is asked is how much of a collective a computation hides, where so many workers on each host
  /// play for its rank (0: it does itself).
  std::optional<int> overlap_workers = {};

  /// Processes that so many ranks take, one on each host.
  Rank processes(Rank ranks) const { return ranks * (1 + overlap_workers.value_or(0)); }
};

/// A point, and how many segments it takes where the campaign leaves that to the prediction.
struct Wish {
  Point point;
  enum class Segments { given, best } segments = Segments::given;
};

/// What the absolute errors of an engine may be: of times relatively, of the overlap in shares of the
/// collective.
struct Bounds {
  double mean = 0.02, worst = 0.10, overlap = 0.10;
  auto operator<=>(const Bounds&) const = default;
};

/// What is predicted and measured in one go.
struct Campaign {
  std::string description;
  std::vector<Wish> wishes;
  Care care;
  std::string nominal_platform;  ///< of a negative control: the machine as its maker describes it
  std::vector<std::string> nominal_set;
  /// By engine. One that is not named is shown, but held to nothing.
  std::map<std::string, Bounds> bounds = {{"path", {}}, {"simgrid", {}}};
};

/// Reads a campaign file (docs/campaigns.md). Throws InputError with file and JSON path.
Campaign read_campaign(const std::string& path);
/// The same of a text; `file` is for messages.
Campaign parse_campaign(const std::string& text, const std::string& file);

}  // namespace collcast::campaign

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "replay/point/point.hpp"

namespace collcast::campaign {

/// How carefully the points of a campaign are measured.
struct Care {
  int least = 10, most = 50;  ///< repetitions
  double interval = 0.02;     ///< enough once the median's 95 % interval is within this share of it
  double limit_s = 20;        ///< seconds of play, after which `least_of_long` repetitions do
  int least_of_long = 3;
  Bytes check_up_to = Bytes(65536);  ///< results of messages up to this size are checked first
};

/// A point, and how many segments it takes where the campaign leaves that to the prediction.
struct Wish {
  Point point;
  enum class Segments { given, best } segments = Segments::given;
};

/// What the absolute errors of an engine may be.
struct Bounds {
  double mean = 0.02, worst = 0.10;
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

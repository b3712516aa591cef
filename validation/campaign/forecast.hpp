// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/exchange/point/point.hpp"
#include "platforms/description/description.hpp"
#include "validation/campaign/campaign.hpp"

namespace collcast::campaign {

/// Predicts how long points take.
struct Predictor {
  /// engine: one of ours, which should be right. control: one of ours with a mistake, which should be wrong.
  /// peer: another program's.
  enum class Role : std::uint8_t { engine, control, peer };
  std::string name;
  Role role = Role::engine;
  std::string what;  ///< in words
  /// The time of a point that has an algorithm; none if the predictor does not model such messages.
  std::function<std::optional<Seconds>(const Point&)> predict;
};

std::string to_string(Predictor::Role role);

/// The predictor that takes the whole collective to be hidden behind the computation; its time is the
/// collective's alone.
inline constexpr const char* all_hidden = "all-hidden";

/// All predictors that this build has, for one platform. `tools`: a folder for what other programs read and
/// write. If the campaign measures overlap, they predict the time of a collective and a computation that is
/// as long.
std::vector<Predictor> predictors(const Description& platform, const Campaign& campaign,
                                  const std::string& tools);

/// The times that our engines predict for a campaign's points, as rows.
Json engine_times(const Campaign& campaign, const Description& platform);

/// The points of a campaign with their segments. If the campaign leaves these open, they are the best ones on
/// the platform.
std::vector<Point> settle(const Campaign& campaign, const Description& platform);

}  // namespace collcast::campaign

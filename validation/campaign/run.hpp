// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "platforms/description/description.hpp"
#include "validation/campaign/measure.hpp"

namespace collcast::campaign {

/// Predicts a campaign's points on a platform and writes them, with the platform, to FOLDER/prediction.jsonl,
/// whole or not at all. If that file exists, only checks that it is the same campaign on the same platform
/// (InputError otherwise).
void predict_campaign(const Campaign& campaign, const Description& platform,
                      const std::filesystem::path& folder, const Progress& progress);

/// Measures the points of FOLDER/prediction.jsonl that FOLDER/measured.jsonl does not hold yet, and appends
/// each at once. Throws SubstrateError with one line if a run ends early; what was measured stays, and
/// measuring again goes on from there. If a player's result was wrong, says so on standard error and returns
/// false.
bool measure_campaign(const MeasurementSettings& settings, const Launcher& launcher,
                      const std::filesystem::path& folder, const Progress& progress);

}  // namespace collcast::campaign

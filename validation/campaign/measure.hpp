// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "support/json.hpp"
#include "validation/campaign/campaign.hpp"
#include "validation/campaign/journal.hpp"
#include "validation/campaign/launcher.hpp"

namespace collcast::campaign {

/// Told now and then what is being done.
using Progress = std::function<void(const std::string&)>;

/// Something that collcast-measure times.
struct Request {
  Json what;          ///< a point's or a ping-pong's keys
  std::string words;  ///< for people
};

/// Measures requests in one launch of so many ranks, and appends each to `journal` at once: its own keys, the
/// times, the MPI library, and where it was made. Throws SubstrateError with one line if the run ends early;
/// what was measured stays. If a player's result was wrong, says so on standard error and returns false.
bool measure(const std::vector<Request>& requests, Rank ranks, const MeasurementSettings& settings,
             const Launcher& launcher, const std::filesystem::path& folder, Journal& journal,
             const Progress& progress);

}  // namespace collcast::campaign

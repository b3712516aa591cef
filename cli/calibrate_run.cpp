// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate_run.hpp"

#include <algorithm>

#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "model/sizes.hpp"
#include "support/error.hpp"
#include "validation/campaign/ping_pong.hpp"

namespace collcast::cli {

namespace {

/// Where nobody asked for more ranks than two, there need not be more.
void measure(campaign::PingPongs wanted, std::optional<int> star, const campaign::Launcher& launcher,
             const std::string& file) {
  const int fixed = launcher.fixed_ranks();
  wanted.star = star.value_or(2);
  campaign::measure_ping_pongs(wanted, launcher, file, progress);
  if (star || (fixed > 0 && fixed < 3)) return;
  wanted.star = fixed > 0 ? std::min(fixed, 4) : 4;
  try {
    campaign::measure_ping_pongs(wanted, launcher, file, progress);
  } catch (const SubstrateError& e) {
    note("messages among " + std::to_string(wanted.star) + " ranks were not measured (" + e.what() +
         "); --star 2 does without");
  }
}

}  // namespace

std::string measure_for_calibration(const PingPongOptions& options, const std::string& file) {
  campaign::PingPongs wanted = campaign::standard_ping_pongs();
  wanted.pairs = options.pairs;
  wanted.window = options.window;
  if (!options.sizes.empty()) wanted.sizes.clear();
  for (const std::string& text : options.sizes) wanted.sizes.push_back(parse_size(text));
  const campaign::Launcher launcher(options.command);
  measure(wanted, options.star, launcher, file);
  progress_end();
  return file;
}

}  // namespace collcast::cli

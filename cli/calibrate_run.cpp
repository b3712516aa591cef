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

/// The default number of ranks of stars.
int usual_star(const campaign::Launcher& launcher) {
  const int fixed = launcher.fixed_ranks();
  return fixed > 0 ? std::clamp(fixed, 2, 4) : 4;
}

void tell_coverage(const campaign::PingPongs& wanted, const campaign::Launcher& launcher,
                   const std::string& file) {
  const campaign::Coverage found = campaign::coverage(wanted, launcher, file);
  if (found.already > 0)
    note(std::to_string(found.already) + " of " + std::to_string(found.wanted) +
         " measurements were already in " + file);
}

/// Measures ping-pongs, then stars. If the user did not state the ranks of stars, it is no error if only two
/// can be started.
void measure(campaign::PingPongs wanted, std::optional<int> star, const campaign::Launcher& launcher,
             const std::string& file) {
  const int most = star.value_or(usual_star(launcher));
  wanted.star = most;
  tell_coverage(wanted, launcher, file);
  if (!star) wanted.star = 2;
  campaign::measure_ping_pongs(wanted, launcher, file, progress);
  if (star || most == 2) return;
  wanted.star = most;
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
  end_at_interrupt("interrupted; what was measured is in " + file +
                   ", and the same command continues from there");
  measure(wanted, options.star, launcher, file);
  progress_end();
  return file;
}

}  // namespace collcast::cli

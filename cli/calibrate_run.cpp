// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate_run.hpp"

#include "cli/interrupt.hpp"
#include "model/sizes.hpp"
#include "validation/campaign/ping_pong.hpp"

namespace collcast::cli {

std::string measure_for_calibration(const PingPongOptions& options, const std::string& file) {
  campaign::PingPongs wanted = campaign::standard_ping_pongs();
  wanted.pairs = options.pairs;
  wanted.window = options.window;
  if (!options.sizes.empty()) wanted.sizes.clear();
  for (const std::string& text : options.sizes) wanted.sizes.push_back(parse_size(text));
  campaign::measure_ping_pongs(wanted, campaign::Launcher(options.command), file, progress);
  progress_end();
  return file;
}

}  // namespace collcast::cli

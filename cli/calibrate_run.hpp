// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace collcast::cli {

/// The options of `calibrate --run`.
struct PingPongOptions {
  bool run = false;
  std::vector<std::string> sizes, command;
  std::vector<int> pairs{1};
  int window = 0;
  std::optional<int> star;  ///< none: 4 ranks, or as many as can be started
};

/// Measures ping-pongs into `file`, or the rest of an interrupted measurement, and returns its name in the
/// form of `--from`. Throws InputError, SubstrateError.
std::string measure_for_calibration(const PingPongOptions& options, const std::string& file);

}  // namespace collcast::cli

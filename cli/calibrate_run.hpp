// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace collcast::cli {

/// What `calibrate --run` takes.
struct PingPongOptions {
  bool run = false;
  std::vector<std::string> sizes, command;
  std::vector<int> pairs{1};
  int window = 0;
  std::optional<int> star;  ///< 4 unless given, or fewer where no more can be started
};

/// Measures ping-pongs into `file`, or what an interrupted measurement left out, and returns its name as
/// `--from` takes it. Throws InputError, SubstrateError.
std::string measure_for_calibration(const PingPongOptions& options, const std::string& file);

}  // namespace collcast::cli

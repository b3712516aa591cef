// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "validation/campaign/measure.hpp"

namespace collcast::campaign {

/// Point-to-point messages that a platform is calibrated by.
struct PingPongs {
  std::vector<Bytes> sizes;   ///< sizes of messages there and back
  std::vector<int> pairs{1};  ///< pairs side by side: each number is measured
  /// Messages on their way at once, one way and both ways, of sizes up to `longest_in_window`. 0: no windows.
  /// Each window ends with a confirmation, so a window tells something only if it lasts much longer than a
  /// round trip.
  int window = 0;
  Bytes longest_in_window = Bytes(262144);
  /// Ranks of bursts, fan-ins, fan-outs and exchanges between one rank and all others. Below 2: none are
  /// measured.
  int star = 4;
  MeasurementSettings settings;
};

/// Sizes from 1 B to 16 MiB: powers of 4, and on both sides of the sizes at which MPI libraries change their
/// protocol.
PingPongs standard_ping_pongs();

/// How many of the wanted measurements `file` holds already, and how many are wanted.
struct Coverage {
  std::size_t already = 0, wanted = 0;
};
/// Throws InputError if `file` holds measurements of another launcher.
Coverage coverage(const PingPongs& wanted, const Launcher& launcher, const std::filesystem::path& file);

/// Measures what `file`, a journal in the form of docs/measurements.md, does not hold yet: half round trips,
/// windows of messages one way and both ways, stars. Throws as `measure` does.
void measure_ping_pongs(const PingPongs& wanted, const Launcher& launcher, const std::filesystem::path& file,
                        const Progress& progress);

}  // namespace collcast::campaign

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/units.hpp"

namespace collcast {
class Description;
}

namespace collcast::workloads {

/// Peaks of a rank's share of the device that rank 0 sits on; the node's ranks on the device share it. 0: not
/// known.
struct Device {
  std::string name;
  double fp64 = 0, fp32 = 0;  ///< floating-point operations per second
  BytesPerSecond bandwidth;   ///< of its memory
};

/// The device of a platform. If the platform does not state FLOP/s, they are a guess: cores x clock x 16 in
/// 64 bits, as with two units of 256-bit fused multiply-adds, and twice as many in 32 bits.
Device device(const Description& platform);

/// The time of a kernel that does `flops` at `peak` and moves `moved` bytes: the longer of the two, over
/// `efficiency`. Throws InputError if the platform does not say how fast the device is.
Seconds kernel_time(const Device& device, double peak, double flops, Bytes moved, double efficiency);

}  // namespace collcast::workloads

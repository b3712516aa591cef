// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/units.hpp"

namespace collcast {
class Description;
}

namespace collcast::workloads {

/// A rank's share of what it computes with: the device that rank 0 sits on, over the ranks of a node that sit
/// there too. Peaks; 0: not known.
struct Device {
  std::string name;
  double fp64 = 0, fp32 = 0;  ///< floating-point operations per second
  BytesPerSecond bandwidth;   ///< of its memory
};

/// Of processors whose FLOP/s the platform does not say: cores x clock x 16 in 64 bits, as with two units of
/// 256-bit fused multiply-adds, and twice as many in 32 bits. A guess.
Device device(const Description& platform);

/// A kernel that does `flops` at `peak` and moves `moved` bytes, whichever takes longer, over `efficiency`.
/// Throws InputError where the platform does not say how fast the device is.
Seconds kernel_time(const Device& device, double peak, double flops, Bytes moved, double efficiency);

}  // namespace collcast::workloads

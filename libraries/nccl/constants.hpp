// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libraries/nccl/kernel.hpp"

namespace collcast::nccl {

/// A number from the tables of NCCL or RCCL. A platform may state it, except for steps and bandwidths.
struct Constant {
  enum class Of : std::uint8_t { launch, channel, hop, tree_hop, proxy, step, bandwidth };
  Protocol protocol = Protocol::ll;
  Of of = Of::launch;
};

std::vector<Constant> constants();
/// The key of a platform, as "software.nccl.LL.hop_us", or, as platforms do not have it, "nccl.LL.step_us".
std::string key_of(const Constant& constant);
/// The constant's value for a ring; none for a bandwidth, which depends on the call.
std::optional<double> value_of(const Constant& constant, const Software& software);

/// While this object lives, its thread takes these constants from the tables times `factor`. This gives the
/// sensitivity to what no platform states.
class Scaled {
 public:
  Scaled(std::vector<Constant> constants, double factor);
  ~Scaled();
  Scaled(const Scaled&) = delete;
  Scaled& operator=(const Scaled&) = delete;

  /// The product of the factors that living `Scaled` of this thread give the constant; 1 if none does.
  static double factor(Protocol protocol, Constant::Of of);

 private:
  std::vector<Constant> constants_;
  double factor_;
  const Scaled* outer_;
};

}  // namespace collcast::nccl

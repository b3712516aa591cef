// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libraries/nccl/kernel.hpp"

namespace collcast::nccl {

/// A number of NCCL's or RCCL's own tables. A platform may state it, but for steps and bandwidths.
struct Constant {
  enum class Of : std::uint8_t { launch, channel, hop, tree_hop, proxy, step, bandwidth };
  Protocol protocol = Protocol::ll;
  Of of = Of::launch;
};

std::vector<Constant> constants();
/// "software.nccl.LL.hop_us": the platform's key, or "nccl.LL.step_us" where it has none.
std::string key_of(const Constant& constant);
/// A ring's launch and step; none of bandwidth, which depends on the call.
std::optional<double> value_of(const Constant& constant, const Software& software);

/// While it lives, its thread takes these constants times `factor` from the tables: how a sensitivity moves
/// what no platform states.
class Scaled {
 public:
  Scaled(std::vector<Constant> constants, double factor);
  ~Scaled();
  Scaled(const Scaled&) = delete;
  Scaled& operator=(const Scaled&) = delete;

  /// 1, if no living `Scaled` of the thread has it.
  static double factor(Protocol protocol, Constant::Of of);

 private:
  std::vector<Constant> constants_;
  double factor_;
  const Scaled* outer_;
};

}  // namespace collcast::nccl

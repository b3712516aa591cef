// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace collcast {

/// A setting of SimGrid's network model, and why it has this value.
struct Physics {
  std::string key, value, why;
};

/// All settings that differ from SimGrid's defaults; they are printed with results.
std::span<const Physics> physics();

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace collcast {

/// A setting of SimGrid that decides what it computes, and why it has this value.
struct Physics {
  std::string key, value, why;
};

/// All settings that are not left to SimGrid's defaults; print them with results.
std::span<const Physics> physics();

}  // namespace collcast

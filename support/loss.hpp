// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace collcast {

/// Operations of an application that a trace saw or knows of, and does not hold.
struct Loss {
  std::string operation;
  std::int64_t count = 0;
  std::string reason;

  bool operator==(const Loss&) const = default;
};

}  // namespace collcast

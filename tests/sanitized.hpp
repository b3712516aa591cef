// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "support/address_sanitizer.hpp"

namespace collcast::testing {

/// Of many cases that are alike, whether to try the next: all; under the sanitizers, which take ten times as
/// long and look for other mistakes than wrong numbers, every third.
class EachOrThird {
 public:
  bool operator()() { return !address_sanitizer || turn_++ % 3 == 0; }

 private:
  std::size_t turn_ = 0;
};

}  // namespace collcast::testing

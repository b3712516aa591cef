// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "support/address_sanitizer.hpp"

namespace collcast::testing {

/// Of many random cases, how many to draw: all; under the sanitizers, which take ten times as long and look
/// for other mistakes than wrong numbers, a third.
constexpr int all_or_third(int cases) {
  return address_sanitizer ? cases / 3 : cases;
}

/// Of many cases that are alike, whether to try the next: as many.
class EachOrThird {
 public:
  bool operator()() { return !address_sanitizer || turn_++ % 3 == 0; }

 private:
  std::size_t turn_ = 0;
};

}  // namespace collcast::testing

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "support/address_sanitizer.hpp"

namespace collcast::testing {

/// Of many random cases, how many to draw: all; under the sanitizers, which take ten times as long and look
/// for other mistakes than wrong numbers, one in `n`.
constexpr int all_or_one_in(int n, int cases) {
  return address_sanitizer ? cases / n : cases;
}

/// Of many cases that are alike, whether to try the next: as many.
class EachOrOneIn {
 public:
  explicit EachOrOneIn(std::size_t n) : n_(address_sanitizer ? n : 1) {}
  bool operator()() { return turn_++ % n_ == 0; }

 private:
  std::size_t n_, turn_ = 0;
};

}  // namespace collcast::testing

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>

#include "support/address_sanitizer.hpp"

namespace collcast::testing {

/// Of many random cases, how many to draw: all; under the sanitizers, which take ten times as long and look
/// for other mistakes than wrong numbers, one in `n`.
constexpr int all_or_one_in(int n, int cases) {
  return address_sanitizer ? cases / n : cases;
}

/// Of many cases that are alike, whether to try the next: one in `n` under the sanitizers, else one in
/// `usually`. All of them where COLLCAST_ALL_CASES is set, as by the test preset `thorough`.
class EachOrOneIn {
 public:
  explicit EachOrOneIn(std::size_t n, std::size_t usually = 1)
      : n_(std::getenv("COLLCAST_ALL_CASES") ? 1
           : address_sanitizer               ? n
                                             : usually) {}
  bool operator()() { return turn_++ % n_ == 0; }

 private:
  std::size_t n_, turn_ = 0;
};

}  // namespace collcast::testing

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace collcast::testing {

/// The sanitizers take ten times as long, and look for other mistakes than wrong numbers.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer);
#else
constexpr bool sanitized = false;
#endif

/// Of many cases that are alike, whether to try the next: all; under the sanitizers every third.
class EachOrThird {
 public:
  bool operator()() { return !sanitized || turn_++ % 3 == 0; }

 private:
  std::size_t turn_ = 0;
};

}  // namespace collcast::testing

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace collcast {

/// Whether this is built with the address sanitizer.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool address_sanitizer = true;
#elif defined(__has_feature)
constexpr bool address_sanitizer = __has_feature(address_sanitizer);
#else
constexpr bool address_sanitizer = false;
#endif

}  // namespace collcast

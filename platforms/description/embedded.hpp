// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace collcast {

/// A file of platforms/data as the build found it.
struct EmbeddedPlatform {
  const char* name;
  const char* text;
};

/// The platforms, then the parts.
extern const EmbeddedPlatform embedded_platforms[];
extern const int embedded_platform_count, embedded_part_count;

}  // namespace collcast

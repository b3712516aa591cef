// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace collcast {

/// A file of platforms/data, embedded by the build.
struct EmbeddedPlatform {
  const char* name;
  const char* text;
};

/// The platforms, followed by the parts.
extern const EmbeddedPlatform embedded_platforms[];
extern const int embedded_platform_count, embedded_part_count;

}  // namespace collcast

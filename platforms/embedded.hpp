// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace collcast {

/// A file of platforms/data as the build found it.
struct EmbeddedPlatform {
  const char* name;
  const char* text;
};

extern const EmbeddedPlatform embedded_platforms[];
extern const int embedded_platform_count;

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>

namespace collcast {

/// A file or folder of published traces and measurements, which are no part of the project: below
/// $COLLCAST_DATA, or below shared/data beside it. Tests skip what is absent.
inline std::filesystem::path shared_data(const std::filesystem::path& name) {
  const char* data = std::getenv("COLLCAST_DATA");
  const std::filesystem::path beside = std::filesystem::path(COLLCAST_SOURCE_DIR) / "../shared/data";
  return (data ? std::filesystem::path(data) : beside) / name;
}

}  // namespace collcast

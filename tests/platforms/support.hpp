// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "platforms/load.hpp"
#include "platforms/machine.hpp"
#include "tests/complaint.hpp"

namespace collcast::testing {

/// A shipped platform with one place of its JSON changed, as if read from x.json.
inline Description edited(const std::string& platform, const std::string& pointer, const Json& value) {
  Json json = load_platform(platform).json();
  json[Json::json_pointer(pointer)] = value;
  return {"x", "x.json", std::move(json)};
}

/// Summit with software costs that tests can compute with by hand.
inline Description plain_summit() {
  return load_platform(COLLCAST_SOURCE_DIR "/tests/platforms/data/plain-summit.json");
}

/// A shipped platform's links alone.
inline Description without_software(const std::string& platform) {
  Json json = load_platform(platform).json();
  json.erase("software");
  return {platform, platform + ".json", std::move(json)};
}

inline Rank capped_ranks(const Description& d) {
  return static_cast<Rank>(std::min<std::int64_t>(max_ranks(d), 27648));
}

inline double us(Seconds s) {
  return s.value * 1e6;
}
inline double GBps(SecondsPerByte g) {
  return 1e-9 / g.value;
}

}  // namespace collcast::testing

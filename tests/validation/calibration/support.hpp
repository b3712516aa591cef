// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "platforms/description/load.hpp"
#include "support/json.hpp"
#include "tests/complaint.hpp"
#include "validation/calibration/calibrate.hpp"

namespace collcast::testing {

inline Measurement measured(Timing timing, int nodes, double bytes, double seconds,
                            const std::string& file = "t") {
  Measurement m;
  m.timing = timing;
  m.library = "OSU";
  m.ranks = 2;
  m.nodes = nodes;
  m.from = m.to = Memory::host;
  m.window = timing == Timing::bandwidth ? 64 : 1;
  m.message = Bytes(bytes);
  m.time = Seconds(seconds);
  m.file = file;
  m.line = 1;
  return m;
}

/// The tables that a platform itself would make, with normal relative noise.
inline std::vector<Measurement> tables_of(const Description& platform, const Path& path, double noise,
                                          unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  std::vector<Measurement> all;
  for (const Timing timing : {Timing::latency, Timing::bandwidth})
    for (double n = 1; n <= 4194304; n *= 2) {
      Measurement m = measured(timing, path.way == Way::between_nodes ? 2 : 1, n, 1);
      m.sockets = path.way == Way::across_sockets ? 2 : 1;
      m.from = path.from;
      m.to = path.to;
      m.time = (1 + noise * normal(random)) * predicted(platform, path, m);
      all.push_back(m);
    }
  return all;
}

/// A platform that a calibration wrote, over its base.
inline Description laid_over(const Description& base, const Json& written) {
  Json json = base.json();
  Json patch = written;
  patch.erase("base");
  json.merge_patch(patch);
  return {"new", "new.json", std::move(json)};
}

}  // namespace collcast::testing

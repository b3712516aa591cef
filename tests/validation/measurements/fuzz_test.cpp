// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <random>

#include "support.hpp"
#include "tests/mutated.hpp"

namespace collcast {
namespace {

using namespace testing;

/// Reads a text; only a one-line InputError or sound measurements may come out.
bool survives(const std::string& text) {
  try {
    for (const Measurement& m : parse_measurements(text, "fuzz", {.ranks = 4})) {
      EXPECT_GT(m.time.value, 0);
      EXPECT_TRUE(std::isfinite(m.time.value));
      EXPECT_GE(m.message.value, 0);
      EXPECT_GE(m.rounding, 0);
    }
    return true;
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    return false;
  }
}

TEST(Fuzz, MutatedTables) {
  std::mt19937 random(1);
  const std::string alphabet = "0123456789.-+eE #(){}[]\":,\n\r\t/naifMGB\xff";
  int sound = 0;
  for (const std::string good : {osu_latency, osu_multiple_bandwidth, osu_allgather, nccl_allreduce,
                                 nccl_broadcast, nccl_report, p2p, json_lines, experiments, msccl})
    for (int round = 0; round < 3000; ++round) sound += survives(mutated(good, alphabet, random));
  EXPECT_GT(sound, 1000);
}

}  // namespace
}  // namespace collcast

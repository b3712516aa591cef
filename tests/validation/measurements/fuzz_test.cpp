// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <random>

#include "support.hpp"

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
                                 nccl_broadcast, p2p, json_lines, experiments, msccl})
    for (int round = 0; round < 3000; ++round) {
      std::string text = good;
      for (int n = 1 + static_cast<int>(random() % 4); n > 0; --n) {
        const std::size_t at = random() % text.size();
        switch (random() % 4) {
          case 0:
            text[at] = alphabet[random() % alphabet.size()];
            break;
          case 1:
            text.insert(at, 1, alphabet[random() % alphabet.size()]);
            break;
          case 2:
            text.erase(at, 1 + random() % 20);
            break;
          default:
            text.insert(at, text.substr(random() % text.size(), random() % 80));
        }
        if (text.empty()) text = good;
      }
      sound += survives(text);
    }
  EXPECT_GT(sound, 1000);
}

}  // namespace
}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "libraries/segments.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/critical_path.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace literals;

Seconds path(const Algorithm& a, const Call& c, const Fabric& fabric) {
  const Schedule s = a.schedule(c);
  return critical_path(s, layout(a, c, s), fabric).time;
}

/// The least of many: each number up to 40, then then ever fewer.
Seconds least(const Algorithm& a, Call c, const Fabric& fabric, double most) {
  Seconds best = path(a, c, fabric);
  for (double k = 2; k <= most; k = std::max(k + 1, std::floor(k * 1.1))) {
    c.segments = static_cast<Block>(k);
    best = std::min(best, path(a, c, fabric));
  }
  return best;
}

class Segments : public ::testing::TestWithParam<const char*> {};

TEST_P(Segments, TheSearchFindsWhatTryingAllFinds) {
  testing::EachOrOneIn tried(7);
  const Machine machine(load_platform(GetParam()), 12);
  for (const Algorithm* a : catalogue()) {
    const Demands needs = demands(*a);
    const Capabilities has = needs.between_nodes ? machine.capabilities() : machine.node_capabilities();
    if (a->name == "nvls")
      continue;  // by its formula: on a node's links the path does not see it meet itself
    if (!a->segmented || (needs.multicast && !has.multicast) || (needs.reduction && !has.reduction)) continue;
    for (const Bytes message : {1_B, 1000_B, 64_KiB, 1_MiB, 16_MiB}) {
      if (!tried()) continue;
      const Call call{.ranks = 12, .message = message, .ranks_per_node = 6};
      const Call best = segmented(machine, *a, call);
      EXPECT_LE(path(*a, best, machine), 1.02 * least(*a, call, machine, std::min(message.value, 2000.0)))
          << full_name(*a) << ", " << message.value << " B, K = " << best.segments;
    }
  }
}

/// On a machine whose messages cost nothing but their way, ever shorter segments would be ever faster.
TEST(SegmentsOfFreeMessages, AreNoShorterThanAFrame) {
  const Machine machine(load_platform("testbed"), 8);
  const Algorithm& chain = algorithm(Collective::broadcast, "chain");
  const Call best = segmented(machine, chain, {.ranks = 8, .message = 100'000_B});
  EXPECT_GT(best.segments, 1000);
  EXPECT_LE(best.segments, 100'000 / 64);
}

/// A formula that is exact where messages cost alpha and beta says one segment of a multicast here: 13 ms. In
/// 64 it takes 6.1 ms, less than 7 ms that another algorithm takes.
TEST(SegmentsBesideOthers, AreSearchedWhereTheFormulaSaysOne) {
  const Machine machine(load_platform("abci-a-mpi"), 16);
  const Algorithm& a = algorithm(Collective::broadcast, "multicast-streaming");
  const Call call{.ranks = 16, .message = 64_MiB};
  EXPECT_LT(path(a, segmented(machine, a, call, {}, Seconds(7e-3)), machine), Seconds(6.2e-3));
}

INSTANTIATE_TEST_SUITE_P(Platforms, Segments, ::testing::Values("flat", "summit", "edr-cluster", "dgx-h100"),
                         [](const auto& p) {
                           std::string name = p.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace collcast

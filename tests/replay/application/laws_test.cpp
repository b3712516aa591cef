// SPDX-License-Identifier: Apache-2.0
// Law 3 over the catalogue: what plays programs says what the critical path of the schedule says, where
// nothing contends.
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "engines/simulated.hpp"
#include "forecast/predict.hpp"
#include "model/critical_path.hpp"
#include "model/lowering.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"
#include "tests/names.hpp"
#include "tests/platforms/pieces.hpp"

namespace collcast {
namespace {

class Players : public ::testing::TestWithParam<const Algorithm*> {
 protected:
  /// Calls on the textbook's machine, one for each of some rank counts.
  template <class Visit>
  void for_each_call(Visit visit) const {
    const Algorithm& a = *GetParam();
    for (Rank p : {1, 2, 3, 5, 8, 12}) {
      if (!a.supports(p)) continue;
      Call call;
      call.ranks = p;
      call.root = definition(a.collective).rooted ? p / 2 : 0;
      call.message = Bytes(1 << 20);
      call.segments = a.segmented ? 5 : 1;
      call.radix = a.radix ? 3 : 2;
      call.ranks_per_node = a.ranks_per_node && p % 2 == 0 ? 2 : 1;
      const Schedule schedule = a.schedule(call);
      const Layout sizes = layout(a, call, schedule);
      const Machine machine(load_platform("flat"), p);
      visit(p, schedule, sizes, machine, critical_path(schedule, sizes, machine).time.value);
    }
  }
};

/// 12 ranks on two nodes, or 8 where their number is a power of two.
Call on_two_nodes(const Algorithm& a) {
  Call call;
  call.ranks = a.supports(12) ? 12 : 8;
  call.ranks_per_node = call.ranks / 2;
  call.segments = a.segmented ? 5 : 1;
  return call;
}

/// Several sources, what the root still sends and what others hand on, or messages of a node's switch and of
/// a tree between nodes, meet at a receiver's port: the path serves them in the order of the schedule,
/// players as they come.
void expect_same_unless_sources_meet(double played, double path, double tolerance) {
  const Algorithm& a = *Players::GetParam();
  if (a.collective == Collective::multi_broadcast || a.name == "nvls-tree" ||
      a.name == "scatter-allgather-linear")
    EXPECT_GE(played, path * (1 - tolerance));
  else
    EXPECT_NEAR(played, path, tolerance * path);
}

TEST_P(Players, TheAnalyticPlayerFindsTheCriticalPath) {
  for_each_call(
      [](Rank p, const Schedule& schedule, const Layout& sizes, const Machine& machine, double path) {
        const double played = play(*program(schedule, sizes), machine).time.value;
        SCOPED_TRACE(p);
        expect_same_unless_sources_meet(played, path, 1e-9);
      });
}

TEST_P(Players, SimGridAgreesAndIsNeverFaster) {
  if (!can_simulate()) GTEST_SKIP() << "built without SimGrid";
  for_each_call(
      [](Rank p, const Schedule& schedule, const Layout& sizes, const Machine& machine, double path) {
        const double simulated = simulate_program(*program(schedule, sizes), machine).time.value;
        SCOPED_TRACE(p);
        expect_same_unless_sources_meet(simulated, path, 1e-6);
      });
}

/// Ranks of a node share its NICs. Reductions that drift apart may be served in another order: a thousandth.
TEST_P(Players, WithContentionSimGridIsNeverFaster) {
  if (!can_simulate()) GTEST_SKIP() << "built without SimGrid";
  const Algorithm& a = *GetParam();
  if (demands(a).reduction) GTEST_SKIP() << "what the network reduces shares links in SimGrid alone";
  Call call = on_two_nodes(a);
  const Machine machine(load_platform("summit"), call.ranks);
  for (double n : {4096.0, 67108864.0}) {
    call.message = Bytes(n);
    const Schedule schedule = a.schedule(call);
    const Layout sizes = layout(a, call, schedule);
    const double path = critical_path(schedule, sizes, machine).time.value;
    EXPECT_GE(simulate_program(*program(schedule, sizes), machine).time.value, path * (1 - 1e-3)) << n;
  }
}

/// Law 7 where software's costs grow with the size, in steps. (Where its pace grows, a queue of many messages
/// may pass a port sooner than one of smaller messages.)
TEST_P(Players, TimeGrowsWithTheMessageThroughAllPieces) {
  const Algorithm& a = *GetParam();
  Call call = on_two_nodes(a);
  Description platform = ::collcast::testing::with_pieces("summit");
  for (const char* piece : {"0", "1"})
    set(platform, std::string("software.between_nodes.device.pieces.") + piece + ".bandwidth_GBps=1");
  const Machine machine(platform, call.ranks);
  double before = 0;
  for (double n = 256; n < 3e7; n *= 1.7) {
    call.message = Bytes(n);
    const Schedule schedule = a.schedule(call);
    const double now = critical_path(schedule, layout(a, call, schedule), machine).time.value;
    EXPECT_GE(now, before) << n;
    before = now;
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Players, ::testing::ValuesIn(catalogue().begin(), catalogue().end()),
                         test_name);

}  // namespace
}  // namespace collcast

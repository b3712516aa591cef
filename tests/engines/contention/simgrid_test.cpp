// SPDX-License-Identifier: Apache-2.0
// The sharing engine and SimGrid: the same rates, and the same times where rounding has no time to grow.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "algorithms/catalogue.hpp"
#include "engines/contention/contention.hpp"
#include "engines/contention/sharing.hpp"
#include "engines/simgrid/kernel.hpp"
#include "engines/simgrid/simulate.hpp"
#include "model/lowering.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"
#include "support/error.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace literals;

constexpr BytesPerSecond unlimited(std::numeric_limits<double>::infinity());

/// Flows, and the links that they cross, numbered anew.
struct FlowSet {
  std::vector<Link> links;
  std::vector<std::vector<LinkId>> routes;
  std::vector<BytesPerSecond> caps;
};

/// Flows between random ranks, a third of them slower than their links.
FlowSet random_flows(const Machine& machine, std::mt19937& random) {
  FlowSet set;
  std::map<LinkId, LinkId> numbers;
  const auto any = [&] { return static_cast<Rank>(random() % static_cast<unsigned>(machine.ranks())); };
  for (auto flows = 2 + random() % 60; flows > 0; --flows) {
    const Rank from = any(), to = any();
    std::vector<LinkId> route;
    machine.route(from, to, route);
    if (route.empty()) continue;
    for (LinkId& link : route) {
      const auto [at, fresh] = numbers.try_emplace(link, static_cast<LinkId>(set.links.size()));
      if (fresh) set.links.push_back(machine.links()[link]);
      link = at->second;
    }
    const double cap = 1e9 * (0.1 + static_cast<double>(random() % 1000) * 0.01);
    set.routes.push_back(std::move(route));
    set.caps.push_back(random() % 3 ? unlimited : BytesPerSecond(cap));
  }
  return set;
}

/// Every flow gets the bytes that take it a millisecond at our rate; so SimGrid must end all of them then.
void expect_rates_of_simgrid(const FlowSet& set, const std::string& what) {
  Sharing sharing(set.links);
  for (Index i = 0; i < set.routes.size(); ++i) sharing.add(i, set.routes[i], set.caps[i]);
  sharing.solve();
  const auto kernel = simgrid_module().kernel(set.links);
  for (Index i = 0; i < set.routes.size(); ++i)
    kernel->start(i, set.routes[i], 1e-3_s * sharing.rate(i), set.caps[i]);
  while (kernel->running() > 0) {
    const auto ended = kernel->advance(Seconds(1));
    ASSERT_FALSE(ended.empty());
    ASSERT_NEAR(kernel->now().value, 1e-3, 1e-12) << what << ", flow " << ended.front();
  }
}

bool plays(const Algorithm& a, const Machine& machine) {
  const Demands needs = demands(a);
  const Capabilities has = machine.capabilities();
  return a.supports(machine.ranks()) && (!needs.multicast || has.multicast) &&
         (!needs.reduction || has.reduction);
}

/// Before the rates: the clock of SimGrid goes on from simulation to simulation of a process, and where ends
/// nearly tie, a clock that is far from 0 rounds them otherwise.
TEST(SharingAndSimgrid, SameTimesOfTheCatalogue) {
  testing::EachOrOneIn tried(20, 5);
  int played = 0;
  for (const char* name : {"flat", "summit", "abci-v", "testbed-racks"})
    for (const auto& [ranks, message] : {std::pair{6, 3000_B}, std::pair{8, 4_MiB}, std::pair{16, 4_MiB}}) {
      if (ranks > max_ranks(load_platform(name))) continue;
      const Machine machine(load_platform(name), ranks);
      for (const Algorithm* a : catalogue()) {
        if (!plays(*a, machine) || !tried()) continue;
        const Call call{.ranks = ranks, .message = message};
        const Schedule schedule = a->schedule(call);
        const Layout sizes = layout(*a, call, schedule);
        const double ours = contend(*program(schedule, sizes), machine).time.value;
        const double theirs = simulate(*program(schedule, sizes), machine).time.value;
        EXPECT_NEAR(ours, theirs, 1e-6 * theirs) << full_name(*a) << " on " << ranks << " ranks of " << name;
        ++played;
      }
    }
  EXPECT_GT(played, 15);
}

TEST(SharingAndSimgrid, SameRatesOnShippedPlatforms) {
  std::mt19937 random(3);
  int sets = 0;
  for (const std::string& name : shipped_platforms()) {
    const Description description = load_platform(name);
    const Machine machine(description, static_cast<Rank>(std::min<std::int64_t>(max_ranks(description), 96)));
    for (int i = 0; i < 40; ++i, ++sets) expect_rates_of_simgrid(random_flows(machine, random), name);
  }
  EXPECT_GE(sets, 1000);
}

/// Its count of bytes would begin at 0 again.
TEST(SharingAndSimgrid, SimgridRefusesMessagesThatItCannotCount) {
  const auto kernel = simgrid_module().kernel({{1.0_GBps}});
  EXPECT_THROW(kernel->start(0, std::vector<LinkId>{0}, Bytes(0x1p40), unlimited), InputError);
  EXPECT_EQ(kernel->running(), 0u);
}

}  // namespace
}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
// A play that leaves out periods is the whole play, for every algorithm of the catalogue whose steps repeat.
#include "engines/contention/steady.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "algorithms/catalogue.hpp"
#include "engines/contention/contention.hpp"
#include "model/compose.hpp"
#include "model/lowering.hpp"
#include "model/repeats.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"
#include "support/address_sanitizer.hpp"
#include "support/error.hpp"
#include "tests/names.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

Seconds sum(const std::vector<Delay>& chain) {
  return std::accumulate(chain.begin(), chain.end(), Seconds(),
                         [](Seconds all, const Delay& d) { return all + d.time; });
}

void expect_same(const std::vector<Result::Use>& got, const std::vector<Result::Use>& whole, Seconds time,
                 const std::string& where) {
  ASSERT_EQ(got.size(), whole.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i].busy.value, whole[i].busy.value, 1e-8 * time.value) << where << ", " << i;
    ASSERT_NEAR(got[i].bytes.value, whole[i].bytes.value, 1e-8 * whole[i].bytes.value) << where << ", " << i;
  }
}

/// Whether periods could be left out.
bool expect_whole(const Schedule& schedule, const Layout& sizes, const Fabric& fabric,
                  const std::string& where) {
  const auto got = contend_until_steady(schedule, sizes, fabric, true, 4);
  if (!got) return false;
  const Result whole = contend(*program(schedule, sizes), fabric);
  EXPECT_NEAR(got->time.value, whole.time.value, 1e-8 * whole.time.value) << where;
  EXPECT_NEAR(sum(got->chain).value, got->time.value, 1e-9 * whole.time.value) << where;
  EXPECT_EQ(got->messages, whole.messages) << where;
  EXPECT_NEAR(got->bytes.value, whole.bytes.value, 1e-9 * whole.bytes.value) << where;
  for (std::size_t r = 0; r < whole.ranks.size(); ++r)
    EXPECT_NEAR(got->ranks[r].finish.value, whole.ranks[r].finish.value, 1e-8 * whole.time.value)
        << where << ", rank " << r;
  expect_same(got->ports, whole.ports, whole.time, where + ", port");
  expect_same(got->links, whole.links, whole.time, where + ", link");
  return true;
}

struct Case {
  const char* platform;
  Rank ranks;
};

/// Links shared by the ranks of a node, by the hosts of a rack, by neither.
const Case cases[] = {{"flat", 23},   {"summit", 30}, {"testbed-racks", 8}, {"frontera", 24},
                      {"abci-a", 20}, {"dgx-1v", 8},  {"p40-node", 8},      {"icpp17-cluster", 12}};

class Steady : public ::testing::TestWithParam<const Algorithm*> {};

TEST_P(Steady, IsTheWholePlay) {
  const Algorithm& a = *GetParam();
  if (!a.segmented && a.collective != Collective::allreduce && a.collective != Collective::allgather &&
      a.collective != Collective::reduce_scatter)
    return;
  bool any = false;
  testing::EachOrOneIn tried(3);
  for (const Case& at : cases) {
    if (!a.supports(at.ranks)) continue;
    const Machine machine(load_platform(at.platform), at.ranks);
    for (const Block segments : {40, 200})
      for (const Bytes message : {Bytes(1000), Bytes(3e7)}) {
        if (!tried()) continue;
        Call c{.ranks = at.ranks, .message = message};
        if (a.segmented) c.segments = segments;
        if (a.channels) c.channels = 2;
        try {
          const Schedule schedule = a.schedule(c);
          const Layout sizes = layout(a, c, schedule);
          if (sizes.equal_blocks() &&
              expect_whole(schedule, sizes, machine, full_name(a) + " on " + at.platform))
            any = true;
        } catch (const InputError&) {  // the machine cannot play it
        }
      }
  }
  EXPECT_TRUE(any || address_sanitizer || (a.name != "ring" && a.name != "chain")) << full_name(a);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Steady, whole_catalogue(), test_name);

Schedule again(std::int64_t steps, std::vector<Transfer> step) {
  return repeating({8, 1, steps, [step = std::move(step)](std::int64_t, Step& s) { s.transfers = step; }},
                   {{0, steps}});
}

TEST(SteadyPlay, LeavesOutWhatGoesLikeBefore) {
  const Machine machine(load_platform("testbed-racks"), 8);
  const Layout sizes = Layout::equal(Bytes(1e6), 1);
  // Four messages each way share the uplink of a rack, each at a quarter of 12.5 MB/s.
  std::vector<Transfer> all;
  for (Rank r = 0; r < 8; ++r) all.push_back({r, (r + 4) % 8, {}});
  const Schedule exchange = again(100, all);
  EXPECT_TRUE(expect_whole(exchange, sizes, machine, "across the racks"));
  const auto got = contend_until_steady(exchange, sizes, machine);
  ASSERT_TRUE(got);
  EXPECT_NEAR(got->time.value, 100 * 4 * 1e6 / 12.5e6, 1);  // and latencies
}

/// A chain of 8 hosts whose pipeline fills after the periods that are played at first: until the last hop has
/// begun, the uplink has fewer messages than later.
TEST(SteadyPlay, WaitsUntilAPipelineIsFull) {
  const Machine machine(load_platform("testbed-racks"), 8);
  const Algorithm& chain = algorithm(Collective::broadcast, "chain");
  const Call call{.ranks = 8, .message = Bytes(4e7), .segments = 400};
  const Schedule schedule = chain.schedule(call);
  EXPECT_TRUE(expect_whole(schedule, layout(chain, call, schedule), machine, "chain"));
}

TEST(SteadyPlay, IsNotForWhatDoesNotRepeat) {
  const Machine machine(load_platform("flat"), 8);
  const Layout sizes = Layout::equal(Bytes(1e6), 1);
  EXPECT_FALSE(contend_until_steady(again(10, {{0, 1, {}}}), sizes, machine));
  const Schedule plain{8, 1, 100, [](std::int64_t, Step& s) { s.send(0, 1, {0, 1}); }};
  EXPECT_FALSE(contend_until_steady(plain, sizes, machine));
}

/// Eager messages queue up behind each other, as their sender does not wait for them.
TEST(SteadyPlay, SeesQueuesGrow) {
  const Machine machine(load_platform("summit"), 8);
  int periodic = 0;
  for (const double bytes : {8.0, 1e3, 4e3, 8e3, 1e5, 1e6})
    periodic += expect_whole(again(100, {{0, 6, {}}, {1, 7, {}}}), Layout::equal(Bytes(bytes), 1), machine,
                             std::to_string(bytes) + " bytes");
  EXPECT_GT(periodic, 0);
}

}  // namespace
}  // namespace collcast

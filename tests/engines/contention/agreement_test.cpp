// SPDX-License-Identifier: Apache-2.0
// The engines with contention take the time of the critical path where nothing contends.
#include <gtest/gtest.h>

#include <memory>

#include "model/critical_path.hpp"
#include "model/lowering.hpp"
#include "tests/engines/channels_pay.hpp"
#include "tests/engines/contended_engines.hpp"
#include "tests/engines/player/schedules.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace literals;

struct Setting {
  std::string name;
  std::function<std::unique_ptr<Fabric>(Rank)> fabric;
};

constexpr Seconds us(double t) {
  return Seconds(t * 1e-6);
}

std::vector<Setting> settings() {
  const SecondsPerByte G = 1.0 / 12.5_GBps, gamma(7e-11);
  const AlphaBetaGamma hockney{us(1.3), G, gamma};
  const LogGP eager{us(1.3), us(0.4), us(0.7), G, gamma}, quick{us(0.05), {}, Bytes(1) * G, G, {}},
      rendezvous{us(1.3), us(0.4), us(0.7), G, gamma, Bytes(-1)};
  const auto uniform = [](auto machine) {
    return [machine](Rank p) { return std::make_unique<UniformFabric>(machine, p); };
  };
  const auto paced = [=](Rank p) { return std::make_unique<testing::PacedFabric>(eager, p, 500_B, 2.5); };
  return {{"hockney", uniform(hockney)},
          {"eager", uniform(eager)},
          {"quick", uniform(quick)},
          {"rendezvous", uniform(rendezvous)},
          {"in pieces", paced}};
}

void expect_agreement(const testing::Case& which, const Setting& setting, Rank ranks, Bytes whole,
                      const testing::ContendedEngine& engine) {
  const auto built = setting.fabric(ranks);
  const testing::ChannelsPay fabric(*built);
  const Schedule schedule = which.make(ranks);
  const Layout layout = Layout::equal(whole, schedule.blocks);
  const PathResult path = critical_path(schedule, layout, fabric);
  const Result result = engine.play(*program(schedule, layout), fabric);
  const std::string what = engine.name + ", " + which.name + " on " + setting.name + ", " +
                           std::to_string(ranks) + " ranks, " + std::to_string(whole.value) + " bytes";
  EXPECT_NEAR(result.time.value, path.time.value, 1e-9 * path.time.value) << what;
  for (std::size_t r = 0; r < path.finish.size(); ++r)
    EXPECT_NEAR(result.ranks[r].finish.value, path.finish[r].value, 1e-9 * path.finish[r].value)
        << what << ", rank " << r;
}

/// Senders that do not wait for their receiver can meet at its port: there the critical path serves one
/// message after the other, and the engines with contention both at half the speed.
bool meets(const std::string& schedule, const std::string& setting, Rank ranks) {
  if (setting == "hockney") return false;
  if (schedule == "flat_reduce" || schedule == "multicasts at once") return true;
  return schedule == "recursive_doubling" && setting != "rendezvous" && (ranks & (ranks - 1)) != 0;
}

template <class Check>
void for_all(bool with_meetings, Check&& check) {
  testing::EachOrOneIn tried(20, 4);
  for (const Setting& setting : settings())
    for (const testing::Case& which : testing::cases())
      for (const Rank ranks : {1, 2, 3, 4, 7, 8, 17})
        for (const Bytes whole : {0_B, 1_B, 1000_B, 1_MiB})
          if (meets(which.name, setting.name, ranks) == with_meetings && tried())
            check(which, setting, ranks, whole);
}

TEST(ContendedAgreement, WithTheCriticalPath) {
  for (const testing::ContendedEngine& engine : testing::contended_engines()) {
    const std::size_t every = engine.name.starts_with("simgrid") ? 3 : 1;  // a process for each
    std::size_t turn = 0;
    for_all(false, [&](auto&&... point) {
      if (turn++ % every == 0) expect_agreement(point..., engine);
    });
  }
}

TEST(ContendedAgreement, OneProcessorForAllChannelsNeverMakesFaster) {
  int tried = 0;
  for_all(false, [&](const testing::Case& which, const Setting& setting, Rank ranks, Bytes whole) {
    const Schedule schedule = which.make(ranks);
    if (schedule.channels == 1) return;
    ++tried;
    const auto built = setting.fabric(ranks);
    const Layout layout = Layout::equal(whole, schedule.blocks);
    const Seconds path = critical_path(schedule, layout, *built).time;
    const Seconds time = contend(*program(schedule, layout), *built).time;
    EXPECT_GE(time.value, path.value * (1 - 1e-9)) << which.name << " on " << setting.name << ", " << ranks;
  });
  EXPECT_GT(tried, 0);
}

TEST(ContendedAgreement, ContentionNeverMakesFaster) {
  for_all(true, [](const testing::Case& which, const Setting& setting, Rank ranks, Bytes whole) {
    if (setting.name == "in pieces") return;  // ports are held at the software's pace
    const auto built = setting.fabric(ranks);
    const Fabric& fabric = *built;
    const Schedule schedule = which.make(ranks);
    const Layout layout = Layout::equal(whole, schedule.blocks);
    const Seconds path = critical_path(schedule, layout, fabric).time;
    for (const testing::ContendedEngine& engine : testing::contended_engines()) {
      const Seconds time = engine.play(*program(schedule, layout), fabric).time;
      EXPECT_GE(time.value, path.value * (1 - 1e-9))
          << engine.name << ", " << which.name << " on " << setting.name << ", " << ranks;
    }
  });
}

}  // namespace
}  // namespace collcast

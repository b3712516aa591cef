// SPDX-License-Identifier: Apache-2.0
// What an adapter reads and writes of a device's memory, and copies that share an engine.
#include <gtest/gtest.h>

#include "engines/simulated.hpp"
#include "model/critical_path.hpp"
#include "model/lowering.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"

namespace collcast {
namespace {

constexpr Place device{0, Memory::device}, host{0, Memory::host};
constexpr Place remote_device{2, Memory::device}, remote_host{2, Memory::host};

Machine cluster(const std::vector<std::string>& with = {}) {
  Description d = load_platform("icpp17-cluster");
  set_all(d, with);
  return {d, 4};
}

double GBps(const Machine& m, Place from, Place to) {
  return 1e-9 / m.wire(from, to, Bytes(0)).per_byte.value;
}

/// By the critical path, and by SimGrid.
std::vector<double> times(const Machine& m, Bytes message,
                          const std::vector<std::pair<Place, Place>>& transfers) {
  const auto rule = [transfers](std::int64_t, Step& step) {
    for (const auto& [from, to] : transfers) step.send(from, to, {0, 1});
  };
  const Schedule schedule{m.ranks(), 1, 1, rule};
  const Layout layout = Layout::equal(message, 1);
  std::vector<double> all = {critical_path(schedule, layout, m).time.value};
  if (can_simulate()) all.push_back(simulate_program(*program(schedule, layout), m).time.value);
  return all;
}

TEST(Gpudirect, LimitsWhatAnAdapterReadsAndWritesOfADevice) {
  const Machine m = cluster();
  EXPECT_NEAR(GBps(m, device, remote_device), 3.4, 1e-9);
  EXPECT_NEAR(GBps(m, device, remote_host), 3.4, 1e-9);
  EXPECT_NEAR(GBps(m, host, remote_device), 6.4, 1e-9);
  EXPECT_NEAR(GBps(m, host, remote_host), 11.5, 1e-9);
  // No adapter has a part in these.
  EXPECT_NEAR(GBps(m, device, host), 12, 1e-9);
  EXPECT_NEAR(GBps(m, device, {1, Memory::device}), 12, 1e-9);
}

TEST(Gpudirect, BothEnginesTakeTheTimeOfTheLimit) {
  const Machine m = cluster();
  const Bytes message(34e6);
  const Wire w = m.wire(device, remote_device, message);
  const double expected = (w.handshake + w.overhead + w.latency + w.receive_overhead).value + 0.01;
  for (const double time : times(m, message, {{device, remote_device}}))
    EXPECT_NEAR(time, expected, 1e-6 * expected);
}

/// Software takes 20 ms a message, the adapter 10: of two ranks that share it none waits for the other's
/// software.
TEST(Software, HoldsItsRankAndNotThePortsThatOthersShare) {
  const Machine m = cluster({"software.between_nodes.device.bandwidth_GBps=1.7"});
  const Bytes message(34e6);
  const auto both = times(m, message, {{device, remote_device}, {{1}, {3}}});
  const auto one = times(m, message, {{device, remote_device}, {device, {3}}});
  EXPECT_NEAR(both[0], 0.02, 1e-4);
  EXPECT_NEAR(one[0], 0.04, 1e-4);
  if (!can_simulate()) return;
  EXPECT_NEAR(both[1], 0.03, 1e-4);  // ports serve in order: the second message leaves once the first is out
  EXPECT_NEAR(one[1], 0.04, 1e-4);
}

TEST(CopyEngines, OneTakesBothWaysInTurn) {
  const Bytes message(12e6);  // a millisecond
  for (const int engines : {1, 2, 6}) {
    const Machine m =
        cluster({"devices.K80-half.copy_engines=" + std::to_string(engines), "software.copy.overhead_us=0",
                 "software.copy.latency_us=0", "node.link_kinds.pcie3-x16.latency_us=0"});
    const double expected = engines == 1 ? 2e-3 : 1e-3;
    for (const double time : times(m, message, {{device, host}, {host, device}}))
      EXPECT_NEAR(time, expected, 1e-6 * expected) << engines;
    for (const double time : times(m, message, {{device, host}})) EXPECT_NEAR(time, 1e-3, 1e-9) << engines;
  }
}

TEST(CopyEngines, OfOneDeviceDoNotHoldUpAnother) {
  const Machine m = cluster({"devices.K80-half.copy_engines=1", "software.copy.overhead_us=0",
                             "software.copy.latency_us=0", "node.link_kinds.pcie3-x16.latency_us=0"});
  const Place other_device{1, Memory::device}, other_host{1, Memory::host};
  for (const double time : times(m, Bytes(12e6), {{device, host}, {other_host, other_device}}))
    EXPECT_NEAR(time, 1e-3, 1e-9);
}

}  // namespace
}  // namespace collcast

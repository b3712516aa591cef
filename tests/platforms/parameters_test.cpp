// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <span>

#include "platforms/machine/paths.hpp"
#include "support.hpp"
#include "support/json.hpp"
#include "tests/platforms/pieces.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace testing;

/// Shows all that players see of a machine, a row at a time, until `see(row)` is false; whether it never was.
template <class See>
bool show_machine(const Description& d, See&& see) {
  const Machine m(d, capped_ranks(d));
  std::vector<double> row;
  for (const Bytes bytes : m.sizes()) row.push_back(bytes.value);
  row.insert(row.end(), {m.handoff().start.value, m.handoff().all.value});
  if (!see(row)) return false;
  std::vector<Bytes> sizes = m.sizes();
  sizes.push_back(Bytes(1));  // copies of the empty message take no time
  std::vector<Memory> memories = {Memory::device, Memory::host};
  if (!read_blueprint(d).of_kind(Blueprint::Vertex::Kind::dpu).empty()) memories.push_back(Memory::dpu);
  for (Rank a : m.representatives())
    for (Memory from : memories) {
      row = {m.gamma({a, from}).value};
      for (Rank b : m.representatives())
        for (Memory to : memories)
          for (const Bytes bytes : sizes) {
            const Wire w = m.wire({a, from}, {b, to}, bytes);
            row.insert(row.end(), {w.latency.value, w.overhead.value, w.receive_overhead.value, w.gap.value,
                                   w.per_byte.value, w.software.value, w.handshake.value,
                                   w.other_sender.value, double(w.out)});
          }
      if (!see(row)) return false;
    }
  for (const Switching what : {Switching::multicast, Switching::reduction})
    for (Rank b : m.representatives()) {
      const auto [wire, bytes] = m.switched(what, m.representatives().front(), b, Bytes(1 << 24));
      row = {wire.latency.value, wire.gap.value, wire.per_byte.value, bytes.value};
      if (!see(row)) return false;
    }
  return true;
}

/// That, and what they see of the policies' blocking sends.
template <class See>
bool show(const Description& d, See&& see) {
  const Description blocking = with_blocking_sends(d);
  return show_machine(d, see) && (blocking.json() == d.json() || show_machine(blocking, see));
}

std::vector<double> seen(const Description& d) {
  std::vector<double> all;
  show(d,
       [&](const std::vector<double>& row) { return all.insert(all.end(), row.begin(), row.end()), true; });
  return all;
}

/// Whether all that players see is `before`; looks no further than the first row that differs.
bool seen_is(const std::vector<double>& before, const Description& d) {
  std::span<const double> rest = before;
  return show(d,
              [&](const std::vector<double>& row) {
                const bool same =
                    row.size() <= rest.size() && std::ranges::equal(row, rest.first(row.size()));
                if (same) rest = rest.subspan(row.size());
                return same;
              }) &&
         rest.empty();
}

/// The shipped ones, one whose costs depend on the size of messages, and small networks of every kind.
std::vector<Description> platforms() {
  std::vector<Description> all = shipped_and_small();
  all.insert(all.begin(), {with_pieces("summit"), torus(8, "4,2"), dragonfly(6, 3, 2)});
  return all;
}

TEST(Parameters, EachMovesThePredictionOrIsListedAsUnused) {
  EachOrOneIn platform(4), tried(3, 3);
  for (const Description& d : platforms()) {
    if (!platform()) continue;
    const std::vector<double> before = seen(d);
    std::set<std::string> unused;
    for (const Parameter& p : unused_parameters(d)) unused.insert(p.path);
    for (const Parameter& p : d.parameters()) {
      if (!tried()) continue;
      Description moved = d;
      const bool size = p.path.ends_with("from_KiB");  // must stay between its neighbours
      set(moved, p.path + "=" + std::to_string(size ? 0.9 * p.value : p.value > 0 ? p.value / 1024 : 1));
      EXPECT_EQ(seen_is(before, moved), unused.contains(p.path)) << d.name() << " " << p.path;
    }
  }
}

TEST(Parameters, OnesAddedByASetMoveItOrAreListedAsUnused) {
  EachOrOneIn tried(10);
  for (const Description& d : {with_pieces("summit"), torus(8, "4,2"), dragonfly(6, 3, 2),
                               load_platform("dgx-h100"), load_platform("bluefield-2-cluster")}) {
    const std::vector<double> before = seen(d);
    for (const std::string& path : settable_paths(d)) {
      if (!tried()) continue;
      // Copies take no time where only the empty message has these costs; a limit for policies alone makes a
      // section that has no other costs.
      if (path.ends_with(".copy_GBps") || path.ends_with(".blocking_eager_limit_KiB")) continue;
      Description moved = d;
      bool gives = false;  // the section gives the node's switches a capability, whatever its limits
      for (const char* section : {"multicast", "in_network_reduction"})
        gives = gives ||
                (path.starts_with(std::string("node.") + section) && !d.json()["node"].contains(section));
      if (gives) continue;
      if (!complaint([&] { set(moved, path + "=0.0123"); }).empty()) continue;
      const std::vector<Parameter> unused = unused_parameters(moved), all = moved.parameters();
      if (std::ranges::find(all, path, &Parameter::path) == all.end()) continue;  // a text
      const bool listed = std::ranges::find(unused, path, &Parameter::path) != unused.end();
      EXPECT_EQ(seen_is(before, moved), listed) << d.name() << " " << path;
    }
  }
}

/// A guess would be half as fast or 1.5 times; one with an interval of its own goes to its ends.
TEST(Parameters, OwnIntervalsCount) {
  const auto bandwidth = [](const Description& d) {
    return d.json()["network"]["bandwidth_GBps"]["value"].get<double>();
  };
  const Json guess = {{"value", 10.0}, {"source", "s"}, {"stamp", "guess"}};
  Json interval = guess;
  interval["low"] = 9;
  interval["high"] = 12;
  const Description a = edited("summit", "/network/bandwidth_GBps", guess),
                    b = edited("summit", "/network/bandwidth_GBps", interval);
  EXPECT_DOUBLE_EQ(bandwidth(optimistic(a)), 15);
  EXPECT_DOUBLE_EQ(bandwidth(pessimistic(a)), 10 / 1.5);
  EXPECT_DOUBLE_EQ(bandwidth(optimistic(b)), 12);
  EXPECT_DOUBLE_EQ(bandwidth(pessimistic(b)), 9);
  const Json latency = {
      {"value", 2.0}, {"source", "s"}, {"stamp", "calibrated"}, {"low", 1.5}, {"high", 2.25}};
  const Description c = edited("summit", "/network/latency_us", latency);
  EXPECT_DOUBLE_EQ(optimistic(c).json()["network"]["latency_us"]["value"].get<double>(), 1.5);
  EXPECT_DOUBLE_EQ(pessimistic(c).json()["network"]["latency_us"]["value"].get<double>(), 2.25);
  const std::vector<Parameter> all = c.parameters();
  const auto it = std::ranges::find(all, "network.latency_us", &Parameter::path);
  ASSERT_NE(it, all.end());
  EXPECT_EQ(it->low, 1.5);
  EXPECT_EQ(it->high, 2.25);
}

/// Besides, where a piece for all but empty messages begins.
TEST(Parameters, UnusedOnesAreFactsOfDevicesStorageSwitchesAndCosts) {
  for (const std::string& name : shipped_platforms())
    for (const Parameter& p : unused_parameters(load_platform(name)))
      EXPECT_TRUE(p.path.starts_with("devices.") || p.path.starts_with("storage.") ||
                  p.path.starts_with("software.nccl.") || p.path.find("-x4.") != std::string::npos ||
                  p.path.ends_with(".max_groups") || p.path.ends_with(".recovery_us") ||
                  p.path == "network.multicast.mtu_B" || p.path == "node.power_W" ||
                  p.path == "node.price_per_hour_USD" ||
                  (p.path.ends_with(".from_KiB") && p.value <= 1.0 / 1024))
          << name << " " << p.path;
}

/// What no message rests on, computation may.
TEST(Parameters, ThoseOfDevicesMayMoveComputation) {
  Description d = load_platform("dgx-a100");
  set_all(d, {"devices.A100-SXM4-80GB.tensor_TFLOPS=600"});
  EXPECT_EQ(notes_on_settings(d),
            std::vector<std::string>{"devices.A100-SXM4-80GB.tensor_TFLOPS has no effect: no message "
                                     "and no reduction uses it"});
  EXPECT_TRUE(notes_on_settings(d, Work::computation).empty());
}

TEST(Parameters, ThoseOfNcclMoveWhatItsPoliciesSend) {
  Description d = load_platform("dgx-h100");
  set(d, "software.nccl.LL.launch_us=20");
  EXPECT_TRUE(notes_on_settings(d).empty());
}

TEST(Parameters, EachHasAUnitASourceAndAStamp) {
  const std::set<std::string> units = {"GBps",  "us",         "GiB",   "KiB",     "TB", "TFLOPS",
                                       "TOPS",  "GHz",        "cores", "engines", "B",  "groups",
                                       "share", "operations", "W",     "USD"};
  for (const std::string& name : shipped_platforms())
    for (const Parameter& p : load_platform(name).parameters()) {
      EXPECT_TRUE(units.contains(p.unit)) << p.path;
      EXPECT_GT(p.source.size(), 5u) << p.path;
      EXPECT_NE(p.stamp, Stamp::what_if) << p.path;
    }
}

TEST(Parameters, ShippedFilesGoRound) {
  for (const std::string& name : shipped_platforms()) {
    const Description d = load_platform(name);
    const Description again = parse_platform(dump(d.json(), 2), name, name);
    EXPECT_EQ(again.json(), d.json());
    EXPECT_EQ(seen(again), seen(d));
  }
}

TEST(Parameters, OptimisticIsFasterAndPessimisticSlower) {
  const Description d = plain_summit();
  const Machine usual(d, 12), fast(optimistic(d), 12), slow(pessimistic(d), 12);
  EXPECT_LT(fast.wire(0, 6, Bytes(0)).latency, usual.wire(0, 6, Bytes(0)).latency);
  EXPECT_GT(slow.wire(0, 6, Bytes(0)).latency, usual.wire(0, 6, Bytes(0)).latency);
  // A rail's bandwidth is derived: 15 %. A third of the V100's memory bandwidth, from a datasheet: 10 %.
  EXPECT_NEAR(GBps(fast.wire(0, 6, Bytes(0)).per_byte), 11.5 * 1.15, 1e-9);
  EXPECT_NEAR(GBps(slow.wire(0, 6, Bytes(0)).per_byte), 11.5 / 1.15, 1e-9);
  EXPECT_NEAR(GBps(slow.gamma(0)), 300 / 1.1, 1e-9);
}

TEST(Parameters, MachineKnowsItsWeakestStamp) {
  Description d = load_platform("flat");
  EXPECT_EQ(Machine(d, 2).stamp(), Stamp::guess);
  EXPECT_FALSE(Machine(d, 2).calibrated());
  set_all(d, {"network.latency_us=1", "devices.rank.reduce_GBps=100"});
  EXPECT_EQ(Machine(d, 2).stamp(), Stamp::datasheet);
  set(d, "network.bandwidth_GBps=12");
  EXPECT_EQ(Machine(d, 2).stamp(), Stamp::what_if);
  EXPECT_TRUE(Machine(d, 2).calibrated());
}

TEST(Parameters, OneNodeDoesNotRestOnTheNetwork) {
  const Description d = load_platform("summit");
  EXPECT_FALSE(Machine(d, 6).used_parameters().contains("network.bandwidth_GBps"));
  EXPECT_FALSE(Machine(d, 3).used_parameters().contains("node.link_kinds.x-bus.bandwidth_GBps"));
  EXPECT_TRUE(Machine(d, 7).used_parameters().contains("network.bandwidth_GBps"));
}

}  // namespace
}  // namespace collcast

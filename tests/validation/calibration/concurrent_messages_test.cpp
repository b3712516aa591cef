// SPDX-License-Identifier: Apache-2.0
#include "validation/calibration/concurrent_messages.hpp"
#include "platforms/machine/machine.hpp"
#include "support.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

using namespace testing;

const Path hosts{Way::between_nodes, Memory::host, Memory::host};

Json parameter(double value) {
  return {{"value", value}, {"source", "a test"}, {"stamp", "measured"}};
}

/// `testbed` with links of another rate [GB/s] and latency [us, at each end], and known software.
Description bed(double rate, double latency, double overhead) {
  Json json = load_platform("testbed").json();
  json["network"]["bandwidth_GBps"] = parameter(rate);
  json["network"]["latency_us"] = parameter(latency);
  json["software"]["between_nodes"]["host"] = {{"overhead_us", parameter(overhead)},
                                               {"receive_overhead_us", parameter(overhead / 2)}};
  return {"bed", "bed.json", std::move(json)};
}

Measurement star(Timing timing, Rank ranks, int window, double bytes) {
  Measurement m = measured(timing, ranks, bytes, 1);
  m.ranks = ranks, m.window = window;
  return m;
}

/// What `calibrate --run` would measure on it.
std::vector<Measurement> run_on(const Description& platform, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  std::vector<Measurement> all;
  for (double n = 1; n <= 16777216; n *= 8) all.push_back(measured(Timing::latency, 2, n, 1));
  for (const double n : {1., 1024., 8192., 65536.}) {
    for (const Timing timing : {Timing::fan_out, Timing::exchange})
      for (const int window : {1, 8}) all.push_back(star(timing, 2, window, n));
    for (const Timing timing : {Timing::fan_out, Timing::fan_in, Timing::exchange})
      for (const int window : {1, 4}) all.push_back(star(timing, 4, window, n));
  }
  const Wire wire = Machine(platform, 2).wire({0}, {1}, Bytes(0));
  for (Measurement& m : all) {
    const Measurement alone = measured(Timing::latency, 2, m.message.value, 1);
    m.time = predicted(platform, hosts, alone);
    if (is_star(m)) {
      const Star::Way way = m.timing == Timing::fan_out  ? Star::Way::out
                            : m.timing == Timing::fan_in ? Star::Way::in
                                                         : Star::Way::both;
      m.time = star_time({way, m.ranks - 1, m.window, m.message, {}, m.time, wire.per_byte},
                         {wire.overhead, wire.receive_overhead, wire.gap, wire.per_byte});
    }
    m.time = (1 + noise * normal(random)) * m.time;
  }
  return all;
}

std::string all_notes(const Calibration& c) {
  std::string words;
  for (const std::string& note : c.notes) words += note + '\n';
  return words;
}

/// Whatever the base says of rate and latency.
TEST(ConcurrentMessages, LinksOfAWrongBaseAreFound) {
  const Description truth = bed(0.010, 1490, 20);
  for (const Description& base : {load_platform("testbed"), bed(0.010, 1490, 0), bed(0.05, 5000, 100)})
    for (const double noise : {0., 0.01}) {
      const Calibration c = calibrate(base, run_on(truth, noise, 7));
      const Description found = laid_over(base, c.platform);
      const Json& network = found.json()["network"];
      EXPECT_NEAR(network["bandwidth_GBps"]["value"].get<double>(), 0.010, 0.0001 + 0.02 * noise);
      const Json& host = found.json()["software"]["between_nodes"]["host"];
      EXPECT_NEAR(host["overhead_us"]["value"].get<double>(), 20, noise == 0 ? 1 : 8);
      const Wire says = Machine(found, 2).wire({0}, {1}, Bytes(0)),
                 is = Machine(truth, 2).wire({0}, {1}, Bytes(0));
      EXPECT_NEAR(says.latency.value, is.latency.value, (noise == 0 ? 0.002 : 0.02) * is.latency.value);
      EXPECT_LT(c.paths[0].star_fit->mean_residual, 0.001 + 1.2 * noise);
      const bool wrong = base.name() != "bed" || base.json()["network"]["latency_us"]["value"] == 5000;
      EXPECT_EQ(all_notes(c).find("network.bandwidth_GBps, and the measurements contradict it") !=
                    std::string::npos,
                wrong);
      EXPECT_EQ(
          all_notes(c).find("network.latency_us, and the measurements contradict it") != std::string::npos,
          wrong);
    }
}

TEST(ConcurrentMessages, MeasuredLinksCarryStampAndInterval) {
  const Calibration c = calibrate(load_platform("testbed"), run_on(bed(0.010, 1490, 20), 0.01, 3));
  for (const char* key : {"bandwidth_GBps", "latency_us"}) {
    const Json& p = c.platform["network"][key];
    EXPECT_EQ(p["stamp"], "calibrated") << key;
    EXPECT_LT(p["low"], p["value"]) << key;
    EXPECT_LT(p["value"], p["high"]) << key;
  }
  EXPECT_EQ(c.paths[0].stars, 40u);
}

/// Half round trips alone do not say what is overhead and what is latency, unless links would take longer.
TEST(ConcurrentMessages, HalfRoundTripsContradictLinksOnlyWhereTheyAreFaster) {
  std::vector<Measurement> latency = run_on(bed(0.010, 1490, 20), 0, 1);
  std::erase_if(latency, [](const Measurement& m) { return m.timing != Timing::latency; });
  const Calibration slower = calibrate(load_platform("testbed"), latency);
  EXPECT_FALSE(slower.platform.contains("network"));
  EXPECT_NE(all_notes(slower).find("the rest is taken for the software's"), std::string::npos);
  EXPECT_NE(all_notes(slower).find("one pair reaches 0.0100 GB/s, testbed's links 0.0125 GB/s: taken for the "
                                   "software's pace"),
            std::string::npos)
      << all_notes(slower);
  const Description base = bed(0.010, 5000, 0);
  const Calibration faster = calibrate(base, latency);
  // 2980 us by links and 30 by software, less the 20 of the switch, at two ends.
  EXPECT_NEAR(faster.platform["network"]["latency_us"]["value"].get<double>(), 1505, 2);
  Json slow = base.json();
  slow["network"]["switch_latency_us"] = parameter(9000);
  EXPECT_EQ(
      complaint([&] {
        calibrate({"slow", "slow.json", slow}, latency);
      }),
      "slow: its links are not those of the tables: a message between nodes, host to host takes 3.03 ms, and "
      "its links take 19.0 ms");
}

/// OSU's tables: windows of one pair, of four pairs that share a port, and both ways.
TEST(ConcurrentMessages, WindowsOfPairsSayTheSame) {
  std::vector<Measurement> tables;
  for (double n = 1; n <= 4194304; n *= 4) {
    // Alone 2 us; each byte 0.1 ns; the sender's overhead 0.5 us, the receiver's 0.3, no gap.
    const double stream = n * 0.1e-9, alone = 2e-6 + stream;
    const auto window = [&](Timing timing, int pairs, double every) {
      Measurement m = measured(timing, 2, n, (63 * every + alone + 2e-6) / 64);
      m.window = 64, m.pairs = pairs, m.ranks = 2 * pairs;
      tables.push_back(m);
    };
    tables.push_back(measured(Timing::latency, 2, n, alone));
    window(Timing::bandwidth, 1, std::max(0.5e-6, stream));
    window(Timing::bandwidth, 4, std::max(0.5e-6, 4 * stream));
    window(Timing::both_ways_bandwidth, 1, std::max(0.8e-6, stream));
  }
  const Calibration c = calibrate(load_platform("edr-cluster"), tables);
  const StarFit& fit = *c.paths[0].star_fit;
  EXPECT_NEAR(fit.overhead.value, 0.5e-6, 0.05e-6);
  EXPECT_NEAR(fit.receive_overhead.value, 0.3e-6, 0.05e-6);
  EXPECT_NEAR(fit.port.value, 0.1e-9, 0.005e-9);
}

/// Two pairs on four nodes have a port each; of three, one node sends two.
TEST(ConcurrentMessages, PairsPerNode) {
  Measurement m = measured(Timing::bandwidth, 4, 8, 1);
  m.pairs = 2;
  EXPECT_EQ(pairs_per_node(m), 1);
  m.pairs = 3;
  EXPECT_EQ(pairs_per_node(m), 2);
  m.pairs = 2;
  m.nodes = 2;
  EXPECT_EQ(pairs_per_node(m), 2);
  m.nodes = 1;
  EXPECT_EQ(pairs_per_node(m), 2);
}

/// Six pairs of Summit's use two ports, three each.
TEST(ConcurrentMessages, PairsThatShareANic) {
  Measurement m = measured(Timing::bandwidth, 2, 8, 1e-6);
  m.pairs = 6;
  PathMeasurements tables;
  tables.latency = {measured(Timing::latency, 2, 8, 1e-6)};
  tables.more_pairs = {m};
  const PathFit fit = fit_path({{{Bytes(8), Seconds(1e-6)}}, {}});
  const std::vector<Star> stars = concurrent_messages(load_platform("summit"), tables, fit);
  ASSERT_EQ(stars.size(), 1u);
  EXPECT_EQ(stars[0].peers, 3);
  EXPECT_EQ(stars[0].way, Star::Way::pairs);
  // Two messages in 2 us, of which one alone and the reply take 1 us each: nothing is left to lie between
  // them.
  tables.more_pairs[0].window = 2;
  EXPECT_TRUE(concurrent_messages(load_platform("summit"), tables, fit).empty());
}

/// osu_latency up to 8 KiB, where osu_bw and osu_bibw go to 4 MiB and change their pace.
TEST(ConcurrentMessages, SizesThatTheLatencyTableLacks) {
  std::vector<Measurement> tables;
  for (double n = 1; n <= 4194304; n *= 2) {
    const double stream = n <= 8192 ? n * 1e-9 : n * 0.1e-9, alone = 2e-6 + stream;
    if (n <= 8192) tables.push_back(measured(Timing::latency, 2, n, alone));
    tables.push_back(measured(Timing::bandwidth, 2, n, (n <= 8192 ? 1e-6 : 9e-6) + stream));
    tables.push_back(measured(Timing::both_ways_bandwidth, 2, n, (n <= 8192 ? 1e-6 : 9e-6) + stream));
    tables.back().window = 64;
  }
  const Calibration c = calibrate(load_platform("edr-cluster"), tables);
  EXPECT_NE(all_notes(c).find("between nodes, host to host: left out are 9 measurements of several messages "
                              "at once, of sizes that no latency table says"),
            std::string::npos)
      << all_notes(c);
}

/// `calibrate --run --size 1,...,4KiB`: its stars go to 64 KiB.
TEST(ConcurrentMessages, StarsLongerThanAnyLoneMessage) {
  std::vector<Measurement> some = run_on(bed(0.010, 1490, 20), 0, 1);
  std::erase_if(some, [](const Measurement& m) { return !is_star(m) && m.message > Bytes(4096); });
  const Calibration c = calibrate(load_platform("testbed"), some);
  EXPECT_EQ(c.paths[0].stars, 20u);
  EXPECT_NE(all_notes(c).find("left out are 20 measurements of several messages at once"), std::string::npos)
      << all_notes(c);
}

TEST(ConcurrentMessages, StarsThatNoCostsExplain) {
  std::vector<Measurement> some = run_on(bed(0.010, 1490, 20), 0, 1);
  double factor = 1;
  for (Measurement& m : some)
    if (is_star(m)) m.time = factor * m.time, factor = factor < 100 ? 10 * factor : 1;
  const Calibration c = calibrate(load_platform("testbed"), some);
  EXPECT_NE(all_notes(c).find("the new platform says the messages at once only within"), std::string::npos)
      << all_notes(c);
}

/// Latencies that do not grow say nothing of a port's rate, which stays the base's.
TEST(ConcurrentMessages, AStreamWithoutAPace) {
  std::vector<Measurement> tables;
  for (double n = 4; n <= 1024; n *= 2) {
    tables.push_back(measured(Timing::latency, 2, n, 50e-6 + 5e-3 / n));
    if (n > 256) continue;
    tables.push_back(measured(Timing::both_ways_bandwidth, 2, n, 80e-6));
    tables.back().window = 64;
  }
  const Calibration c = calibrate(load_platform("edr-cluster"), tables);
  EXPECT_FALSE(c.paths[0].star_fit->port.determined);
  EXPECT_GT(c.paths[0].star_fit->port.value, 0);
  for (const HardwareReport& h : c.hardware) EXPECT_NE(h.parameter, "network.bandwidth_GBps");
  EXPECT_NE(all_notes(c).find("the new platform says the half round trips only within"), std::string::npos)
      << all_notes(c);
}

TEST(ConcurrentMessages, BadInput) {
  const Description base = load_platform("testbed");
  EXPECT_EQ(complaint([&] { calibrate(base, {star(Timing::fan_in, 4, 1, 8)}); }),
            "t:1: there is no latency or bandwidth between nodes, host to host beside it");
  std::vector<Measurement> some = run_on(bed(0.010, 1490, 20), 0, 1);
  for (Measurement& m : some)
    if (m.ranks == 4) m.nodes = 2;
  const Calibration c = calibrate(base, some);
  EXPECT_EQ(c.paths[0].stars, 16u);
  EXPECT_NE(all_notes(c).find("t: left out are fan-ins of 4 ranks on 2 nodes"), std::string::npos);
  EXPECT_NE(all_notes(c).find("the rate of a port is not determined by what was measured"),
            std::string::npos);
}

}  // namespace
}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "model/calibration/point_to_point.hpp"
#include "platforms/description/plausible.hpp"
#include "platforms/machine/machine.hpp"
#include "support.hpp"
#include "support/json.hpp"
#include "support/text.hpp"
#include "validation/calibration/hardware.hpp"
#include "validation/calibration/parameters.hpp"
#include "validation/calibration/rising.hpp"
#include "validation/calibration/text.hpp"

namespace collcast {
namespace {

using namespace testing;

const Path between{Way::between_nodes, Memory::host, Memory::host};

/// edr-cluster with known costs: a rendezvous from 16 KiB on.
Description known_platform() {
  const auto p = [](double value) {
    return Json{{"value", value}, {"source", "a test"}, {"stamp", "measured"}};
  };
  Json json = load_platform("edr-cluster").json();
  json["network"]["bandwidth_GBps"] = p(11);
  json["software"]["between_nodes"]["host"] = {
      {"overhead_us", p(0.3)},
      {"receive_overhead_us", p(0.3)},
      {"latency_us", p(0.9)},
      {"gap_us", p(0.35)},
      {"bandwidth_GBps", p(5)},
      {"eager_limit_KiB", p(15.999)},
      {"handshake_us", p(4)},
      {"pieces", Json::array({{{"from_KiB", p(16)}, {"bandwidth_GBps", p(10.5)}, {"gap_us", p(2.2)}}})}};
  return {"known", "known.json", std::move(json)};
}

TEST(Calibrate, KnownPlatformComesBack) {
  const Description truth = known_platform(), base = load_platform("edr-cluster");
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Calibration c = calibrate(base, tables_of(truth, between, 0.01, seed));
    ASSERT_EQ(c.paths.size(), 1u);
    EXPECT_LT(*c.paths[0].latency_error, 0.015);
    EXPECT_LT(*c.paths[0].message_error, 0.015);
    const Description found = laid_over(base, c.platform);
    for (double n = 3; n < 4e6; n *= 3)
      for (const Timing timing : {Timing::latency, Timing::bandwidth}) {
        if (n > 8192 && n < 16384) continue;  // which side of the switch it is on, no table says
        const Measurement m = measured(timing, 2, n, 1);
        const double truly = predicted(truth, between, m).value;
        EXPECT_NEAR(predicted(found, between, m).value, truly, 0.04 * truly) << n << " seed " << seed;
        EXPECT_LE(predicted(optimistic(found), between, m).value, truly) << n << " seed " << seed;
        EXPECT_GE(predicted(pessimistic(found), between, m).value, truly) << n << " seed " << seed;
      }
    const Json& host = c.platform["software"]["between_nodes"]["host"];
    EXPECT_NEAR(host["eager_limit_KiB"]["value"].get<double>(), 15.999, 1e-3);
    EXPECT_NEAR(host["handshake_us"]["value"].get<double>(), 4, 0.5);
  }
}

/// A platform that is calibrated on its own predictions makes the same ones: overheads that hide bytes, links
/// that hide copies and hidden gaps included.
TEST(Calibrate, OwnPredictionsComeBack) {
  const auto expect_same = [](const char* name, const Path& path, double noise) {
    const Description base = load_platform(name);
    const Calibration c = calibrate(base, tables_of(base, path, noise, 1));
    EXPECT_TRUE(noise > 0 || c.hardware.empty()) << name;
    const Description found = laid_over(base, c.platform);
    double all = 0, count = 0;
    for (double n = 1; n <= 4194304; n *= 2)
      for (const Timing timing : {Timing::latency, Timing::bandwidth}) {
        Measurement m = measured(timing, path.way == Way::between_nodes ? 2 : 1, n, 1);
        m.from = m.to = path.from;
        const double off = std::abs(predicted(found, path, m) / predicted(base, path, m) - 1);
        EXPECT_TRUE(noise > 0 || off < 0.1) << name << ' ' << n;  // where a piece ends between two sizes
        all += off, ++count;
      }
    EXPECT_LT(all / count, std::max(0.006, noise)) << name;
  };
  const Path devices{Way::between_nodes, Memory::device, Memory::device};
  const Path in_node{Way::in_node, Memory::host, Memory::host};
  const Path on_nvlink{Way::in_node, Memory::device, Memory::device};
  for (const double noise : {0.0, 0.01}) {
    for (const char* name : {"edr-cluster", "fugaku", "frontera", "summit", "testbed"})
      expect_same(name, between, noise);
    for (const char* name : {"dgx-a100", "edr-cluster", "frontier"}) expect_same(name, devices, noise);
    for (const char* name : {"localhost", "frontera"}) expect_same(name, in_node, noise);
    for (const char* name : {"dgx-a100", "dgx-b200", "dgx-1v"}) expect_same(name, on_nvlink, noise);
  }
}

/// Tables of protocols that switch too late, as those of GPUs often are: times that fall by half and more.
TEST(Calibrate, NoLargerMessageIsFaster) {
  const Description base = load_platform("edr-cluster");
  std::mt19937 draw(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<Measurement> tables = tables_of(base, between, 0.02, static_cast<unsigned>(draw()));
    for (Measurement& m : tables)
      for (const double from : {1024., 65536.})
        if (m.message.value >= from && m.message.value < 8 * from)
          m.time = static_cast<double>(1 + draw() % 4) * m.time;
    const Calibration found = calibrate(base, tables);
    const Machine machine(laid_over(base, found.platform), 4);
    Wire before = machine.wire(0, 2, Bytes(0));
    for (double n = 1; n < 1 << 24; n = std::ceil(1.03 * n)) {
      const Wire wire = machine.wire(0, 2, Bytes(n));
      const auto grows = [&](auto of) { EXPECT_GE(of(wire, n), of(before, n / 1.03 - 1) * (1 - 1e-6)) << n; };
      grows([](const Wire& w, double) { return w.overhead.value; });
      grows([](const Wire& w, double) { return w.receive_overhead.value; });
      grows([](const Wire& w, double bytes) { return (w.gap + Bytes(bytes) * w.per_byte).value; });
      grows([](const Wire& w, double bytes) { return half_round_trip(w, Bytes(bytes)).value; });
      before = wire;
    }
    EXPECT_EQ(text::join(implausible(laid_over(base, found.platform)), "; "), "");
  }
}

/// What small messages do not tell stays the base's: how fast bytes are, and what a rendezvous costs.
TEST(Calibrate, SmallMessagesTellNothingOfLargeOnes) {
  const Description base = load_platform("edr-cluster");
  std::vector<Measurement> small;
  for (double n = 1; n <= 4096; n *= 2) {
    small.push_back(measured(Timing::latency, 2, n, 1));
    small.back().time = predicted(base, between, small.back());
  }
  const Measurement large = measured(Timing::latency, 2, 65536, 1);
  const double before = predicted(base, between, large).value;
  for (const auto& table : {small, std::vector{small[3]}}) {
    const Calibration c = calibrate(base, table);
    const Json& host = c.platform["software"]["between_nodes"]["host"];
    EXPECT_FALSE(host.contains("handshake_us"));
    EXPECT_NEAR(predicted(laid_over(base, c.platform), between, large).value, before, 0.02 * before);
    ASSERT_FALSE(c.notes.empty());
  }
  EXPECT_FALSE(
      calibrate(base, {small[3]}).platform["software"]["between_nodes"]["host"].contains("bandwidth_GBps"));
}

/// Windows of large messages tell nothing of a handshake, nor do small messages of the base's pieces of large
/// ones.
TEST(Calibrate, WhatNoLatencyReachesStays) {
  const Description base = load_platform("edr-cluster"), summit = load_platform("summit");
  const auto add = [](const Description& of, Timing timing, double most, std::vector<Measurement>& all) {
    for (double n = 1; n <= most; n *= 2) {
      all.push_back(measured(timing, 2, n, 1));
      all.back().time = predicted(of, between, all.back());
    }
  };
  std::vector<Measurement> windows, few;
  add(base, Timing::latency, 4096, windows), add(base, Timing::bandwidth, 4194304, windows);
  EXPECT_FALSE(
      calibrate(base, windows).platform["software"]["between_nodes"]["host"].contains("handshake_us"));
  add(summit, Timing::latency, 64, few);
  const Measurement large = measured(Timing::latency, 2, 1 << 20, 1);
  const double before = predicted(summit, between, large).value;
  EXPECT_NEAR(predicted(laid_over(summit, calibrate(summit, few).platform), between, large).value, before,
              0.02 * before);
}

/// Of a window of 64 messages of 1 B on a way of 2 ms, the way is three quarters.
TEST(Calibrate, LongWaysAreTakenOffWindows) {
  Json json = load_platform("edr-cluster").json();
  json["network"]["latency_us"]["value"] = 1000;
  json["software"]["between_nodes"]["host"]["gap_us"]["value"] = 20;
  const Description base("far", "far.json", json);
  const Calibration c = calibrate(base, tables_of(base, between, 0, 1));
  EXPECT_NEAR(c.platform["software"]["between_nodes"]["host"]["gap_us"]["value"].get<double>(), 20, 0.1);
}

/// A node's links are no slower than a message that went over them.
TEST(Calibrate, LinksOfANodeAreLowered) {
  const Path in_node{Way::in_node, Memory::host, Memory::host};
  const Description base = load_platform("localhost");
  const Calibration c =
      calibrate(base, {measured(Timing::latency, 1, 8, 0.15e-6), measured(Timing::latency, 1, 64, 0.15e-6)});
  ASSERT_EQ(c.hardware.size(), 1u);
  EXPECT_EQ(c.hardware[0].parameter, "node.link_kinds.shared-memory.latency_us");
  const Measurement m = measured(Timing::latency, 1, 8, 1);
  EXPECT_NEAR(predicted(laid_over(base, c.platform), in_node, m).value, 0.15e-6, 0.01e-6);
}

/// Plain LogGP on the base's own links: [us], GB/s.
struct LogGp {
  double overhead, receive_overhead, latency, GBps;
  double lone(double n) const { return overhead + receive_overhead + latency + 1e-3 * n / GBps; }
  double window(double n, double each) const { return (63 * each + lone(n) + lone(4)) / 64; }
};

/// Half round trips, windows, and windows both ways at once, as OSU rounds none of them.
std::vector<Measurement> loggp_tables(const LogGp& truth, bool both_ways) {
  std::vector<Measurement> all;
  for (double n = 1; n <= 4194304; n *= both_ways ? 4 : 2) {
    const double bytes = 1e-3 * n / truth.GBps;
    const double o = std::max(truth.overhead, truth.receive_overhead);
    all.push_back(measured(Timing::latency, 2, n, 1e-6 * truth.lone(n)));
    all.push_back(measured(Timing::bandwidth, 2, n, 1e-6 * truth.window(n, std::max(o, bytes))));
    if (!both_ways) continue;
    const double posts = truth.overhead + truth.receive_overhead;
    all.push_back(
        measured(Timing::both_ways_bandwidth, 2, n, 0.5e-6 * truth.window(n, std::max(posts, bytes))));
    all.back().window = 64;
  }
  return all;
}

/// Messages of up to 4 KiB are limited by their rate, so that windows do not show what their bytes take: the
/// links do, and nothing counts a byte twice. Nor does a hidden gap make an overhead of 0.
TEST(Calibrate, ALoneMessagePaysForItsBytesOnce) {
  const Description base = load_platform("edr-cluster");
  const LogGp truth{0.4, 0.4, 1.1, 11};
  const Description found = laid_over(base, calibrate(base, loggp_tables(truth, false)).platform);
  for (double n = 1; n <= 4194304; n *= 2)
    EXPECT_NEAR(1e6 * predicted(found, between, measured(Timing::latency, 2, n, 1)).value, truth.lone(n),
                0.02 * truth.lone(n))
        << n;
  const Wire large = Machine(found, 2).wire({0, Memory::host}, {1, Memory::host}, Bytes(65536));
  EXPECT_NEAR(large.overhead.value, 0.4e-6, 0.02e-6);
}

/// An overhead that the tables do not determine, but bound, is written: the base's own would be longer than
/// what they say of both ends and the way together.
TEST(Calibrate, ALoweredOverheadIsWritten) {
  Json json = load_platform("edr-cluster").json();
  for (const char* end : {"overhead_us", "receive_overhead_us"})
    json["software"]["between_nodes"]["host"][end]["value"] = 0.5;
  const Description base("high", "high.json", json);
  const LogGp truth{0.2, 0.2, 1.4, 5};
  const Calibration c = calibrate(base, loggp_tables(truth, true));
  ASSERT_TRUE(c.paths[0].star_fit);
  ASSERT_FALSE(c.paths[0].star_fit->overhead.determined);
  EXPECT_NEAR(1e6 * predicted(laid_over(base, c.platform), between, measured(Timing::latency, 2, 8, 1)).value,
              truth.lone(8), 0.02 * truth.lone(8));
  EXPECT_LT(c.platform["software"]["between_nodes"]["host"]["overhead_us"]["value"].get<double>(), 0.3);
}

/// What no table speaks of stays; what was calibrated carries file, date and stamp.
TEST(Calibrate, WritesItsSourcesAndNothingElse) {
  const Description base = load_platform("edr-cluster");
  const Calibration c = calibrate(base, tables_of(known_platform(), between, 0.01, 1), {{"t", "2021-06-01"}});
  EXPECT_EQ(c.platform["base"], "edr-cluster");
  EXPECT_FALSE(c.platform["software"].contains("in_node"));
  const Json& gap = c.platform["software"]["between_nodes"]["host"]["gap_us"];
  EXPECT_EQ(gap["source"], "t (2021-06-01)");
  EXPECT_EQ(gap["stamp"], "calibrated");
  EXPECT_LT(gap["low"], gap["value"]);
  const Description again = parse_platform(platform_text(c.platform), "new", "new.json");
  EXPECT_EQ(again.json()["software"], laid_over(base, c.platform).json()["software"]);
}

/// 8 GB/s were measured where the base's links are slower: the links were, the software not.
TEST(Calibrate, LinksAreRaisedToWhatWentOverThem) {
  Json slow = load_platform("edr-cluster").json();
  slow["network"]["bandwidth_GBps"]["value"] = 2;
  const Description base("slow", "slow.json", slow);
  const Calibration c = calibrate(base, tables_of(known_platform(), between, 0, 1));
  ASSERT_EQ(c.hardware.size(), 1u);
  EXPECT_EQ(c.hardware[0].parameter, "network.bandwidth_GBps");
  EXPECT_NEAR(c.hardware[0].after, 10.5, 0.05);
}

/// Two standard deviations and 2 % of another run; tables that scatter never say that a link carries nothing.
TEST(Calibrate, ABandwidthIsKnownToAFactorOfTwoAtWorst) {
  const Json sure = calibrated_rate(10, 0.15, "a test"), scattered = calibrated_rate(10, 8, "a test");
  EXPECT_EQ(sure["low"], 9.5);  // 2 * hypot(0.15, 0.2)
  EXPECT_EQ(sure["high"], 10.5);
  EXPECT_EQ(scattered["low"], 5);
  EXPECT_EQ(scattered["high"], 20);
}

TEST(Calibrate, CopiesBetweenGpusSayWhatLinksCarry) {
  const Description base = load_platform("summit");
  const std::vector<Hop> hops = hops_between(base, 0, 1);
  ASSERT_EQ(hops.size(), 1u);
  EXPECT_EQ(hops[0].count, 2);
  EXPECT_EQ(hops[0].bandwidth_GBps, 2 * 25);
  std::vector<Measurement> copies;
  for (const double rate : {40e9, 44e9, 48e9}) {
    Measurement m = measured(Timing::copy, 1, 4e7, 4e7 / rate);
    m.sender = 0;
    m.receiver = 1;
    copies.push_back(m);
  }
  const Calibration c = calibrate(base, copies);
  ASSERT_EQ(c.hardware.size(), 1u);
  EXPECT_NEAR(c.hardware[0].after, 22, 0.01);  // two links side by side
  copies.pop_back();
  EXPECT_NEAR(calibrate(base, copies).hardware[0].after, 21, 0.01);  // half way between two
  copies[0].receiver = 6;
  EXPECT_EQ(complaint([&] { calibrate(base, copies); }), "summit has 6 GPUs per node; a table has GPU 6");
}

TEST(Calibrate, SeveralPairsSayWhatTheyShareAndNothingOfOne) {
  const Description base = load_platform("frontera");
  std::vector<Measurement> table;
  for (const double message : {8192.0, 65536.0, 1048576.0}) {
    table.push_back(measured(Timing::bandwidth, 2, message, 36 * message / 12e9));
    table.back().pairs = 36, table.back().window = 64;
  }
  const Calibration c = calibrate(base, table);
  EXPECT_TRUE(c.paths.empty());
  EXPECT_FALSE(c.platform.contains("software"));
  EXPECT_NEAR(c.platform["network"]["bandwidth_GBps"]["value"].get<double>(), 12, 0.01);
  ASSERT_FALSE(c.notes.empty());
  EXPECT_TRUE(
      c.notes[0].starts_with("between nodes, host to host: several pairs at once say what they share"))
      << c.notes[0];
}

TEST(Calibrate, TablesThatSayNothingAreRefused) {
  std::vector<Measurement> copies{measured(Timing::both_ways_copy, 1, 4e7, 4e7 / 80e9),
                                  measured(Timing::copy, 1, 4e7, 4e7 / 40e9),
                                  measured(Timing::copy, 1, 4e7, 4e7 / 10e9)};
  for (Measurement& m : copies) m.sender = 0, m.receiver = 1;
  copies[1].peer_access = true, copies[2].peer_access = false;
  const Description base = load_platform("summit");
  EXPECT_EQ(calibrate(base, copies).notes,
            (std::vector<std::string>{"left out: copies between GPUs both ways at once (1)",
                                      "left out: copies between GPUs without peer access (1)"}));
  copies.resize(1);
  EXPECT_EQ(complaint([&] { calibrate(base, copies); }),
            "summit: the tables say nothing that calibrates it: left out: copies between GPUs both ways at "
            "once (1)");
}

TEST(Calibrate, PathsThatTheBaseDoesNotHave) {
  const auto table =
      tables_of(load_platform("summit"), {Way::across_sockets, Memory::host, Memory::host}, 0, 1);
  EXPECT_NE(complaint([&] {
              calibrate(load_platform("edr-cluster"), table);
            }).find("has no two ranks across sockets"),
            std::string::npos);
  EXPECT_NE(complaint([] {
              calibrate(load_platform("localhost"), {measured(Timing::latency, 2, 8, 1e-6)});
            }).find("has one node"),
            std::string::npos);
}

TEST(Calibrate, AUniformNetworkHasNothingToFit) {
  const std::string why =
      complaint([] { calibrate(load_platform("flat"), {measured(Timing::latency, 2, 8, 1e-6)}); });
  EXPECT_TRUE(why.starts_with("flat: cannot be calibrated: a uniform network")) << why;
}

/// A slow rate of small messages, and no gap that could be shorter: larger ones get one, so that the port is
/// held for as long at 1 KiB as just below.
TEST(Rising, CostsWithoutAGapHaveNothingToShorten) {
  const auto p = [](double value) {
    return Json{{"value", value}, {"source", "a test"}, {"stamp", "calibrated"}};
  };
  Json software = {{"overhead_us", p(2)},
                   {"receive_overhead_us", p(2)},
                   {"latency_us", p(1)},
                   {"bandwidth_GBps", p(1)},
                   {"pieces", Json::array({{{"from_KiB", p(1)}, {"bandwidth_GBps", p(4)}}})}};
  let_rise(software, 1 / BytesPerSecond(4e9));
  EXPECT_FALSE(software.contains("gap_us"));
  EXPECT_NEAR(software["pieces"][0]["gap_us"]["value"].get<double>(), 1.024 - 0.256, 1e-3);
}

}  // namespace
}  // namespace collcast

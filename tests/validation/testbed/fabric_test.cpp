// SPDX-License-Identifier: Apache-2.0
#include "validation/testbed/switch/fabric.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace collcast;
using namespace collcast::testbed;

namespace {

struct Arrival {
  Host from, to;
  double time;
  bool operator==(const Arrival& o) const {
    return from == o.from && to == o.to && std::abs(time - o.time) < 1e-9;
  }
};

void PrintTo(const Arrival& a, std::ostream* out) {
  *out << a.from << "->" << a.to << " at " << a.time;
}

/// Rates of 1 byte/s and a latency of 10 s, so that times can be read.
constexpr BytesPerSecond unit(1);
constexpr Seconds latency(10);

class Play {
 public:
  explicit Play(Layout layout, Discipline discipline = Discipline::fifo)
      : fabric(std::move(layout), discipline) {}

  Play& send(Host from, Host to, double bytes, double time) {
    fabric.enter({from, to, Bytes(bytes), nullptr}, Seconds(time));
    return *this;
  }

  std::vector<Arrival> arrivals() {
    std::vector<Arrival> all;
    fabric.advance(Seconds(1e9), [&](const Frame& f, Host to, Seconds due) {
      all.push_back({f.source, to, due.value});
    });
    EXPECT_TRUE(std::isinf(fabric.next().value));
    return all;
  }

  Fabric fabric;
};

using Arrivals = std::vector<Arrival>;

TEST(Fabric, OneFrameTakesLatencyAndItsBytesOnce) {
  // Cut through: 100 bytes at 1 byte/s over two links, 10 s of latency.
  EXPECT_EQ(Play(Layout(2, unit, latency)).send(0, 1, 100, 5).arrivals(), (Arrivals{{0, 1, 115}}));
}

TEST(Fabric, AMessageOfManyFramesTakesLatencyAndItsBytes) {
  Play play(Layout(2, unit, latency));
  for (int i = 0; i < 10; ++i) play.send(0, 1, 100, 0);
  EXPECT_EQ(play.arrivals().back(), (Arrival{0, 1, 1010}));
}

TEST(Fabric, DirectionsDoNotShare) {
  EXPECT_EQ(Play(Layout(2, unit, latency)).send(0, 1, 100, 0).send(1, 0, 100, 0).arrivals(),
            (Arrivals{{0, 1, 110}, {1, 0, 110}}));
}

TEST(Fabric, AHostSendsOneFrameAfterTheOther) {
  EXPECT_EQ(Play(Layout(3, unit, latency)).send(0, 1, 100, 0).send(0, 2, 100, 0).arrivals(),
            (Arrivals{{0, 1, 110}, {0, 2, 210}}));
}

TEST(Fabric, IncastFifoServesInTheOrderOfArrival) {
  // Hosts 1 and 2 send two frames each, host 2 a second later; 0's link takes 100 s for each frame.
  // Frames reach it at 0, 1, 100, 101.
  Play play(Layout(3, unit, latency));
  play.send(1, 0, 100, 0).send(1, 0, 100, 0).send(2, 0, 100, 1).send(2, 0, 100, 1);
  EXPECT_EQ(play.arrivals(), (Arrivals{{1, 0, 110}, {2, 0, 210}, {1, 0, 310}, {2, 0, 410}}));
}

/// Host 1 has sent three frames over the fast uplink of its rack before host 2 sends one.
Play backlog(Discipline discipline) {
  Play play(Layout(4, unit, latency, 2, BytesPerSecond(0.1)), discipline);
  play.send(0, 2, 10, 0).send(0, 2, 10, 0).send(0, 2, 10, 0).send(1, 2, 10, 25);
  return play;
}

TEST(Fabric, FifoAndRoundRobinOrderABacklogDifferently) {
  // The uplink takes 100 s a frame. Frames are ready there at 0, 10 and 20 (host 0) and at 25 (host 1). They
  // leave it at 100, 200, 300, 400. The last link is faster: the frame goes on once its end is 10 s away, and
  // no time is lost. 10 s of latency more.
  EXPECT_EQ(backlog(Discipline::fifo).arrivals(),
            (Arrivals{{0, 2, 110}, {0, 2, 210}, {0, 2, 310}, {1, 2, 410}}));
  EXPECT_EQ(backlog(Discipline::round_robin).arrivals(),
            (Arrivals{{0, 2, 110}, {0, 2, 210}, {1, 2, 310}, {0, 2, 410}}));
}

TEST(Fabric, RoundRobinTakesOneFrameOfEachSourceInTurn) {
  Play play(Layout(4, unit, latency), Discipline::round_robin);
  for (int i = 0; i < 3; ++i) play.send(1, 0, 1, 0);
  play.fabric.enter({2, 0, Bytes(1), nullptr}, Seconds(0.5));
  play.fabric.enter({3, 0, Bytes(1), nullptr}, Seconds(0.6));
  // They reach host 0's link at 0, 1 and 2, 0.5 and 0.6, each for a second: 2 and 3 wait when 1 has had its
  // turn.
  std::vector<Host> order;
  for (const Arrival& a : play.arrivals()) order.push_back(a.from);
  EXPECT_EQ(order, (std::vector<Host>{1, 2, 3, 1, 1}));
}

TEST(Fabric, RacksShareTheirUplink) {
  // Two flows between different pairs over one uplink of a host's rate: twice the time of either alone.
  Play play(Layout(4, unit, latency, 2, unit));
  for (int i = 0; i < 10; ++i) play.send(0, 2, 100, 0).send(1, 3, 100, 0);
  EXPECT_EQ(play.arrivals().back(), (Arrival{1, 3, 2010}));
}

TEST(Fabric, NeighboursDoNotUseTheUplink) {
  Play play(Layout(4, unit, latency, 2, BytesPerSecond(0.01)));
  EXPECT_EQ(play.send(0, 1, 100, 0).arrivals(), (Arrivals{{0, 1, 110}}));
}

TEST(Fabric, MulticastCrossesEachLinkOnce) {
  Play play(Layout(6, unit, latency, 3, unit));
  const Arrivals all = play.send(0, everyone, 100, 0).arrivals();
  EXPECT_EQ(all, (Arrivals{{0, 1, 110}, {0, 2, 110}, {0, 3, 110}, {0, 4, 110}, {0, 5, 110}}));
  const std::vector<Link>& links = play.fabric.layout().links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const bool idle = links[i].name == "h0 in" || links[i].name == "rack 0 down" ||
                      (links[i].name.ends_with("out") && links[i].name != "h0 out") ||
                      (links[i].name.ends_with("up") && links[i].name != "rack 0 up");
    EXPECT_EQ(play.fabric.traffic()[i].frames, idle ? 0u : 1u) << links[i].name;
    EXPECT_EQ(play.fabric.traffic()[i].bytes, Bytes(idle ? 0 : 100)) << links[i].name;
  }
}

TEST(Fabric, LateDriversDoNotDelay) {
  // Asked only long afterwards, the network says when things were due.
  Play play(Layout(2, unit, latency));
  play.send(0, 1, 100, 0);
  EXPECT_DOUBLE_EQ(play.fabric.next().value, 10);  // a latency ahead
  play.fabric.advance(Seconds(50), [&](const Frame&, Host, Seconds) { FAIL() << "too early"; });
  play.send(0, 1, 100, 60);  // waits for the first
  EXPECT_EQ(play.arrivals(), (Arrivals{{0, 1, 110}, {0, 1, 210}}));
}

}  // namespace

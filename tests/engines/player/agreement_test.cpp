// SPDX-License-Identifier: Apache-2.0
// The player on the analytic network takes exactly the time of the critical path.
#include <gtest/gtest.h>

#include <cmath>

#include "engines/player/player.hpp"
#include "model/critical_path.hpp"
#include "model/lowering.hpp"
#include "tests/engines/channels_pay.hpp"
#include "tests/engines/player/schedules.hpp"

namespace collcast {
namespace {

using namespace literals;

void expect_near(Seconds got, Seconds expected, const std::string& what) {
  EXPECT_NEAR(got.value, expected.value, 1e-12 * std::abs(expected.value)) << what;
}

void expect_agreement(const testing::Case& which, Rank ranks, Bytes whole, const Fabric& base) {
  const testing::ChannelsPay fabric(base);
  const Schedule schedule = which.make(ranks);
  const Layout layout = Layout::equal(whole, schedule.blocks);
  const PathResult path = critical_path(schedule, layout, fabric);
  const auto played = play(*program(schedule, layout), fabric);
  const std::string what =
      which.name + ", " + std::to_string(ranks) + " ranks, " + std::to_string(whole.value) + " bytes";
  expect_near(played.time, path.time, what);
  for (std::size_t r = 0; r < path.finish.size(); ++r)
    expect_near(played.ranks[r].finish, path.finish[r], what + ", rank " + std::to_string(r));
  if (which.name.starts_with("multicasts")) return;  // a multicast's copies share the sender's port
  for (std::size_t p = 0; p < path.busy.size(); ++p)
    expect_near(played.ports[p].busy, path.busy[p], what + ", port " + std::to_string(p));
}

template <class Machine>
void expect_agreement(const Machine& machine) {
  for (const testing::Case& which : testing::cases())
    for (Rank ranks = 1; ranks <= 17; ++ranks)
      for (const Bytes whole : {0_B, 1_B, 1000_B, 1_MiB})
        expect_agreement(which, ranks, whole, UniformFabric(machine, ranks));
}

constexpr Seconds us(double t) {
  return Seconds(t * 1e-6);
}

TEST(Agreement, AlphaBetaGamma) {
  expect_agreement(AlphaBetaGamma{us(1.3), 1.0 / 12.5_GBps, SecondsPerByte(7e-11)});
}
TEST(Agreement, LogGPEager) {
  expect_agreement(LogGP{us(1.3), us(0.4), us(0.7), 1.0 / 12.5_GBps, SecondsPerByte(7e-11)});
}
TEST(Agreement, LogGPWithoutOverhead) {
  expect_agreement(LogGP{us(0.05), {}, {}, 1.0 / 12.5_GBps, {}});
}
TEST(Agreement, LogGPRendezvous) {
  expect_agreement(LogGP{us(1.3), us(0.4), us(0.7), 1.0 / 12.5_GBps, SecondsPerByte(7e-11), Bytes(-1)});
}
TEST(Agreement, LogGPInPieces) {
  const LogGP m{us(1.3), us(0.4), us(0.7), 1.0 / 12.5_GBps, SecondsPerByte(7e-11)};
  for (const testing::Case& which : testing::cases())
    for (Rank ranks = 1; ranks <= 17; ++ranks)
      for (const Bytes whole : {0_B, 1_B, 1000_B, 1_MiB})
        expect_agreement(which, ranks, whole, testing::PacedFabric(m, ranks, 500_B, 2.5));
}

/// A message costs its sender more if the receiver's last one came from another sender.
class Queues : public UniformFabric {
 public:
  Queues(const LogGP& m, Rank ranks) : UniformFabric(m, ranks), protocol_(UniformFabric::protocol()) {
    protocol_.other_senders = true;
  }
  Wire wire(Place from, Place to, Bytes bytes) const override {
    Wire w = UniformFabric::wire(from, to, bytes);
    w.other_sender = us(0.3);
    return w;
  }
  const MessageProtocol& protocol() const override { return protocol_; }

 private:
  MessageProtocol protocol_;
};
TEST(Agreement, LogGPWithQueues) {
  const LogGP m{us(1.3), us(0.4), us(0.7), 1.0 / 12.5_GBps, SecondsPerByte(7e-11), 500_B};
  for (const testing::Case& which : testing::cases())
    for (Rank ranks = 1; ranks <= 17; ++ranks)
      for (const Bytes whole : {0_B, 1000_B, 1_MiB}) expect_agreement(which, ranks, whole, Queues(m, ranks));
}
/// Ports take messages in faster than any link on their way brings them.
class FastReceivers : public UniformFabric {
 public:
  using UniformFabric::UniformFabric;
  Wire wire(Place from, Place to, Bytes bytes) const override {
    Wire w = UniformFabric::wire(from, to, bytes);
    w.spare_in = 0.6 * w.per_byte;
    return w;
  }
};
TEST(Agreement, LogGPWithFastReceivers) {
  const LogGP m{us(1.3), us(0.4), us(0.7), 1.0 / 12.5_GBps, SecondsPerByte(7e-11), 500_B};
  for (const testing::Case& which : testing::cases())
    for (Rank ranks = 1; ranks <= 17; ++ranks)
      for (const Bytes whole : {0_B, 1000_B, 1_MiB})
        expect_agreement(which, ranks, whole, FastReceivers(m, ranks));
}
TEST(Agreement, LogGPBothProtocols) {
  expect_agreement(LogGP{us(1.3), us(0.4), us(0.7), 1.0 / 12.5_GBps, {}, 500_B});
}

}  // namespace
}  // namespace collcast

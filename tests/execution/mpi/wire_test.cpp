// SPDX-License-Identifier: Apache-2.0
// Law 5 over the whole catalogue: the messages and bytes that MPI is given equal the schedule's.
#include <gtest/gtest.h>

#include "execution/mpi/player.hpp"
#include "tests/execution/mpi/calls.hpp"
#include "tests/execution/mpi/wire.hpp"
#include "tests/execution/mpi/world.hpp"
#include "tests/names.hpp"

namespace collcast::mpi {
namespace {

/// Messages between ranks and their bytes; a multicast is one message to each receiver, a
/// reduction in the network one from each sender.
struct Expected {
  std::int64_t messages = 0, in_network = 0;
  Bytes bytes;
};

Expected expected(const Schedule& schedule, const Layout& layout) {
  Expected sum;
  for_each_step(schedule, true, [&](const Step& step) {
    for (const Transfer& t : step.transfers) {
      if (t.from.rank == t.to.rank) continue;  // between two memories: MPI does not see it
      ++sum.messages;
      sum.bytes += layout.size(step, t);
    }
    for (const Multicast& m : step.multicasts) {
      Rank receivers = 0;
      for (Rank i = 0; i < m.to.count; ++i) receivers += m.to[i] != m.from.rank;
      ++sum.in_network;
      sum.messages += receivers;
      sum.bytes += receivers * layout.size(m.chunk);
    }
    for (const Reduction& m : step.reductions) {
      Rank senders = 0;
      for (Rank i = 0; i < m.from.count; ++i) senders += m.from[i] != m.to.rank;
      ++sum.in_network;
      sum.messages += senders;
      sum.bytes += senders * layout.size(m.chunk);
    }
  });
  return sum;
}

/// As many elements as blocks, or a multiple: then blocks are whole elements, and Layout's real numbers
/// exact.
Call with_whole_blocks(const Algorithm& a, const Call& shape) {
  std::size_t n = 1;
  for (int i = 0; i < 16; ++i) {
    const auto blocks = static_cast<std::size_t>(a.schedule(with_elements(a, shape, n)).blocks);
    if (n % blocks == 0) break;
    n = (n / blocks + 1) * blocks;
  }
  return with_elements(a, shape, n);
}

Wire sent_by_all(const Algorithm& algorithm, const Call& call) {
  Player player(algorithm, call, MPI_DOUBLE, MPI_SUM, world());
  std::vector<double> send(player.sent()), recv(player.received());
  wire() = {};
  player.run(send.data(), recv.data());
  std::int64_t mine[2] = {wire().messages, wire().bytes}, all[2] = {};
  MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, world()->handle());
  return {all[0], all[1]};
}

class Law5 : public ::testing::TestWithParam<const Algorithm*> {};

TEST_P(Law5, WireEqualsSchedule) {
  const Algorithm& a = *GetParam();
  for_each_call(a, world()->size(), [&](const Call& shape) {
    const Call call = with_whole_blocks(a, shape);
    const Schedule schedule = a.schedule(call);
    const Expected wanted = expected(schedule, layout(a, call, schedule));
    const Wire got = sent_by_all(a, call);
    EXPECT_EQ(got.messages, wanted.messages) << describe(a, call);
    EXPECT_NEAR(static_cast<double>(got.bytes), wanted.bytes.value, 1e-9 * wanted.bytes.value)
        << describe(a, call);
    if (wanted.in_network == 0) {
      EXPECT_EQ(got.messages, traffic(schedule).messages) << describe(a, call);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Law5, whole_catalogue(), test_name);

}  // namespace
}  // namespace collcast::mpi

// SPDX-License-Identifier: Apache-2.0
#include "libraries/chooser.hpp"

#include <gtest/gtest.h>

#include "libraries/policy.hpp"
#include "model/load.hpp"
#include "platforms/description/load.hpp"
#include "tests/complaint.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace literals;
using collcast::testing::complaint;

/// Two nodes of six ranks each.
class Choosers : public ::testing::Test {
 protected:
  Request request(Collective collective, std::span<const Rank> members, Bytes message) const {
    return {collective, members, {.ranks = static_cast<Rank>(members.size()), .message = message}};
  }

  const Description summit = load_platform("summit");
  const Machine machine{summit, 12};
  const std::vector<Rank> node = {0, 1, 2, 3}, across = {0, 6}, all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
};

TEST_F(Choosers, KnowHowMembersSit) {
  for (const auto& [members, nodes, on_a_node] :
       {std::tuple{node, 1, 4}, {across, 2, 1}, {all, 2, 6}, {std::vector<Rank>{0, 1, 2, 6}, 2, 3}}) {
    EXPECT_EQ(occupancy(machine, members).nodes, nodes);
    EXPECT_EQ(occupancy(machine, members).on_a_node, on_a_node);
  }
  EXPECT_EQ(occupancy(machine).nodes, 2);
}

TEST_F(Choosers, TakeTheOneThatIsNamed) {
  const Algorithm& ring = algorithm(Collective::allreduce, "ring");
  EXPECT_EQ(named(machine, ring)(request(Collective::allreduce, node, 1_MiB)).algorithm, &ring);
  const Algorithm& doubling = algorithm(Collective::allgather, "recursive-doubling");
  EXPECT_NE(complaint([&] { named(machine, doubling)(request(Collective::allgather, all, 1_MiB)); }), "");
}

TEST_F(Choosers, TakeTheFastestAmongTheMembers) {
  const Choice choice = fastest_on(machine)(request(Collective::allreduce, across, 64_MiB));
  const MemberFabric fabric(machine, across);
  for (const Algorithm* a : common_algorithms(Collective::allreduce)) {
    if (!a->supports(2)) continue;
    const Call call = with_parameters(fabric, *a, {.ranks = 2, .message = 64_MiB});
    EXPECT_LE(path_time(fabric, *choice.algorithm, choice.call, Seconds(1e9)).value,
              path_time(fabric, *a, call, Seconds(1e9)).value)
        << full_name(*a);
  }
}

/// Formulas and bounds spare readings, of the same algorithm, at the same time; so does one that is too high.
TEST(Fastest, IsWhatAllReadingsSay) {
  testing::EachOrOneIn tried(5);
  for (const auto& [platform, ranks] :
       {std::pair{"flat", 2}, {"flat", 6}, {"flat", 16}, {"dgx-h100", 24}, {"summit", 6}})
    for (const Collective collective :
         {Collective::allgather, Collective::allreduce, Collective::alltoall, Collective::broadcast,
          Collective::reduce_scatter, Collective::reduce})
      for (const Bytes message : {1_KiB, 64_KiB, 64_MiB}) {
        if (!tried()) continue;
        const Machine machine(load_platform(platform), ranks);
        const std::vector<const Algorithm*> able = algorithms(collective);
        const Choice choice = fastest(machine, able, {.ranks = ranks, .message = message});
        const auto time = [&](const Algorithm& a, const Call& c) {
          const Schedule s = a.schedule(c);
          const Seconds links =
              machine.hockney() ? Seconds() : heaviest(machine, traffic(s, layout(a, c, s))).time;
          return std::max(links, path_time(machine, a, c, Seconds(1e9)));
        };
        for (const Algorithm* a : able) {
          if (!a->supports(ranks)) continue;
          const Call call = with_parameters(machine, *a, {.ranks = ranks, .message = message});
          EXPECT_LE(time(*choice.algorithm, choice.call).value, time(*a, call).value) << full_name(*a);
        }
      }
}

TEST_F(Choosers, TakeWhatTheLibraryWould) {
  for (const std::string policy : {"mpich", "openmpi-4.1", "nccl-2.18"}) {
    const Chooser chooser = by_policy(policy, summit, machine, machine);
    for (const auto& members : {node, across, all})
      for (const Bytes message : {8_B, 64_KiB, 16_MiB}) {
        const Request asked = request(Collective::allreduce, members, message);
        const Pick expected = pick(policy, asked.collective, asked.call,
                                   situation(summit, occupancy(machine, members), policy));
        const Choice choice = chooser(asked);
        EXPECT_EQ(choice.staged, policy == "openmpi-4.1");  // Summit's GPUs
        EXPECT_EQ(choice.algorithm->name,
                  std::string(expected.algorithm) + (choice.staged ? " in host memory" : ""))
            << policy << ", " << members.size() << " ranks";
        EXPECT_EQ(choice.protocol, expected.protocol);
        EXPECT_NE(choice.why, "");
      }
  }
}

/// A library may say Bruck's for short messages; of an alltoallv each pair of ranks knows its own size only.
TEST_F(Choosers, SendStraightWhatOnlyTwoKnow) {
  for (const Chooser& chooser : {named(machine, algorithm(Collective::alltoall, "bruck")),
                                 fastest_on(machine), by_policy("mpich", summit, machine, machine)}) {
    Request asked = request(Collective::alltoall, all, 12_B);
    asked.direct = true;
    EXPECT_TRUE(goes_direct(*chooser(asked).algorithm));
  }
}

TEST_F(Choosers, NameUnknownPolicies) {
  EXPECT_EQ(complaint([] { check_policy("openmpi-4.2"); }),
            "unknown policy 'openmpi-4.2'; did you mean 'openmpi-4.0' or 'openmpi-4.1'?");
  EXPECT_EQ(complaint([] { check_policy("mpich:algo=Ring"); }),
            "policy 'mpich:algo=Ring': mpich has no settings; NCCL's releases have");
}

}  // namespace
}  // namespace collcast

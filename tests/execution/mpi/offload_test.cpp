// SPDX-License-Identifier: Apache-2.0
// Workers play for ranks: who serves whom, and that results are the MPI library's.
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "execution/check/reference.hpp"
#include "execution/offload/forecast.hpp"
#include "execution/offload/offloaded.hpp"
#include "support/error.hpp"
#include "tests/execution/mpi/world.hpp"

namespace collcast::mpi {
namespace {

/// Plays twice with different data. On ranks: where the results differ from the library's.
void expect_right(Offloaded& offloaded, const Team& team, const std::string& what) {
  if (team.worker()) return offloaded.serve();
  const Player& player = offloaded.player();
  auto* send = reinterpret_cast<std::int64_t*>(offloaded.send());
  auto* recv = reinterpret_cast<std::int64_t*>(offloaded.recv());
  for (int play = 0; play < 2; ++play) {
    for (std::size_t i = 0; i < player.sent(); ++i)
      send[i] = static_cast<std::int64_t>(i * 31) + 1000 * play + team.peers()->rank();
    std::vector<std::int64_t> wanted(player.received());
    offloaded.start();
    offloaded.wait();
    reference(player.part(), player.elements(), player.blocks(), send, wanted.data(), MPI_INT64_T, MPI_SUM,
              team.peers()->handle());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (recv[i] != wanted[i]) {
        ADD_FAILURE() << what << ": element " << i << " is " << recv[i] << ", should be " << wanted[i];
        break;
      }
  }
  offloaded.dismiss();
}

class Offload : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (2 * GetParam() > world()->size()) GTEST_SKIP() << "too few processes";
  }
};

TEST_P(Offload, PlaysWhatRanksAskFor) {
  const Team team(*world(), GetParam());
  for (const char* name : {"allreduce", "broadcast", "allgather", "alltoall", "reduce", "scatter"})
    for (const Algorithm* a : algorithms(definition(name).collective)) {
      if (!a->supports(team.ranks())) continue;
      Call call;
      call.ranks = team.ranks();
      call.message = Bytes(8.0 * 1009 * team.ranks());
      call.segments = a->segmented ? 3 : 1;
      call.root = team.ranks() - 1;
      Offloaded offloaded(*a, call, MPI_INT64_T, MPI_SUM, team);
      expect_right(offloaded, team, std::string(name) + " " + std::string(a->name));
    }
}

TEST_P(Offload, EveryRankHasOneWorkerOfItsMachine) {
  const Team team(*world(), GetParam());
  EXPECT_EQ(team.ranks(), world()->size() - GetParam());
  EXPECT_EQ(team.peers()->size(), team.worker() ? GetParam() : team.ranks());
  for (int worker : team.worker_of()) EXPECT_TRUE(0 <= worker && worker < GetParam());
  int served = static_cast<int>(team.served().size()), all = 0;
  MPI_Allreduce(&served, &all, 1, MPI_INT, MPI_SUM, world()->handle());
  EXPECT_EQ(all, team.ranks());
  for (const Team::Served& s : team.served())
    EXPECT_EQ(team.worker_of()[static_cast<std::size_t>(s.rank)], team.peers()->rank());
}

TEST_P(Offload, ProbesWhatItsForecastNeeds) {
  const Team team(*world(), GetParam());
  const SharedClock clock(*world());
  const OverlapModel model = probe_overlap(*world(), team, Bytes(1 << 20), clock);
  EXPECT_TRUE(model.workers);
  EXPECT_GT(model.handoff.all, model.handoff.start);
  EXPECT_GT(model.handoff.start.value, 0);
  if (GetParam() > 1) {
    EXPECT_GT(model.network.L.value, 0);
    EXPECT_GT(model.network.S.value, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, Offload, ::testing::Values(1, 2, 3));

TEST(Team, HasAsManyRanksAsWorkers) {
  const int all = world()->size();
  try {
    Team(*world(), all);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InputError& e) {
    EXPECT_EQ(e.what(), std::to_string(all) +
                            " workers per machine serve as many ranks or more, but of the " +
                            std::to_string(all) + " processes on a machine only 0 are left as ranks");
  }
}

TEST(Overlap, IsTheShareThatDoesNotShow) {
  EXPECT_EQ((Overlap{10, 10, 10}.percent()), 100);
  EXPECT_EQ((Overlap{10, 10, 20}.percent()), 0);
  EXPECT_EQ((Overlap{10, 10, 25}.percent()), 0);
  EXPECT_EQ((Overlap{10, 8, 13}.percent()), 50);
  EXPECT_EQ((Overlap{0, 0, 0}.percent()), 0);
}

/// L = 10 s, nothing else: a relay over two hops takes 20; alone with a rank that computes 20 s, 30.
TEST(Overlap, OfARankThatBringsItOnItself) {
  OverlapModel model;
  model.network.L = Seconds(10);
  Call call;
  call.ranks = 4;
  const Algorithm& binomial = algorithm(Collective::broadcast, "knomial");
  const Overlap own = predict_overlap(model, binomial, call);
  EXPECT_DOUBLE_EQ(own.pure_s, 20);
  EXPECT_DOUBLE_EQ(own.total_s, 30);
  EXPECT_DOUBLE_EQ(own.percent(), 50);
  model.workers = true;
  model.handoff = {Seconds(1), Seconds(5)};
  const Overlap offloaded = predict_overlap(model, binomial, call);
  EXPECT_DOUBLE_EQ(offloaded.pure_s, 25);
  EXPECT_DOUBLE_EQ(offloaded.total_s, 26);
  EXPECT_DOUBLE_EQ(offloaded.percent(), 96);
}

}  // namespace
}  // namespace collcast::mpi

// SPDX-License-Identifier: Apache-2.0
// NCCL's collectives in replays: single operations that take what `predict` says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "forecast/group.hpp"
#include "forecast/library.hpp"
#include "platforms/description/load.hpp"
#include "replay/application/replay.hpp"
#include "replay/formats/formats.hpp"
#include "replay/source/nonblocking.hpp"
#include "replay/source/recorded.hpp"
#include "support/error.hpp"
#include "tests/folder.hpp"
#include "tests/shared_data.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;

Activity computing(double seconds) {
  Activity a;
  a.time = Seconds(seconds);
  return a;
}
Activity summed(double bytes, int communicator = 0) {
  Activity a;
  a.kind = Kind::collective;
  a.operation = a.call = "allreduce";
  a.collective = Collective::allreduce;
  a.communicator = communicator;
  a.message = Bytes(bytes);
  return a;
}

ReplayReport replayed(const Source& source, const Description& platform, const std::string& policy) {
  ReplayOptions options;
  options.policy = policy;
  return replay(source, platform, options);
}

Seconds forecast(const Description& platform, Rank ranks, double bytes) {
  const Call call{.ranks = ranks, .message = Bytes(bytes), .ranks_per_node = ranks};
  return Library("nccl-2.8", platform, ranks)
      .predict(Collective::allreduce, call, engine("path"))
      .prediction.time;
}

/// The last rank comes after 7 ms; then both allreduces take what is forecast of them, one after the other.
TEST(Prices, AreThoseOfPredict) {
  const Description dgx = load_platform("dgx-1v");
  RecordedSource step(8);
  for (Rank r = 0; r < 8; ++r) step.at(r) = {computing(1e-3 * r), summed(1 << 20), summed(4096)};
  const ReplayReport r = replayed(step, dgx, "nccl-2.8");
  EXPECT_DOUBLE_EQ(r.time.value, (Seconds(7e-3) + forecast(dgx, 8, 1 << 20) + forecast(dgx, 8, 4096)).value);
  EXPECT_EQ(r.operations[0].algorithm, "multi-ring LL, multi-ring LL128");
  EXPECT_LT(r.low, r.time);
  EXPECT_GT(r.high, r.time);
  Seconds sum;
  for (const Share& s : r.explanation) sum += s.time;
  EXPECT_NEAR(sum / r.time, 1, 1e-9);
  EXPECT_EQ(r.explanation[1].cause, Cause::collective);
  EXPECT_TRUE(r.explanation[1].name.starts_with("allreduce: ")) << r.explanation[1].name;
}

/// Twice the bandwidth of the cards between nodes speeds up a large allreduce as it does in `predict`.
TEST(Prices, MoveAsTheMachineDoes) {
  RecordedSource step(12);
  for (Rank r = 0; r < 12; ++r) step.at(r) = {summed(1 << 28)};
  Description summit = load_platform("summit");
  const Seconds before = replayed(step, summit, "nccl-2.8").time;
  set_all(summit, {"network.bandwidth_GBps=6"});
  EXPECT_GT(replayed(step, summit, "nccl-2.8").time / before, 1.3);
}

Activity exchanged(double bytes) {
  Activity a = summed(bytes);
  a.operation = a.call = "alltoall";
  a.collective = Collective::alltoall;
  return a;
}

/// DPUs begin when the last rank has come, 1 ms late, and are waited for when a rank has computed on.
TEST(Prices, OfDpusHideBehindComputation) {
  const Description bluefield = load_platform("bluefield-2-cluster");
  const Seconds taken = OffloadedGroups(bluefield, 4)
                            .predict(Collective::alltoall, *group_of({0, 1, 2, 3}, 4), Bytes(1 << 20))
                            .time;
  const auto time = [&](double compute) {
    auto recorded = std::make_unique<RecordedSource>(4);
    for (Rank r = 0; r < 4; ++r)
      recorded->at(r) = {computing(r == 2 ? 1e-3 : 0), exchanged(1 << 20), computing(compute)};
    const auto started = nonblocking(*recorded, {Collective::alltoall});
    ReplayOptions options;
    options.offloaded = {.collectives = {Collective::alltoall}, .pieces = 4};
    const ReplayReport r = replay(*started, bluefield, options);
    EXPECT_TRUE(r.operations.front().algorithm.ends_with(" by DPUs")) << r.operations.front().algorithm;
    EXPECT_EQ(r.low < r.time, compute < taken.value);
    EXPECT_EQ(r.high > r.time, compute < taken.value);
    return r.time.value;
  };
  EXPECT_NEAR(time(1e-6), 1e-3 + taken.value, 1e-12);
  EXPECT_NEAR(time(taken.value + 1e-3), 2e-3 + taken.value, 1e-12);
}

TEST(Prices, OfDpusNeedWhatTheyCanPlay) {
  RecordedSource step(4);
  for (Rank r = 0; r < 4; ++r) step.at(r) = {exchanged(1 << 20)};
  const auto error = [&](const char* platform, const ReplayOptions& options) {
    try {
      replay(step, load_platform(platform), options);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  ReplayOptions options;
  options.offloaded.collectives = {Collective::alltoall};
  EXPECT_NE(error("summit", options).find("no DPU"), std::string::npos) << error("summit", options);
  options.offloaded.collectives = {Collective::allreduce};
  EXPECT_NE(error("bluefield-2-cluster", options).find("DPUs can play none of its allreduce"),
            std::string::npos);
  options.placement.order = Placement::round_robin;
  EXPECT_NE(error("bluefield-2-cluster", options).find("block placement"), std::string::npos);
}

TEST(Prices, SayWhatHasNone) {
  const Description dgx = load_platform("dgx-1v");
  RecordedSource partial(8);
  const int some = partial.communicator("some", {0, 1}), others = partial.communicator("others", {2, 3}),
            apart = partial.communicator("apart", {4, 5, 7});
  for (const Rank r : {0, 1}) partial.at(r) = {summed(1024, some)};
  for (const Rank r : {2, 3}) partial.at(r) = {summed(1024, others)};
  for (const Rank r : {4, 5, 7}) partial.at(r) = {summed(1024, apart)};
  const ReplayReport r = replayed(partial, dgx, "nccl-2.8");
  ASSERT_EQ(r.notes.size(), 2u);
  EXPECT_EQ(
      r.notes[0],
      "allreduce of groups whose likes are not all of the ranks: played as messages of the platform's own "
      "software");
  EXPECT_EQ(r.notes[1],
            "allreduce of ranks at no regular distances: played as messages of the platform's own software");
  RecordedSource two_nodes(16);
  const int across = two_nodes.communicator("across", {6, 7, 8, 9});
  for (const Rank rank : {6, 7, 8, 9}) two_nodes.at(rank) = {summed(1024, across)};
  const ReplayReport across_nodes = replayed(two_nodes, dgx, "nccl-2.8");
  ASSERT_EQ(across_nodes.notes.size(), 1u);
  EXPECT_EQ(across_nodes.notes[0],
            "allreduce of ranks that begin within a node and end on another: played as messages of the "
            "platform's own software");
}

/// The first GPUs of two nodes of DGX-1V, alone or beside those in the other places: these share the cards.
TEST(Prices, OfAGroupWithoutLikesAreItsOwn) {
  const Description dgx = load_platform("dgx-1v");
  constexpr double message = 64 << 20;
  const auto time_of = [&](int groups) {
    RecordedSource source(16);
    for (Rank place = 0; place < groups; ++place) {
      const int across = source.communicator(std::to_string(place), {place, 8 + place});
      for (const Rank r : {place, 8 + place}) source.at(r) = {summed(message, across)};
    }
    const ReplayReport r = replayed(source, dgx, "nccl-2.8");
    EXPECT_TRUE(r.notes.empty()) << r.notes[0];
    return r.time;
  };
  RankGroup first{.dimensions = {{2, 8}}, .world = 16, .alone = true};
  EXPECT_DOUBLE_EQ(
      time_of(1).value,
      GroupForecaster(dgx, "nccl-2.8").predict(Collective::allreduce, first, Bytes(message)).time.value);
  EXPECT_GT(time_of(8).value, 1.9 * time_of(1).value);  // eight groups on four cards
}

/// An allreduce that went node by node takes what its parts take: all GPUs have their shares of the network's
/// part, or the first of each node have all of it.
TEST(Prices, OfAHierarchyAreThoseOfItsParts) {
  const Description dgx = load_platform("dgx-1v");
  constexpr double message = 64 << 20;
  GroupForecaster forecaster(dgx, "nccl-2.8");
  const RankGroup node{.dimensions = {{8, 1}}, .world = 16};
  const auto part = [&](Collective c, const RankGroup& group, double bytes) {
    return forecaster.predict(c, group, Bytes(bytes)).time;
  };
  const auto time_of = [&](const std::vector<Phase>& phases) {
    RecordedSource source(16);
    source.info().by_node = 1;
    for (Rank r = 0; r < 16; ++r) {
      Activity a = summed(message, 0);
      a.phases = std::make_shared<const std::vector<Phase>>(phases);
      source.at(r) = {a};
    }
    const ReplayReport r = replayed(source, dgx, "nccl-2.8");
    EXPECT_TRUE(r.notes[0].ends_with("2 nodes of 8 ranks, as the platform has them")) << r.notes[0];
    EXPECT_TRUE(replayed(source, load_platform("summit"), "nccl-2.8").notes[0].find("are flat here") !=
                std::string::npos);
    return r.time;
  };
  using enum Collective;
  const RankGroup all_across{.dimensions = {{2, 8}}, .world = 16};
  RankGroup first_across = all_across;
  first_across.alone = true;
  const Seconds shared = part(reduce_scatter, node, message) + part(allreduce, all_across, message / 8) +
                         part(allgather, node, message);
  EXPECT_NEAR(time_of({{reduce_scatter}, {allreduce}, {allgather}}).value, shared.value, 1e-9 * shared.value);
  const Seconds rooted =
      part(reduce, node, message) + part(allreduce, first_across, message) + part(broadcast, node, message);
  EXPECT_NEAR(time_of({{reduce}, {allreduce}, {broadcast}}).value, rooted.value, 1e-9 * rooted.value);
}

RecordedSource of_a_message(Rank ranks, double bytes) {
  RecordedSource pair(ranks);
  pair.info().by_mpi = false, pair.info().memory = Memory::device;
  Activity a;
  a.kind = Kind::send, a.operation = a.call = "send", a.to = ranks - 1, a.bytes = Bytes(bytes);
  pair.at(0) = {a};
  a.kind = Kind::receive, a.from = 0, a.received_bytes = Bytes(bytes);
  pair.at(ranks - 1) = {a};
  return pair;
}

Seconds path_time(const Source& source, const Description& platform, const std::string& policy) {
  ReplayOptions options;
  options.policy = policy, options.engine = &engine("path");
  return replay_time(source, platform, options);
}

/// A kernel is launched at both ends, then LL, LL128 or Simple carries the bytes; between nodes chunk follows
/// chunk.
TEST(Prices, MessagesGoByNcclToo) {
  const Description platform = load_platform("abci-v");
  for (const char* policy : {"nccl-2.18", "nccl-2.18:proto=LL128"})
    for (const Rank ranks : {2, 8})
      for (const double bytes : {4096.0, 33554432.0}) {
        RecordedSource pair = of_a_message(ranks, bytes);
        const Call call{.ranks = ranks, .message = Bytes(bytes)};
        const Seconds alone = Library(policy, platform, ranks)
                                  .predict(Collective::sendrecv, call, engine("path"))
                                  .prediction.time;
        EXPECT_NEAR(path_time(pair, platform, policy) / alone, 1, 1e-9)
            << policy << ' ' << ranks << ' ' << bytes;
        pair.info().by_mpi = true;
        EXPECT_GT(std::abs(path_time(pair, platform, policy) / alone - 1), 0.05) << ranks << ' ' << bytes;
      }
}

TEST(Prices, ProtocolsThatTheMachineCannotRunAreRefused) {
  const RecordedSource pair = of_a_message(4, 4096);
  EXPECT_THROW(path_time(pair, load_platform("hkbu-v100"), "nccl-2.8:proto=LL128"), InputError);
}

/// More than a channel's slots holds up the sender's stream until it has left, and waits for its receiver.
TEST(Prices, LongMessagesHoldTheirStreams) {
  const Description platform = load_platform("abci-v");
  for (const Rank ranks : {2, 8}) {
    RecordedSource pair = of_a_message(ranks, 1 << 25);
    const Seconds alone = path_time(pair, platform, "nccl-2.18");
    pair.at(0).push_back(computing(10e-3));
    EXPECT_NEAR((path_time(pair, platform, "nccl-2.18") - alone).value, 10e-3, 0.03e-3) << ranks;
    pair = of_a_message(ranks, 1 << 25);
    pair.at(ranks - 1).insert(pair.at(ranks - 1).begin(), computing(20e-3));
    pair.at(0).push_back(computing(10e-3));
    EXPECT_NEAR((path_time(pair, platform, "nccl-2.18") - alone).value, 30e-3, 0.03e-3) << ranks;
  }
}

/// A collective that is played as messages is launched, too.
TEST(Prices, WhatIsPlayedAsMessagesIsLaunched) {
  const Description dgx = load_platform("dgx-1v");
  RecordedSource lonely(8);
  lonely.info().by_mpi = false, lonely.info().memory = Memory::device;
  const int apart = lonely.communicator("apart", {3, 4, 6});
  for (const Rank r : {3, 4, 6}) lonely.at(r) = {summed(1024, apart)};
  const ReplayReport r = replayed(lonely, dgx, "nccl-2.8");
  const auto launch = std::ranges::find(r.explanation, "launch", &Share::name);
  ASSERT_NE(launch, r.explanation.end());
  EXPECT_GT(launch->time, Seconds(1e-6));
}

/// The time goes on at the size where the first chunk is all.
TEST(Prices, ChunksBeginWithoutAStep) {
  for (const char* name : {"dgx-h100", "abci-v"}) {
    const Description platform = load_platform(name);
    const Library nccl("nccl-2.18", platform, 16);
    const auto time = [&](double bytes) {
      return nccl.predict(Collective::sendrecv, {.ranks = 16, .message = Bytes(bytes)}, engine("path"))
          .prediction.time;
    };
    EXPECT_LT(time(262145) / time(262144), 1.0001) << name;
    EXPECT_GE(time(262145) / time(262144), 1) << name;
  }
}

/// 32 MiB between nodes take what the card takes, 12.12 GB/s, and little more: no kernel holds them up first.
TEST(Prices, LongMessagesFillTheCard) {
  const Description abci = load_platform("abci-v");
  const Call call{.ranks = 8, .message = Bytes(1 << 25)};
  const Seconds time =
      Library("nccl-2.8", abci, 8).predict(Collective::sendrecv, call, engine("path")).prediction.time;
  const Seconds on_the_card = call.message / BytesPerSecond(12.12e9);
  EXPECT_GT(time, on_the_card);
  EXPECT_LT(time, 1.05 * on_the_card);
}

TEST(Prices, ForcedAlgorithmsAreOfTheLibrary) {
  const Description dgx = load_platform("dgx-1v");
  RecordedSource step(8);
  for (Rank r = 0; r < 8; ++r) step.at(r) = {summed(1 << 20)};
  ReplayOptions options;
  options.policy = "nccl-2.8", options.algorithms = {{"allreduce", "double-tree"}};
  const ReplayReport tree = replay(step, dgx, options);
  EXPECT_EQ(tree.operations[0].algorithm, "double-tree");
  EXPECT_NE(tree.time, replayed(step, dgx, "nccl-2.8").time);
  for (Rank r = 0; r < 8; ++r) step.at(r)[0].algorithm = "double-tree";  // as described jobs do
  const ReplayReport described = replayed(step, dgx, "nccl-2.8");
  EXPECT_EQ(described.operations[0].algorithm, "double-tree");
  EXPECT_EQ(described.time, tree.time);
}

TEST(Prices, AreTheDefaultOfWhatNcclSent) {
  RecordedSource step(2);
  EXPECT_EQ(policy_for(step, load_platform("dgx-1v")), "fastest");
  step.info().by_mpi = false;
  EXPECT_EQ(policy_for(step, load_platform("dgx-1v")), "nccl-2.8");
  EXPECT_EQ(policy_for(step, load_platform("flat")), "fastest");
}

/// Facebook's DLRM on eight V100, recorded by the PyTorch profiler: the step and the time that ranks are in
/// collectives, waiting included, to a twentieth; parameters come from elsewhere.
TEST(Prices, AStepOfDlrmTakesWhatWasRecorded) {
  const auto packed = shared_data("traces/kineto/param_dlrm_8xV100_kineto.tar.gz");
  if (!std::filesystem::exists(packed)) GTEST_SKIP() << packed << " is not there (COLLCAST_DATA names it)";
  const Folder folder;
  ASSERT_EQ(std::system(("tar -xzf '" + packed.string() + "' -C '" + folder.path() + "'").c_str()), 0);
  std::vector<std::string> files;
  for (const auto& f : std::filesystem::recursive_directory_iterator(folder.path()))
    if (f.is_regular_file()) files.push_back(f.path());
  const auto source = open_source(files);
  const ReplayReport r = replayed(*source, load_platform("dgx-1v"), "");
  EXPECT_EQ(r.policy, "nccl-2.8");
  EXPECT_NEAR(r.recorded.value, 20.8e-3, 0.1e-3);
  EXPECT_NEAR(r.time / r.recorded, 1, 0.05);
  for (const auto& o : r.operations) EXPECT_NEAR(o.time / o.recorded, 1, 0.05) << o.name;
}

}  // namespace
}  // namespace collcast

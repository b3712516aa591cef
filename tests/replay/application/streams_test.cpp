// SPDX-License-Identifier: Apache-2.0
// Streams of a rank, by hand-made sources on a machine of alpha = 1 s and 1 GB/s.
#include <gtest/gtest.h>

#include "platforms/description/load.hpp"
#include "replay/application/moments.hpp"
#include "replay/application/replay.hpp"
#include "replay/source/inspection.hpp"
#include "replay/source/recorded.hpp"
#include "tests/complaint.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;

Activity lasting(Kind kind, double seconds) {
  Activity a;
  a.kind = kind;
  a.time = Seconds(seconds);
  return a;
}
Activity allreduce_of(double bytes) {
  Activity a;
  a.kind = Kind::collective;
  a.operation = a.call = "allreduce";
  a.collective = Collective::allreduce;
  a.message = Bytes(bytes);
  return a;
}
Activity record() {
  return lasting(Kind::record, 0);
}
Activity await(int stream, std::int64_t count) {
  Activity a = lasting(Kind::await, 0);
  a.stream = stream;
  a.count = count;
  return a;
}

ReplayReport on_flat(const Source& source, const std::string& policy = {}) {
  Description flat = load_platform("flat");
  set_all(flat, {"network.latency_us=1000000", "network.bandwidth_GBps=1", "devices.rank.reduce_GBps=1"});
  ReplayOptions options;
  options.engine = &engine("path");
  options.policy = policy;
  options.algorithms["allreduce"] = "recursive-doubling";
  return replay(source, flat, options);
}

Activity message(Kind kind, double bytes, std::int64_t request = -1) {
  Activity a;
  a.kind = kind;
  a.operation = a.call = kind == Kind::send ? "send" : "recv";
  a.to = 1, a.from = 0;
  a.bytes = a.received_bytes = Bytes(bytes);
  a.request = request;
  return a;
}
Activity wait_for(std::vector<std::int64_t> requests) {
  Activity a = lasting(Kind::wait, 0);
  a.operation = a.call = "wait";
  a.requests = std::move(requests);
  return a;
}

Seconds time_of(const ReplayReport& report, const std::string& operation) {
  for (const auto& o : report.operations)
    if (o.name == operation) return o.time;
  return Seconds(-1);
}

TEST(Streams, EachMomentIsCountedOnce) {
  // Two messages of 1 GB leave rank 0 one behind the other: there after 2 and 3 s. Both ranks wait for both.
  RecordedSource source(2);
  source.at(0) = {message(Kind::send, 1e9, 0), message(Kind::send, 1e9, 1), wait_for({0, 1})};
  source.at(1) = {message(Kind::receive, 1e9, 0), message(Kind::receive, 1e9, 1), wait_for({0, 1})};
  const ReplayReport r = on_flat(source);
  EXPECT_GT(r.time.value, 2);
  EXPECT_GT(time_of(r, "wait").value, 1);
  EXPECT_LE(time_of(r, "wait"), r.time);
}

TEST(Streams, EachMomentOfManyIsCountedOnce) {
  // Beside one allreduce of 200 GB go 300 messages of 1 s with a computation behind each.
  RecordedSource source(2);
  for (const Rank r : {0, 1}) {
    auto& mine = source.at(r);
    mine.push_back(allreduce_of(2e11));
    mine.back().request = 0;
    for (int i = 0; i < 300; ++i) {
      mine.push_back(message(r == 0 ? Kind::send : Kind::receive, 0));
      mine.push_back(lasting(Kind::compute, 0.01));
    }
    mine.push_back(wait_for({0}));
  }
  const ReplayReport r = on_flat(source);
  EXPECT_LE(r.communication, (1 + 1e-9) * r.time);
}

TEST(Moments, AreCountedOnceHoweverManyTheirSpans) {
  Moments moments;
  for (int i = 0; i < 100'000; ++i) moments.add(Seconds(i), Seconds(i + 0.5));
  EXPECT_NEAR(moments.sum().value, 50'000, 1e-6);
  EXPECT_NEAR(moments.add(Seconds(1000), Seconds(100'000)).value, 99'000 / 2.0, 1);
  EXPECT_NEAR(moments.add(Seconds(0), Seconds(100'001)).value, 1 + 1000 / 2.0, 1);
  EXPECT_NEAR(moments.sum().value, 100'001, 1e-6);
}

/// Two ranks reduce 1 GB: a message of 1 + 1 s, then a sum of 1 s, of which its sender knows nothing.
TEST(Parts, SendersDoNotReduce) {
  RecordedSource source(2);
  for (const Rank r : {0, 1}) {
    Activity a = allreduce_of(1e9);
    a.operation = a.call = "reduce", a.collective = Collective::reduce;
    source.at(r) = {a};
  }
  Description flat = load_platform("flat");
  set_all(flat, {"network.latency_us=1000000", "network.bandwidth_GBps=1", "devices.rank.reduce_GBps=1"});
  ReplayOptions options;
  options.engine = &engine("path"), options.parts = true, options.algorithms["reduce"] = "flat";
  const ReplayReport r = replay(source, flat, options);
  EXPECT_DOUBLE_EQ(r.time.value, 3);
  ASSERT_EQ(r.parts.size(), 2u);
  EXPECT_DOUBLE_EQ(r.parts[0].communication.value, 3);
  EXPECT_DOUBLE_EQ(r.parts[1].communication.value, 2);
}

/// A message is under way from when its sender asks whether it may come: 3 s, then 1 + 1 s.
TEST(Parts, AskingIsCommunication) {
  RecordedSource source(2);
  source.at(0) = {message(Kind::send, 1e9)};
  source.at(1) = {message(Kind::receive, 1e9)};
  Description flat = load_platform("flat");
  set_all(flat, {"network.latency_us=1000000", "network.bandwidth_GBps=1", "protocol.hold=injection",
                 "protocol.eager_limit_KiB=0", "protocol.handshake_us=3000000"});
  ReplayOptions options;
  options.engine = &engine("path"), options.parts = true;
  const ReplayReport r = replay(source, flat, options);
  EXPECT_DOUBLE_EQ(r.time.value, 5);
  ASSERT_EQ(r.parts.size(), 2u);
  EXPECT_DOUBLE_EQ(r.parts[1].communication.value, 5);
  EXPECT_DOUBLE_EQ(r.parts[1].waiting.value, 0);
}

TEST(Streams, AMessageOnAStreamIsItsOperationsTime) {
  // The host computes for 1 s; beside it a message of 4 GB holds stream 1 for 1 + 4 s.
  RecordedSource source(2);
  for (Rank r = 0; r < 2; ++r) {
    source.at(r, 0) = {lasting(Kind::compute, 1)};
    source.at(r, 1) = {message(r == 0 ? Kind::send : Kind::receive, 4e9)};
  }
  const ReplayReport r = on_flat(source);
  EXPECT_DOUBLE_EQ(r.time.value, 5);
  EXPECT_DOUBLE_EQ(time_of(r, "recv").value, 5 / 2.0);
  EXPECT_GE(time_of(r, "send").value, 4 / 2.0);
}

TEST(Streams, WhatIsNotPlayedIsNotModelled) {
  // Rank 1's recording ends after the first of three allreduces.
  RecordedSource source(2);
  source.at(0) = {allreduce_of(1e9), allreduce_of(1e9), allreduce_of(1e9)};
  source.at(1) = {allreduce_of(1e9)};
  source.info().truncated = true;
  const ReplayReport r = on_flat(source);
  EXPECT_TRUE(r.stopped_short);
  ASSERT_EQ(r.not_modelled.size(), 1u);
  EXPECT_EQ(r.not_modelled[0].operation, "allreduce");
  EXPECT_EQ(r.not_modelled[0].count, 2);
  EXPECT_EQ(r.not_modelled[0].reason,
            "of 4 calls of ranks: not played to the end: the trace ends before what they wait for");
  source.at(1) = source.at(0);
  const ReplayReport whole = on_flat(source);
  EXPECT_FALSE(whole.stopped_short);
  EXPECT_TRUE(whole.not_modelled.empty());
}

/// Rank 0 comes 2 s before rank 1, and both are in the allreduce from then on: by one message each way.
TEST(Streams, WaitingIsApartWhereRecordedDurationsLeaveItOut) {
  RecordedSource source(2);
  Activity call = allreduce_of(8);
  call.duration = Seconds(4);
  source.at(0) = {lasting(Kind::compute, 1), call};
  source.at(1) = {lasting(Kind::compute, 3), call};
  const auto recorded = [](const ReplayReport& r) {
    for (const auto& o : r.operations)
      if (o.name == "allreduce") return o.recorded;
    return Seconds(-1);
  };
  const ReplayReport with = on_flat(source);
  const Seconds moves = with.time - Seconds(3);
  EXPECT_NEAR(time_of(with, "allreduce").value, moves.value + 1, 1e-9);  // 2 s and 0 s before it
  EXPECT_EQ(recorded(with), Seconds(4));
  source.info().waits_recorded = false;
  const ReplayReport apart = on_flat(source);
  EXPECT_EQ(apart.time, with.time);
  EXPECT_NEAR(time_of(apart, "allreduce").value, moves.value, 1e-9);
  EXPECT_NEAR(time_of(apart, std::string(waiting_for_ranks)).value, 1, 1e-9);
  EXPECT_NEAR(apart.idle.value, 1, 1e-9);
  EXPECT_EQ(recorded(apart), Seconds(4));
}

/// Rank 0 spent 0.5 s of the 2 s of two ranks in calls that cannot be played.
TEST(Streams, WhatIsSkippedHasItsShareOfTheTime) {
  RecordedSource source(2);
  source.info().recorded = Seconds(1);
  Activity put = lasting(Kind::skipped, 0);
  put.operation = put.call = "MPI_Put", put.note = "not modelled", put.duration = Seconds(0.25);
  source.at(0) = {put, put};
  source.at(1) = {lasting(Kind::compute, 1)};
  const Loss lost{"MPI_Put", 2, "not modelled", 0.5, 0.25};
  EXPECT_EQ(on_flat(source).not_modelled, std::vector{lost});
  EXPECT_EQ(inspect(source).dropped, std::vector{lost});
}

TEST(Streams, ADataParallelStepHidesItsAllreduces) {
  // Buckets are ready at 4 and 8 s. An allreduce of 1 GB on two ranks takes 1 + 1 + 1 = 3 s: the first is
  // hidden from 4 to 7 s, the second lasts from 8 to 11 s, and the optimizer takes 2 s more.
  RecordedSource step(2);
  for (Rank r = 0; r < 2; ++r) {
    step.at(r, 0) = {lasting(Kind::compute, 4), record(), lasting(Kind::compute, 4), record(), await(1, 1),
                     lasting(Kind::compute, 2)};
    step.at(r, 1) = {await(0, 1), allreduce_of(1e9), await(0, 2), allreduce_of(1e9), record()};
  }
  const ReplayReport r = on_flat(step);
  EXPECT_DOUBLE_EQ(r.time.value, 13);
  EXPECT_DOUBLE_EQ(r.compute.value, 10);
  EXPECT_DOUBLE_EQ(r.exposed.value, 3);
  EXPECT_DOUBLE_EQ(r.communication.value, 6);
  ASSERT_EQ(r.operations.size(), 1u);
  EXPECT_EQ(r.operations[0].name, "allreduce");
  EXPECT_EQ(r.operations[0].count, 2);
}

/// Both ranks compute for 2 s, their hosts do nothing for 5 s, and an allreduce of 1 GB takes 3 s. Rank 0
/// computes for 1 s more, at whose end rank 1 has been done for 1 s.
TEST(Streams, GapsOfTheHostAreIdle) {
  RecordedSource source(2);
  for (Rank r = 0; r < 2; ++r)
    source.at(r) = {lasting(Kind::compute, 2), lasting(Kind::pause, 5), allreduce_of(1e9)};
  source.at(0).push_back(lasting(Kind::compute, 1));
  const ReplayReport r = on_flat(source);
  EXPECT_DOUBLE_EQ(r.time.value, 11);
  EXPECT_DOUBLE_EQ(r.compute.value, 2.5);
  EXPECT_DOUBLE_EQ(r.exposed.value, 8.5);
  EXPECT_DOUBLE_EQ(r.idle.value, 5.5);  // the rest of what is exposed is the allreduce
  EXPECT_DOUBLE_EQ(r.communication.value, 3);
}

/// Another GPU computes otherwise, which a replay does not know.
TEST(Streams, RecordedGpuTimeIsSaidToBe) {
  RecordedSource source(2);
  for (Rank r = 0; r < 2; ++r) source.at(r) = {lasting(Kind::compute, 1), allreduce_of(1e9)};
  EXPECT_TRUE(on_flat(source, "fastest").notes.empty());
  source.info().format = "nsys", source.info().memory = Memory::device;
  EXPECT_EQ(computation_of(source.info()), "recorded GPU time");
  const std::vector<std::string> notes = on_flat(source, "fastest").notes;
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(notes[0].starts_with("computation is as recorded on the traced GPU, ")) << notes[0];
  source.info().format = "cct", source.info().memory = Memory::host;
  EXPECT_EQ(computation_of(source.info()), "recorded CPU time");
}

TEST(Streams, ComputationSharesTheProcessorAndPausesDoNot) {
  RecordedSource both(1), aside(1);
  both.at(0, 0) = {lasting(Kind::compute, 3)};
  both.at(0, 1) = {lasting(Kind::compute, 4)};
  aside.at(0, 0) = {lasting(Kind::compute, 3)};
  aside.at(0, 1) = {lasting(Kind::pause, 4)};
  EXPECT_DOUBLE_EQ(on_flat(both).time.value, 7);
  EXPECT_DOUBLE_EQ(on_flat(aside).time.value, 4);
}

TEST(Streams, SeveralAwaitOneRecord) {
  RecordedSource fork(1);
  fork.at(0, 0) = {lasting(Kind::pause, 5), record()};
  fork.at(0, 1) = {await(0, 1), lasting(Kind::pause, 1)};
  fork.at(0, 2) = {await(0, 1), lasting(Kind::pause, 2)};
  fork.at(0, 3) = {lasting(Kind::pause, 6), await(0, 1), lasting(Kind::pause, 3)};
  EXPECT_DOUBLE_EQ(on_flat(fork).time.value, 9);
}

TEST(Streams, ARecordThatNeverComesIsADeadlock) {
  RecordedSource lost(1);
  lost.at(0, 0) = {await(1, 1)};
  lost.at(0, 1) = {lasting(Kind::pause, 1)};
  lost.info().name = "lost.json";
  EXPECT_EQ(testing::complaint([&] { on_flat(lost); }),
            "lost.json: deadlock: rank 0 waits for another of its streams");
}

TEST(Streams, DeadlocksAreInTheSourcesWords) {
  const auto says = [](Activity a) {
    RecordedSource source(2);
    source.communicator("other", {0, 1});
    source.at(1) = {std::move(a)};
    return testing::complaint([&] { on_flat(source); });
  };
  Activity receive = message(Kind::receive, 8);
  receive.received_tag = 5;
  EXPECT_EQ(says(receive), "deadlock: rank 1 waits for a message from rank 0 (tag 5)");
  receive.communicator = 1;
  EXPECT_EQ(says(receive), "deadlock: rank 1 waits for a message from rank 0 (communicator 1, tag 5)");
  EXPECT_EQ(says(allreduce_of(8)),
            "deadlock: rank 1 waits for a message from rank 0 (of a collective); rank 1 waits for a receive "
            "by rank 0 (of a collective)");
  EXPECT_EQ(says(wait_for({3})), "deadlock: rank 1 waits for request 3, never begun");
}

TEST(Streams, CollectivesOfUnknownSizeTakeWhatTheyTook) {
  // The ranks meet at 3 s, by a barrier of 1 s; then 5 s.
  RecordedSource source(2);
  Activity unknown = allreduce_of(0);
  unknown.sized = false;
  unknown.time = Seconds(5);
  unknown.duration = Seconds(8);
  source.info().recorded = Seconds(10);
  source.at(0) = {lasting(Kind::compute, 3), unknown};
  source.at(1) = {unknown};
  const ReplayReport r = on_flat(source);
  EXPECT_DOUBLE_EQ(r.time.value, 3 + 1 + 5);
  ASSERT_EQ(r.not_modelled.size(), 1u);
  // One call, in which both ranks spent 8 s each, of the 10 s of each.
  const Loss unsized{"allreduce", 1, "of unknown size: takes as long as it was recorded to take", 16, 0.8};
  EXPECT_EQ(r.not_modelled[0], unsized);
  // A library without a rule for barriers is not asked for one that nobody called.
  EXPECT_EQ(on_flat(source, "mvapich2-2.3").notes,
            std::vector<std::string>{"--algorithm allreduce=recursive-doubling changes nothing:  has no such "
                                     "collective whose algorithm is chosen"});
}

TEST(Streams, SourcesThatNameWhatIsNotThereAreRefused) {
  auto says = [](Activity a) {
    RecordedSource source(1);
    source.info().name = "made up";
    source.at(0) = {a};
    return testing::complaint([&] { on_flat(source); });
  };
  Activity a = allreduce_of(8);
  a.communicator = 7;
  EXPECT_EQ(says(a), "made up: allreduce names communicator 7 of 1");
  Activity s;
  s.kind = Kind::send;
  s.to = 5;
  EXPECT_EQ(says(s), "made up: rank 0 names rank 5 of a communicator of 1");
}

TEST(Streams, ProfilesAreNotReplayed) {
  RecordedSource profile(1);
  profile.info().name = "report.mpiP";
  profile.info().format = "mpip";
  profile.info().ordered = false;
  EXPECT_NE(testing::complaint([&] { on_flat(profile); }).find("cannot be replayed"), std::string::npos);
}

}  // namespace
}  // namespace collcast

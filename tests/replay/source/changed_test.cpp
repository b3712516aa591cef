// SPDX-License-Identifier: Apache-2.0
// What would be otherwise in a recording, on a machine of alpha = 1 s and 1 GB/s: an allreduce of n GB on two
// ranks takes 1 + 2 n s.
#include "platforms/description/load.hpp"
#include "replay/application/replay.hpp"
#include "replay/source/nonblocking.hpp"
#include "replay/source/rebucketed.hpp"
#include "tests/complaint.hpp"
#include "tests/replay/formats/activities.hpp"
#include "workloads/job/source.hpp"
#include "workloads/training/training.hpp"

namespace collcast {
namespace {

using testing::all, testing::complaint;
using Kind = Activity::Kind;
using Stream = RecordedSource::Stream;

Activity doing(Kind kind, double seconds = 0) {
  Activity a;
  a.kind = kind;
  a.time = Seconds(seconds);
  if (kind == Kind::compute) a.begin = Seconds(0), a.duration = a.time;
  return a;
}
Activity awaiting(int stream, std::int64_t count) {
  Activity a = doing(Kind::await);
  a.stream = stream;
  a.count = count;
  return a;
}
Activity calling(Collective c, double bytes, int communicator = 0) {
  Activity a = doing(Kind::collective);
  a.operation = a.call = definition(c).name;
  a.collective = c;
  a.message = Bytes(bytes);
  a.communicator = communicator;
  return a;
}
Activity reducing(double bytes) {
  return calling(Collective::allreduce, bytes);
}

double time_of(const Source& source) {
  Description flat = load_platform("flat");
  set_all(flat, {"network.latency_us=1000000", "network.bandwidth_GBps=1", "devices.rank.reduce_GBps=1"});
  ReplayOptions options;
  options.engine = &engine("path");
  options.algorithms["allreduce"] = "recursive-doubling";
  return replay(source, flat, options).time.value;
}

/// Two ranks that compute 4 s for each bucket, and 2 s when all are reduced.
RecordedSource step(const std::vector<double>& buckets) {
  RecordedSource source(2);
  source.info().name = "step";
  for (Rank r = 0; r < 2; ++r) {
    Stream &computing = source.at(r, 0), &moving = source.at(r, 1);
    std::int64_t ready = 0;
    for (const double bytes : buckets) {
      computing.push_back(doing(Kind::compute, 4)), computing.push_back(doing(Kind::record));
      moving.push_back(awaiting(0, ++ready)), moving.push_back(reducing(bytes));
    }
    moving.push_back(doing(Kind::record));
    computing.push_back(awaiting(1, 1)), computing.push_back(doing(Kind::compute, 2));
  }
  return source;
}

std::vector<double> sizes(const Source& source, int stream = 1) {
  std::vector<double> bytes;
  for (const Activity& a : all(source, 1, stream))
    if (a.kind == Kind::collective) bytes.push_back(a.message.value);
  return bytes;
}

TEST(Rebucketed, BytesInOrderAreCutAnew) {
  using Sizes = std::vector<double>;
  EXPECT_EQ(sizes(*rebucketed(step({80, 80, 80}), Bytes(120))), (Sizes{120, 120}));
  EXPECT_EQ(sizes(*rebucketed(step({80, 80}), Bytes(32))), (Sizes{32, 32, 32, 32, 32}));
  EXPECT_EQ(sizes(*rebucketed(step({80, 80}), Bytes(1e9))), (Sizes{160}));
  // Elements stay whole; a first bucket that is smaller than the next stays.
  EXPECT_EQ(sizes(*rebucketed(step({80, 80}), Bytes(103))), (Sizes{96, 64}));
  EXPECT_EQ(sizes(*rebucketed(step({16, 80, 80}), Bytes(120))), (Sizes{16, 120, 40}));
  EXPECT_EQ(sizes(*rebucketed(step({16, 80, 80}), Bytes(8))).size(), 22u);
}

/// 120 bytes are ready when half of the second bucket's computation is done.
TEST(Rebucketed, PartsAreReadyInProportion) {
  const RecordedSource was = step({80, 80, 80});
  const auto now = rebucketed(was, Bytes(120));
  std::vector<std::tuple<Kind, double, std::int64_t>> computing, moving;
  for (const Activity& a : all(*now, 0, 0)) computing.emplace_back(a.kind, a.time.value, a.count);
  for (const Activity& a : all(*now, 0, 1)) moving.emplace_back(a.kind, a.message.value, a.count);
  using Expected = decltype(computing);
  EXPECT_EQ(computing, (Expected{{Kind::compute, 4, 0},
                                 {Kind::record, 0, 0},
                                 {Kind::compute, 2, 0},
                                 {Kind::record, 0, 0},
                                 {Kind::compute, 2, 0},
                                 {Kind::record, 0, 0},
                                 {Kind::compute, 4, 0},
                                 {Kind::record, 0, 0},
                                 {Kind::await, 0, 1},
                                 {Kind::compute, 2, 0}}));
  EXPECT_EQ(moving, (Expected{{Kind::await, 0, 1},
                              {Kind::await, 0, 2},
                              {Kind::collective, 120, 0},
                              {Kind::await, 0, 3},
                              {Kind::await, 0, 4},
                              {Kind::collective, 120, 0},
                              {Kind::record, 0, 0}}));
  EXPECT_EQ(all(*now, 0, 0)[4].begin.value, 2);
}

/// As recorded the second allreduce ends at 8 + 3 s. One of 2 GB ends at 8 + 5 s. Four of 0.5 GB, 2 s each,
/// are ready at 4, 4, 6 and 8 s and end at 12 s. Then come 2 s more.
TEST(Rebucketed, TimesFollow) {
  const RecordedSource was = step({1e9, 1e9});
  EXPECT_DOUBLE_EQ(time_of(was), 13);
  EXPECT_DOUBLE_EQ(time_of(*rebucketed(was, Bytes(1e9))), 13);
  EXPECT_DOUBLE_EQ(time_of(*rebucketed(was, Bytes(2e9))), 15);
  EXPECT_DOUBLE_EQ(time_of(*rebucketed(was, Bytes(5e8))), 14);
  EXPECT_EQ(rebucketed(was, Bytes(5e8))->info().notes[0],
            "gradients in buckets of 476.8 MiB: 2 allreduces became 4");
}

/// Eight layers of 1 MB and of equal computation in buckets of DDP's.
std::unique_ptr<Source> ddp(const std::string& bucket) {
  std::string table = "name,kind,flops,backward_flops,in_elements,out_elements,kept_elements,parameters\n";
  for (int i = 0; i < 8; ++i) table += "l" + std::to_string(i) + ",linear,1e9,2e9,1,1,1,250000\n";
  workloads::Training t;
  t.model = workloads::parse_model(table, "equal", "equal.csv");
  t.framework = workloads::parse_framework("ddp:view=1,first=" + bucket + ",bucket=" + bucket);
  t.processor.flops = 1e9;
  t.processor.bandwidth = BytesPerSecond(1e30);
  t.processor.efficiency = {1, 1, 1, Seconds(), 0.1};
  t.ranks = 2;
  return source_of(training_job(t));
}

/// Where layers are alike, and buckets end with one, a step of other buckets is that step as described.
TEST(Rebucketed, AgreesWithDescribedSteps) {
  for (const auto& [from, to, bytes] :
       {std::tuple{"1MB", "2MB", 2e6}, {"2MB", "8MB", 8e6}, {"1MB", "4MB", 4e6}, {"2MB", "2MB", 2e6}}) {
    const auto was = ddp(from), is = ddp(to);
    const auto now = rebucketed(*was, Bytes(bytes));
    EXPECT_EQ(sizes(*now), sizes(*is)) << from << " to " << to;
    EXPECT_NEAR(time_of(*now), time_of(*is), 1e-9) << from << " to " << to;
  }
}

/// Two passes; the computation of the second begins when the buckets of the first are reduced.
TEST(Rebucketed, PassesStayApart) {
  RecordedSource two(2);
  for (Rank r = 0; r < 2; ++r) {
    const auto ready = [] { return doing(Kind::record); };
    two.at(r, 0) = {ready(), ready(), awaiting(1, 1), ready(), ready(), awaiting(1, 2)};
    two.at(r, 1) = {awaiting(0, 1), reducing(8), awaiting(0, 2), reducing(16), doing(Kind::record),
                    awaiting(0, 3), reducing(8), awaiting(0, 4), reducing(16), doing(Kind::record)};
  }
  EXPECT_EQ(sizes(*rebucketed(two, Bytes(8))).size(), 6u);
  two.at(0, 1)[1].message = two.at(1, 1)[1].message = Bytes(24);
  EXPECT_EQ(sizes(*rebucketed(two, Bytes(1000))), (std::vector<double>{40, 8, 16}));
}

TEST(Rebucketed, SaysWhyNot) {
  const std::string none =
      "step: has no two allreduces beside the computation that follow each other, as DDP's buckets do, for "
      "--bucket";
  EXPECT_EQ(complaint([] { rebucketed(step({80}), Bytes(8)); }), none);
  // The second is ready only when the first is done.
  RecordedSource waits = step({80, 80});
  for (Rank r = 0; r < 2; ++r) {
    waits.at(r, 0).insert(waits.at(r, 0).begin() + 2, awaiting(1, 1));
    waits.at(r, 1).insert(waits.at(r, 1).begin() + 2, doing(Kind::record));
  }
  EXPECT_EQ(complaint([&] { rebucketed(waits, Bytes(8)); }), none);
  // A broadcast lies between them.
  RecordedSource between = step({80, 80});
  for (Rank r = 0; r < 2; ++r)
    between.at(r, 1).insert(between.at(r, 1).begin() + 2, calling(Collective::broadcast, 8));
  EXPECT_EQ(complaint([&] { rebucketed(between, Bytes(8)); }), none);
  RecordedSource unlike = step({80, 80});
  unlike.at(1, 1)[1].message = Bytes(40);
  EXPECT_EQ(complaint([&] { rebucketed(unlike, Bytes(8)); }),
            "step: ranks 0 and 1 differ in their allreduces, so --bucket cannot form them anew");
  EXPECT_EQ(complaint([] {
              rebucketed(step({8e6, 8e6}), Bytes(8));
            }),
            "step: --bucket 8 B cuts 15.3 MiB of gradients into more than 10,000");
}

TEST(Nonblocking, WaitsForTheNextCallOnTheCommunicator) {
  RecordedSource source(1);
  const int other = source.communicator("other", {0});
  Activity send = doing(Kind::send);
  source.at(0) = {reducing(1),
                  doing(Kind::compute, 1),
                  calling(Collective::allreduce, 2, other),
                  doing(Kind::compute),
                  send,
                  doing(Kind::record),
                  reducing(3),
                  doing(Kind::compute),
                  calling(Collective::broadcast, 4)};
  const auto started = nonblocking(source, {Collective::allreduce});
  const auto now = all(*started, 0);
  std::vector<Kind> kinds;
  for (const Activity& a : now) kinds.push_back(a.kind);
  EXPECT_EQ(kinds, (std::vector{Kind::collective, Kind::compute, Kind::collective, Kind::compute, Kind::wait,
                                Kind::send, Kind::wait, Kind::record, Kind::collective, Kind::compute,
                                Kind::wait, Kind::collective}));
  EXPECT_EQ(now[4].requests, std::vector{now[0].request});
  EXPECT_EQ(now[6].requests, std::vector{now[2].request});
  EXPECT_EQ(now[10].requests, std::vector{now[8].request});
  EXPECT_LT(now[11].request, 0);
  EXPECT_TRUE(started->info().notes[0].starts_with("3 blocking collectives were started"));
}

/// 3 s of allreduce before 4 s of computation: one after the other, or beneath it; the last is waited for.
TEST(Nonblocking, TimesFollow) {
  RecordedSource source(2);
  source.info().name = "two";
  for (Rank r = 0; r < 2; ++r) source.at(r) = {reducing(1e9), doing(Kind::compute, 4), reducing(1e9)};
  EXPECT_DOUBLE_EQ(time_of(source), 10);
  EXPECT_DOUBLE_EQ(time_of(*nonblocking(source, {Collective::allreduce})), 7);
  EXPECT_EQ(nonblocking(source, {Collective::alltoall}), nullptr);
  source.at(0)[0].counts = std::make_shared<const Counts>();
  EXPECT_TRUE(nonblocking(source, {Collective::allreduce}, true)->info().notes[0].starts_with("3 blocking"));
}

/// An allreduce of 3 s and an allgather under way at once, each on a communicator of its own and each started
/// by another change: their requests are told apart.
TEST(Nonblocking, TwiceHasRequestsOfItsOwn) {
  RecordedSource source(2);
  const int other = source.communicator("other", {0, 1});
  for (Rank r = 0; r < 2; ++r)
    source.at(r) = {reducing(1e9), calling(Collective::allgather, 1e9, other), doing(Kind::compute, 10),
                    reducing(1e9), calling(Collective::allgather, 1e9, other)};
  const auto once = nonblocking(source, {Collective::allreduce});
  const auto twice = nonblocking(*once, {Collective::allgather}, true);
  EXPECT_LT(time_of(*twice), time_of(*once));
  EXPECT_LT(time_of(*once), time_of(source));
}

}  // namespace
}  // namespace collcast

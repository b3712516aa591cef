// SPDX-License-Identifier: Apache-2.0
#include "forecast/tune.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "libraries/nccl/nccl.hpp"
#include "libraries/tuner/write.hpp"
#include "model/ranges.hpp"
#include "platforms/description/load.hpp"
#include "support/address_sanitizer.hpp"
#include "tests/complaint.hpp"

namespace collcast {
namespace {

using collcast::testing::complaint;

TuneQuestion question(const std::string& library, const std::string& platform,
                      const std::string& collective) {
  TuneQuestion q;
  q.library = library;
  q.platform = platform;
  q.ranks = 16;
  q.sizes = parse_sizes(std::vector<std::string>{"256:4MiB:x16"});
  q.collectives = {collective};
  return q;
}

/// Rules lie end to end from 0 on; a point that is told lies in a rule that tells what was best there.
void expect_sound(const Tuned& tuned) {
  std::int64_t next = 0;
  for (const tuner::Rule& r : tuned.tuning.rules) {
    EXPECT_EQ(r.from, next);
    EXPECT_LE(r.from, r.to);
    next = r.to == tuner::no_end ? 0 : r.to + 1;
  }
  EXPECT_EQ(next, 0);
  for (const Tuned::Point& p : tuned.points) {
    const auto size = static_cast<std::int64_t>(p.size.value);
    const auto rule = std::ranges::find_if(
        tuned.tuning.rules, [&](const tuner::Rule& r) { return r.from <= size && size <= r.to; });
    EXPECT_EQ(rule->tuned, p.told);
    if (p.told) {
      EXPECT_EQ(rule->entry, p.best.rule.entry);
      EXPECT_EQ(rule->segment, p.best.rule.segment);
      EXPECT_EQ(rule->channels, p.best.rule.channels);
    }
    if (!p.standard || !p.unknown.empty()) continue;
    EXPECT_LE(p.best.time, p.standard->time);
    EXPECT_EQ(p.told, p.standard->time > p.best.high);
  }
}

TEST(Tune, OpenMpiIsToldWhereTheGainExceedsTheInterval) {
  int told = 0;
  for (const std::string collective : {"allreduce", "broadcast", "reduce"}) {
    const Tuned tuned = tune(question("openmpi", "frontera", collective));
    EXPECT_EQ(tuned.policy, "openmpi-4.1");
    ASSERT_EQ(tuned.points.size(), 4u);
    expect_sound(tuned);
    for (const Tuned::Point& p : tuned.points) told += p.told;
  }
  EXPECT_GT(told, 0);
}

/// 7 hosts send 1 KiB to one, which sends its sum to them: twice 20 us to the switch and 2 ms, and 7 messages
/// on the root's link of 12.5 MB/s. That messages to one rank meet there is what the critical path does not
/// see.
TEST(Tune, OpenMpisLinearAllreduceHasOneRoot) {
  TuneQuestion q = question("openmpi", "testbed", "allreduce");
  q.ranks = 8;
  q.sizes = {Bytes(1024)};
  const Tuned::Point p = tune(q).points[0];
  EXPECT_EQ(p.best.name, "basic_linear");
  EXPECT_NEAR(p.best.time.value, 2 * (2.02e-3 + 7 * 1024 / 12.5e6) + 7 * 1024 / 5e9, 1e-9);
  EXPECT_TRUE(p.told);
}

TEST(Tune, NcclKeepsItsChannels) {
  const Tuned tuned = tune(question("nccl", "dgx-2", "allreduce"));
  expect_sound(tuned);
  for (const tuner::Rule& r : tuned.tuning.rules) {
    EXPECT_GE(r.channels, 1);
    EXPECT_FALSE(r.shape.empty());
  }
  EXPECT_EQ(tuner::write_nccl(tuned.tuning).find(",-1,1,"), std::string::npos);
  // A call without a line gets one channel: whatever was compared, all collectives have lines.
  std::set<Collective> written;
  for (const tuner::Rule& r : tuned.tuning.rules) written.insert(r.collective);
  EXPECT_EQ(written.size(), 5u);
  for (const Tuned::Point& p : tuned.points) EXPECT_EQ(p.collective, Collective::allreduce);
  // Above the sizes, too, NCCL does what it does by itself: Simple of large messages.
  for (const tuner::Rule& r : tuned.tuning.rules)
    if (r.to == tuner::no_end) {
      EXPECT_EQ(r.protocol, "Simple");
    }
}

/// Calls that follow each other down one channel take a third of the default's time, a call alone twice as
/// long.
TEST(Tune, NcclsChainIsToldOnlyIfACallAloneGains) {
  if (address_sanitizer) GTEST_SKIP() << "as NcclKeepsItsChannels";
  using ::testing::Contains, ::testing::HasSubstr;
  TuneQuestion q = question("nccl", "p4d", "broadcast");
  q.sizes = {Bytes(1 << 18)};
  q.collectives.push_back("reduce");
  const Tuned tuned = tune(q);
  for (const Tuned::Point& p : tuned.points) {
    EXPECT_GT(p.standard->time, p.best.high);
    EXPECT_FALSE(p.told);
  }
  EXPECT_THAT(tuned.notes,
              Contains(HasSubstr("the default of broadcast at 256 KiB is kept: calls that follow "
                                 "each other would be faster by Ring Simple c=1, a call alone ")));
}

/// Around the sizes, and where nothing is tuned, NCCL does what it does by itself: LL of small messages.
TEST(Tune, NcclsOwnChoiceHasItsOwnSizes) {
  if (address_sanitizer) GTEST_SKIP() << "as NcclKeepsItsChannels";
  TuneQuestion q = question("nccl", "dgx-a100", "allreduce");
  q.sizes = {Bytes(1 << 26)};
  const Tuned tuned = tune(q);
  expect_sound(tuned);
  EXPECT_EQ(tuned.tuning.rules.front().protocol, "LL");
  const Library own(tuned.policy, load_platform("dgx-a100"), q.ranks);
  for (const tuner::Rule& r : tuned.tuning.rules)
    for (const std::int64_t size :
         {std::max<std::int64_t>(r.from, 1), std::min(r.to, std::int64_t{1} << 33)}) {
      if (r.tuned || size < r.from) continue;
      const Call call{.ranks = 16, .message = Bytes(static_cast<double>(size)), .ranks_per_node = 8};
      const nccl::Candidate c = nccl::choose(*nccl::parse(tuned.policy), r.collective, call, own.situation());
      EXPECT_EQ(r.shape, nccl::name(c.shape)) << size;
      EXPECT_EQ(r.protocol, nccl::name(c.protocol)) << size;
    }
}

/// A file that states channels switches off NCCL's own reduction: a thread of a ring in LL gets at least 8 B
/// per rank, so that 512 threads of 16 ranks get 64 KiB (topoGetAlgoInfo, src/enqueue.cc).
TEST(Tune, NcclsSmallMessagesKeepTheirFewChannels) {
  if (address_sanitizer) GTEST_SKIP() << "as NcclKeepsItsChannels";
  TuneQuestion q = question("nccl", "dgx-a100", "allreduce");
  q.sizes = {Bytes(1 << 20)};
  const Tuned tuned = tune(q);
  const auto channels = [&](Collective collective, std::int64_t size) {
    for (const tuner::Rule& r : tuned.tuning.rules) {
      if (r.collective != collective || size < r.from || size > r.to) continue;
      EXPECT_EQ(r.steps.front().from, r.from);
      int last = 0;
      for (const tuner::Rule::Step& step : r.steps)
        if (step.from <= size) last = step.channels;
      EXPECT_LE(last, r.channels);
      return last;
    }
    return 0;
  };
  EXPECT_EQ(channels(Collective::allgather, 1 << 16), 1);
  EXPECT_EQ(channels(Collective::allgather, (2 << 16) - 1), 1);
  EXPECT_EQ(channels(Collective::allgather, 2 << 16), 2);
  EXPECT_EQ(channels(Collective::allgather, 3 << 16), 3);
  EXPECT_EQ(channels(Collective::allgather, 1 << 30), 32);
  EXPECT_NE(tuner::write_nccl(tuned.tuning).find("allgather,131072,196607,ring,ll,2,2,16\n"),
            std::string::npos);
}

/// Rings in LL128 are faster than trees between 93 and 134 MB only: at 64 MiB trees are, and at 128 MiB, from
/// where NCCL corrects them otherwise.
TEST(Tune, NcclsChoiceThatComesBackIsSeen) {
  if (address_sanitizer) GTEST_SKIP() << "numbers, which take minutes";
  TuneQuestion q = question("nccl", "dgx-a100", "allreduce");
  q.ranks = 64, q.sizes = {Bytes(1 << 10)};
  const Tuned tuned = tune(q);
  const auto at = [&](std::int64_t size) {
    const auto found = std::ranges::find_if(tuned.tuning.rules, [&](const tuner::Rule& r) {
      return r.collective == Collective::allreduce && r.from <= size && size <= r.to;
    });
    return found->shape + " " + found->protocol;
  };
  EXPECT_EQ(at(1 << 26), "Tree LL128");
  EXPECT_EQ(at(120'000'000), "Ring LL128");
  EXPECT_EQ(at(1 << 27), "Tree LL128");
}

/// NVLS goes over none of NCCL's own transports: what it takes is no measure of what else it can be told.
TEST(Tune, TheBestIsTheBestOfItsList) {
  if (address_sanitizer) GTEST_SKIP() << "as NcclKeepsItsChannels";
  TuneQuestion q = question("nccl", "dgx-h100", "allreduce");
  q.ranks = 8;
  q.sizes = {Bytes(1 << 26)};
  const Tuned::Point p = tune(q).points[0];
  EXPECT_EQ(p.standard->name, "NVLS Simple c=24");
  EXPECT_EQ(p.best.time, std::ranges::min_element(p.choices, {}, &Tuned::Play::time)->time);
  EXPECT_FALSE(p.told);
}

/// A ring and a tree of three ranks take the same time for a byte, but for rounding.
TEST(Tune, ADefaultThatIsAsFastIsTheBest) {
  TuneQuestion q = question("nccl", "dgx-a100", "allreduce");
  q.ranks = 3;
  q.sizes = {Bytes(1)};
  const Tuned::Point p = tune(q).points[0];
  EXPECT_EQ(p.best.name, p.standard->name);
  EXPECT_EQ(p.best.time, p.standard->time);
}

TEST(Tune, ACollectiveNamedTwiceIsTunedOnce) {
  TuneQuestion q = question("openmpi", "frontera", "alltoall");
  q.collectives.push_back("all_to_all");
  const Tuned tuned = tune(q);
  EXPECT_EQ(tuned.points.size(), q.sizes.size());
  expect_sound(tuned);
}

TEST(Tune, NeighbouringSizesHaveARuleEach) {
  TuneQuestion q = question("ucc", "frontera", "allreduce");
  q.sizes = {Bytes(0), Bytes(1), Bytes(2), Bytes(3)};
  expect_sound(tune(q));
}

TEST(Tune, SaysThatOfManyMessagesSamplesArePlayed) {
  if (address_sanitizer) GTEST_SKIP() << "as the other tests, of many ranks";
  using ::testing::Contains, ::testing::HasSubstr;
  TuneQuestion q = question("mpich", "frontera", "alltoall");
  q.set = {"network.bandwidth_GBps=200"};
  q.sizes = {Bytes(1 << 20)};
  q.ranks = 800;
  const Tuned tuned = tune(q);
  EXPECT_THAT(tuned.notes, Contains(HasSubstr("than a port or cable of a network has ever had")));
  EXPECT_THAT(tuned.notes, Contains(HasSubstr("samples are played")));
  std::set<std::string_view> engines;
  for (const Tuned::Play& play : tuned.points[0].choices) engines.insert(play.engine);
  EXPECT_TRUE(engines.contains("path"));
}

TEST(Tune, SaysWhenACollectiveHasNoLine) {
  if (address_sanitizer) GTEST_SKIP() << "as NcclKeepsItsChannels";
  using ::testing::Contains, ::testing::HasSubstr;
  TuneQuestion tree = question("nccl", "dgx-a100", "allreduce");
  tree.policy = "nccl-2.28:algo=Tree";
  tree.sizes = {Bytes(1 << 20)};
  EXPECT_THAT(tune(tree).notes, Contains(HasSubstr("allgather has no line, so NCCL gives it one channel: ")));
}

TEST(Tune, WithoutAPolicyTheFastestIsTold) {
  const Tuned tuned = tune(question("ucc", "frontera", "allreduce"));
  for (const Tuned::Point& p : tuned.points) EXPECT_TRUE(p.told);
  EXPECT_EQ(tuned.notes.size(), 1u);
  expect_sound(tuned);
}

TEST(Tune, WithoutAPolicySaysWhatWasNotCompared) {
  TuneQuestion q = question("ucc", "frontera", "broadcast");
  q.sizes = {Bytes(1 << 18)};
  EXPECT_EQ(tune(q).notes.size(), 1u);
  q.ranks = 24;
  EXPECT_THAT(tune(q).notes,
              ::testing::Contains("ucc's sag_knomial of broadcast is not played on 24 ranks: it was not "
                                  "compared, and may be faster"));
}

/// Its variable has no word for the library's own choice.
TEST(Tune, Mvapich2IsToldAllSizes) {
  const Tuned tuned = tune(question("mvapich2", "frontera", "allreduce"));
  expect_sound(tuned);
  EXPECT_EQ(tuned.tuning.rules.size(), 2u);
  for (const tuner::Rule& r : tuned.tuning.rules) EXPECT_TRUE(r.tuned);
}

TEST(Tune, SaysWhatItCannot) {
  const auto says = [](auto change) {
    TuneQuestion q = question("openmpi", "flat", "allreduce");
    change(q);
    return complaint([&] { tune(q); });
  };
  EXPECT_EQ(says([](TuneQuestion& q) { q.collectives = {"scan"}; }),
            "openmpi cannot be told how to play scan");
  EXPECT_EQ(says([](TuneQuestion& q) { q.policy = "mpich"; }), "policy 'mpich' is not one of openmpi's own");
  EXPECT_EQ(says([](TuneQuestion& q) { q.library = "nccl", q.policy = "nccl-2.27"; }),
            "policy 'nccl-2.27' reads no such file; the first that does is nccl-2.28");
  EXPECT_EQ(says([](TuneQuestion& q) { q.library = "nccl", q.memory = Memory::host; }),
            "nccl-2.28 sends from device buffers only: it does not go with --memory host");
  EXPECT_EQ(says([](TuneQuestion& q) {
              q.library = "nccl", q.platform = "dgx-a100", q.policy = "nccl-2.28:algo=Tree";
              q.collectives = {"allgather"};
            }),
            "nccl-2.28:algo=Tree leaves nothing to play allgather with; --collective says which are tuned");
  EXPECT_EQ(says([](TuneQuestion& q) { q.ranks = 1; }), "tune needs 2 ranks or more");
  EXPECT_EQ(says([](TuneQuestion& q) {
              q.sizes = {Bytes(2), Bytes(1)};
            }),
            "tune needs --size in ascending order");
}

}  // namespace
}  // namespace collcast

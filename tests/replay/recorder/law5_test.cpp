// SPDX-License-Identifier: Apache-2.0
// Law 5 from outside: what the recorder sees collcast-mpi send equals its schedules, message by message.
#include <algorithm>
#include <cmath>
#include <map>

#include "algorithms/catalogue.hpp"
#include "model/layout.hpp"
#include "support/address_sanitizer.hpp"
#include "tests/names.hpp"
#include "tests/replay/recorder/fixture.hpp"

namespace collcast::recorder::test {
namespace {

constexpr Rank played_ranks = 4;
/// Divides into the blocks of every algorithm here, on every rank.
constexpr int message = 4 * 4 * 3 * 7 * 64, segments = 3;

using Pair = std::pair<Rank, Rank>;
/// Sizes of the messages between two ranks, and how many there are of each.
using Messages = std::map<Pair, std::map<std::int64_t, std::int64_t>>;

Call call_of(const Algorithm& a) {
  Call call;
  call.ranks = played_ranks;
  call.message = collcast::Bytes(message);
  call.segments = a.segmented ? segments : 1;
  call.ranks_per_node = a.ranks_per_node ? 2 : 1;
  return call;
}

Messages of_schedule(const Algorithm& a) {
  const Call call = call_of(a);
  const Schedule schedule = a.schedule(call);
  const Layout sizes = layout(a, call, schedule);
  Messages all;
  for_each_step(schedule, true, [&](const Step& step) {
    for (const Transfer& t : step.transfers)
      if (t.from.rank != t.to.rank) ++all[{t.from.rank, t.to.rank}][std::llround(sizes.size(step, t).value)];
  });
  return all;
}

/// What all ranks sent between two collective calls, which collcast-mpi makes around each play; where they
/// sent anything.
std::vector<Messages> of_trace(const trace::Reader& reader) {
  std::map<int, Messages> all;
  for (Rank r = 0; r < played_ranks; ++r) {
    int calls = 0;
    for (const trace::Event& e : trace::test::read_rank(reader, r))
      if (e.op == trace::Op::send)
        ++all[calls][{r, reader.communicators().at(static_cast<std::size_t>(
                             e.comm))[static_cast<std::size_t>(e.dest)]}][e.send_bytes];
      else if (trace::class_of(e.op) == trace::OpClass::collective)
        ++calls;
  }
  std::vector<Messages> plays;
  for (auto& [call, sent] : all) plays.push_back(std::move(sent));
  return plays;
}

/// A collective's algorithms whose messages are all the network knows of.
std::vector<const Algorithm*> of_messages_alone(Collective collective) {
  std::vector<const Algorithm*> some;
  for (const Algorithm* a : catalogue()) {
    if (a->collective != collective || !a->supports(played_ranks)) continue;
    bool alone = false;
    for_each_step(a->schedule(call_of(*a)), true, [&](const Step& step) {
      alone = (alone || !step.transfers.empty()) && step.multicasts.empty() && step.reductions.empty();
    });
    if (alone) some.push_back(a);
  }
  return some;
}

class RecordedLaw5 : public ::testing::TestWithParam<Collective> {};

TEST_P(RecordedLaw5, WhatIsRecordedAreTheSchedules) {
  const Folder folder;
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // what Open MPI leaves behind at its end is not ours
  const Recorded recorded = record_into(
      folder,
      mpirun(played_ranks, {COLLCAST_MPI_PROGRAM, std::string(definition(GetParam()).name), "--algorithm",
                            "all", "--size", std::to_string(message), "--repetitions", "3", "--segment",
                            std::to_string(message / segments), "--ranks-per-node", "2"}));
  ASSERT_EQ(recorded.application_status, 0);
  const std::vector<Messages> played = of_trace(trace::Reader(recorded.trace.path));
  auto play = played.begin();
  const std::vector<const Algorithm*> all = of_messages_alone(GetParam());
  for (auto a = all.begin(); a != all.end();) {
    const Messages schedule = of_schedule(**a);
    const auto other =
        std::find_if(a, all.end(), [&](const Algorithm* b) { return of_schedule(*b) != schedule; });
    play = std::find(play, played.end(), schedule);
    const auto last = std::find_if(play, played.end(), [&](const Messages& p) { return p != schedule; });
    // Three repetitions of each, what warms up, and those that began late.
    EXPECT_GE(last - play, 3 * (other - a)) << "of " << (*a)->name;
    a = other, play = last;
  }
}

/// Each takes an mpirun.
std::vector<Collective> with_messages_alone() {
  std::vector<Collective> some;
  for (const Algorithm* a : catalogue())
    if (!definition(a->collective).counted() && std::ranges::find(some, a->collective) == some.end() &&
        !of_messages_alone(a->collective).empty())
      some.push_back(a->collective);
  return some;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, RecordedLaw5, ::testing::ValuesIn(with_messages_alone()),
                         [](const auto& info) {
                           return underscored(std::string(definition(info.param).name));
                         });

}  // namespace
}  // namespace collcast::recorder::test

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

Messages of_trace(const trace::Reader& reader) {
  Messages all;
  for (Rank r = 0; r < played_ranks; ++r)
    for (const trace::Event& e : trace::test::read_rank(reader, r))
      if (e.op == trace::Op::send)
        ++all[{r, reader.communicators().at(
                      static_cast<std::size_t>(e.comm))[static_cast<std::size_t>(e.dest)]}][e.send_bytes];
  return all;
}

/// How many plays make the schedule's messages the trace's; 0 if no number does.
std::int64_t plays(const Messages& schedule, const Messages& trace) {
  const auto& some = schedule.begin()->second;
  const auto found = trace.find(schedule.begin()->first);
  if (found == trace.end()) return 0;
  const std::int64_t times = found->second.begin()->second / some.begin()->second;
  Messages repeated = schedule;
  for (auto& [pair, sizes] : repeated)
    for (auto& [size, count] : sizes) count *= times;
  return repeated == trace ? times : 0;
}

class RecordedLaw5 : public ::testing::TestWithParam<const Algorithm*> {};

TEST_P(RecordedLaw5, WhatIsRecordedIsTheSchedule) {
  const Algorithm& a = *GetParam();
  const Folder folder;
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // what Open MPI leaves behind at its end is not ours
  std::vector<std::string> command =
      mpirun(played_ranks, {COLLCAST_MPI_PROGRAM, std::string(definition(a.collective).name), "--algorithm",
                            std::string(a.name), "--size", std::to_string(message), "--repetitions", "3"});
  if (a.segmented) command.insert(command.end(), {"--segment", std::to_string(message / segments)});
  if (a.ranks_per_node) command.insert(command.end(), {"--ranks-per-node", "2"});
  const Recorded recorded = record_into(folder, command);
  ASSERT_EQ(recorded.application_status, 0);
  const trace::Reader reader(recorded.trace.path);
  // Three repetitions, what warms up, and those that began late.
  EXPECT_GE(plays(of_schedule(a), of_trace(reader)), 3) << "of " << a.name;
}

/// Algorithms whose messages are all the network knows of. Each takes an mpirun.
std::vector<const Algorithm*> of_messages_alone() {
  std::vector<const Algorithm*> some;
  constexpr int one_in = address_sanitizer ? 3 : 1;
  int found = 0;
  for (const Algorithm* a : catalogue()) {
    if (definition(a->collective).counted || !a->supports(played_ranks)) continue;
    bool alone = false;
    for_each_step(a->schedule(call_of(*a)), true, [&](const Step& step) {
      alone = (alone || !step.transfers.empty()) && step.multicasts.empty() && step.reductions.empty();
    });
    if (alone && found++ % one_in == 0) some.push_back(a);
  }
  return some;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, RecordedLaw5, ::testing::ValuesIn(of_messages_alone()), test_name);

}  // namespace
}  // namespace collcast::recorder::test

// SPDX-License-Identifier: Apache-2.0
// What formats lack is written as messages, on a machine of alpha = 1 s and 1 GB/s that sums 1 GB/s.
#include "replay/application/as_messages.hpp"

#include <gtest/gtest.h>

#include "platforms/description/load.hpp"
#include "replay/application/goal.hpp"
#include "replay/application/stage.hpp"
#include "replay/formats/convert.hpp"
#include "replay/formats/formats.hpp"
#include "replay/source/recorded.hpp"
#include "tests/folder.hpp"
#include "tests/replay/formats/activities.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;
using testing::all;

/// The machine, and what a replay chooses on it.
struct Textbook {
  explicit Textbook(const Source& source, const std::map<std::string, std::string>& forced = {})
      : flat(described()),
        stage(flat, source, options()),
        selection(flat, stage.machine, stage.fabric, "fastest", forced) {}
  static Description described() {
    Description d = load_platform("flat");
    set_all(d, {"network.latency_us=1000000", "network.bandwidth_GBps=1", "devices.rank.reduce_GBps=1"});
    return d;
  }
  static ReplayOptions options() {
    ReplayOptions o;
    o.engine = &engine("path");
    o.policy = "fastest", o.memory = Memory::host, o.interval = false;
    return o;
  }
  double time(const Source& source) const { return replay(source, flat, options()).time.value; }

  Description flat;
  Stage stage;
  Selection selection;
};

Activity calling(Collective c, int communicator, double bytes, Rank root = 0) {
  Activity a;
  a.kind = Kind::collective;
  a.operation = a.call = definition(c).name;
  a.collective = c;
  a.communicator = communicator;
  a.message = Bytes(bytes);
  a.root = root;
  return a;
}
Activity working(double seconds) {
  Activity a;
  a.time = Seconds(seconds);
  return a;
}

/// Ranks 1 and 3 of four add up 1 GB, and rank 3 sends the other one 5 bytes; all meet at a barrier.
TEST(AsMessages, CollectivesThatAreNotHeldAreThoseOfTheirAlgorithm) {
  RecordedSource source(4);
  const int pair = source.communicator("pair", {1, 3});
  for (const Rank r : {0, 1, 2, 3}) {
    if (r % 2 == 1)
      source.at(r) = {calling(Collective::allreduce, pair, 1e9), calling(Collective::broadcast, pair, 5, 1)};
    source.at(r).push_back(calling(Collective::barrier, 0, 0));
  }
  Textbook book(source, {{"allreduce", "recursive-doubling"}, {"broadcast", "flat"}});
  const AsMessages messages(source, book.selection, book.stage.fabric,
                            [](const Activity& a) { return a.communicator == 0; });
  const auto one = all(messages, 1), three = all(messages, 3);
  EXPECT_EQ(all(messages, 0).size(), 1u);
  EXPECT_EQ(all(messages, 2).size(), 1u);
  std::vector<Kind> kinds;
  for (const Activity& a : one) kinds.push_back(a.kind);
  // Both send and receive all of it at once, then sum 1 GB in 1 s.
  ASSERT_EQ(kinds, (std::vector{Kind::send, Kind::receive, Kind::wait, Kind::compute, Kind::receive,
                                Kind::collective}));
  EXPECT_EQ(one[0].to, 3);
  EXPECT_DOUBLE_EQ(one[0].bytes.value, 1e9);
  EXPECT_EQ(one[2].requests, (std::vector{one[0].request, one[1].request}));
  EXPECT_DOUBLE_EQ(one[3].time.value, 1);
  EXPECT_EQ(one[4].from, 3);
  EXPECT_DOUBLE_EQ(one[4].received_bytes.value, 5);
  EXPECT_EQ(three[4].kind, Kind::send);
  EXPECT_EQ(three[4].tag, one[4].received_tag);
  EXPECT_GE(three[4].tag, first_collective_tag);
  EXPECT_NE(three[0].tag, three[4].tag);
  EXPECT_EQ(
      messages.losses(),
      (std::vector<Loss>{{"allreduce", 1, "is written as the messages of an algorithm: recursive-doubling"},
                         {"broadcast", 1, "is written as the messages of an algorithm: flat"}}));
}

/// Two channels of a double tree go on side by side in a replay, and step by step together in messages.
TEST(AsMessages, ChannelsDoNotWaitForEachOtherForEver) {
  RecordedSource source(7);
  for (Rank r = 0; r < 7; ++r) source.at(r) = {calling(Collective::allreduce, 0, 1e9)};
  Textbook book(source, {{"allreduce", "double-tree"}});
  const AsMessages messages(source, book.selection, book.stage.fabric, [](const Activity&) { return false; });
  const double time = book.time(messages);
  ReplayOptions forced = Textbook::options();
  forced.algorithms["allreduce"] = "double-tree";
  const double before = replay(source, book.flat, forced).time.value;
  EXPECT_GE(time, before * (1 - 1e-9));
  EXPECT_LT(time, 1.2 * before);
}

/// Pairs of ranks in both orders, and a scan, which Chakra lacks.
std::unique_ptr<RecordedSource> of_pairs() {
  auto source = std::make_unique<RecordedSource>(4);
  const int even = source->communicator("even", {0, 2}), odd = source->communicator("odd", {3, 1});
  for (const Rank r : {0, 1, 2, 3}) {
    const int pair = r % 2 == 0 ? even : odd;
    source->at(r) = {working(0.25 * (r + 1)),
                     calling(Collective::allreduce, pair, 1e8),
                     calling(Collective::broadcast, pair, 2e8, 1),
                     working(0.0000004),
                     calling(Collective::scan, 0, 1e7),
                     calling(Collective::reduce, 0, 1e8, 2),
                     working(0.5)};
  }
  return source;
}

TEST(AsMessages, ConvertedTracesTakeAsLongAsBefore) {
  const auto source = of_pairs();
  Textbook book(*source);
  const double before = book.time(*source);
  const auto messages = [&](auto held) {
    return AsMessages(*source, book.selection, book.stage.fabric, held(*source));
  };
  const Folder folder;
  const std::string ti = folder / "t.ti", goal = folder / "t.goal", chakra = folder / "t";
  write_time_independent(messages(time_independent_holds), ti);
  write_chakra(messages(chakra_holds), chakra);
  write_goal(*source, book.selection, book.stage.fabric, goal);
  std::vector<std::string> of_ranks;
  for (const Rank r : {0, 1, 2, 3}) of_ranks.push_back(chakra_file(chakra, r));
  for (const auto& files : {std::vector{ti}, {goal}, of_ranks}) {
    const auto after = open_source(files);
    EXPECT_NEAR(book.time(*after), before, 1e-6 * before) << files[0];
    EXPECT_TRUE(after->info().losses.empty()) << files[0];
  }
}

}  // namespace
}  // namespace collcast

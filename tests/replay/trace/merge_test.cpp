// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/edges.hpp"
#include "support/json.hpp"
#include "tests/replay/trace/fixture.hpp"

namespace collcast::trace::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Groups = std::vector<std::vector<int>>;

void append(Bytes& to, const Bytes& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Bytes json_piece(PieceKind kind, int rank, const Json& json) {
  const std::string text = dump(json);
  return pack(kind, static_cast<std::uint32_t>(rank), 0,
              {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

/// A rank's file as the recorder leaves it.
void write_part(const Folder& folder, int rank, int ranks, const Groups& groups,
                const std::vector<Event>& events, bool finished = true, const Json& odd = Json::object(),
                const Json& more = Json::object()) {
  Bytes file = preamble(FileKind::recording);
  Json metadata{{"rank", rank}, {"ranks", ranks}, {"host", "h"}};
  metadata.update(more);
  append(file, json_piece(PieceKind::metadata, rank, metadata));
  append(file, pack(PieceKind::communicators, static_cast<std::uint32_t>(rank),
                    static_cast<std::uint32_t>(groups.size()), encode_groups(groups)));
  Encoder encoder;
  for (const auto& e : events) encoder.put(e);
  append(file, pack(PieceKind::events, static_cast<std::uint32_t>(rank), encoder.count(), encoder.bytes()));
  Json status{{"finished", finished},
              {"wall_s", 1.0 + rank},
              {"not_modelled", {{{"operation", "MPI_Put"}, {"count", 2}, {"reason", "not modelled"}}}}};
  status.update(odd);
  append(file, json_piece(PieceKind::status, rank, status));
  write_file(folder / recording_name(rank), file);
}

TEST(Merge, NumbersCommunicatorsAlikeOnAllRanks) {
  const Folder folder;
  // Rank 0 meets {0, 1} twice; rank 1 meets {1, 2} in between. Local numbers differ, the trace's must not.
  write_part(folder, 0, 3, {{0, 1, 2}, {0, 1}, {0, 1}}, {event(Op::barrier, 1), event(Op::allreduce, 2)});
  write_part(folder, 1, 3, {{0, 1, 2}, {0, 1}, {1, 2}, {0, 1}},
             {event(Op::barrier, 1), event(Op::allreduce, 3)});
  write_part(folder, 2, 3, {{0, 1, 2}, {1, 2}}, {event(Op::barrier, 1)});
  const Merged merged = merge(folder.path(), folder / "t.cct");
  EXPECT_EQ(merged.ranks, 3);
  EXPECT_EQ(merged.events, 5);
  const Reader reader(folder / "t.cct");
  EXPECT_THAT(reader.communicators(),
              ElementsAre(std::vector{0, 1, 2}, std::vector{0, 1}, std::vector{0, 1}, std::vector{1, 2}));
  EXPECT_EQ(read_rank(reader, 0)[1].comm, 2);
  EXPECT_EQ(read_rank(reader, 1)[1].comm, 2);
  EXPECT_EQ(read_rank(reader, 2)[0].comm, 3);
  EXPECT_FALSE(reader.truncated());
}

/// What a rank had not yet written when it was killed: events behind the first `begin` bytes of its file.
void write_tail(const Folder& folder, int rank, std::uint64_t begin, const std::vector<Event>& events) {
  Encoder encoder;
  for (const auto& e : events) encoder.put(e);
  const TailHeader header{tail_mark, begin, std::uint64_t{encoder.count()} << 32 | encoder.bytes().size(),
                          3'000'000'000, static_cast<std::uint64_t>(rank)};
  const auto* first = reinterpret_cast<const std::uint8_t*>(&header);
  Bytes file(first, first + sizeof header);
  append(file, encoder.bytes());
  file.resize(sizeof header + piece_bytes);
  write_file(tail_of(folder / recording_name(rank)), file);
}

TEST(Merge, AddsTheTailOfARankThatWasKilled) {
  const Folder folder;
  write_part(folder, 0, 1, {{0}}, {event(Op::barrier, 0)}, false);
  const std::uint64_t whole = read_file(folder / recording_name(0)).size();
  write_tail(folder, 0, whole, {event(Op::scan, 0), event(Op::allreduce, 0)});
  for (Event e; int times : {0, 1}) {
    // A piece that the rank was writing, whole or in part, is in the tail as well.
    if (times) {
      Bytes file = read_file(folder / recording_name(0));
      append(file, pack(PieceKind::events, 0, 0, {}));
      file.pop_back();
      write_file(folder / recording_name(0), file);
    }
    merge(folder.path(), folder / "t.cct");
    const Reader reader(folder / "t.cct");
    ASSERT_EQ(reader.events(0), 3);
    EXPECT_EQ(read_rank(reader, 0)[2].op, Op::allreduce);
    EXPECT_EQ(reader.metadata().recorded_time, Seconds(3));
  }
  write_tail(folder, 0, whole - 1, {event(Op::barrier, 0)});
  EXPECT_THAT(complaint([&] { merge(folder.path(), folder / "t.cct"); }),
              HasSubstr("does not begin where its recording ends"));
  write_file(tail_of(folder / recording_name(0)), Bytes(100, 1));
  EXPECT_THAT(complaint([&] { merge(folder.path(), folder / "t.cct"); }),
              HasSubstr("no tail of a recording"));
}

TEST(Ranges, AreSetsOfNumbers) {
  Ranges some, others;
  for (const std::int64_t n : {5, 3, 4, 4, 9, 7, 8, 1}) some.add(n);  // 1, 3 to 5, 7 to 9
  for (const std::int64_t n : {0, 1, 4, 5, 6, 7, 20}) others.add(n);
  for (std::int64_t n = -1; n < 12; ++n)
    EXPECT_EQ(some.contains(n), n == 1 || (n >= 3 && n <= 5) || (n >= 7 && n <= 9)) << n;
  EXPECT_EQ(some.absent_from(others), 3);  // 3, 8 and 9
  EXPECT_EQ(others.absent_from(some), 3);  // 0, 6 and 20
  EXPECT_EQ(some.absent_from(Ranges()), 7);
}

TEST(Merge, SaysThatNoCallLiesInTheWindow) {
  const Folder folder;
  const auto said = [&](const std::string& window) {
    write_part(folder, 0, 1, {{0}}, {event(Op::init), event(Op::finalize)}, true, {{"collectives", 57}},
               {{"window", window}});
    merge(folder.path(), folder / "t.cct");
    return Reader(folder / "t.cct").metadata().inferred;
  };
  EXPECT_THAT(
      said("100-"),
      ElementsAre("no call lies in the window 100-: collectives on MPI_COMM_WORLD in the whole run: 57"));
  EXPECT_THAT(said(""), testing::IsEmpty());
}

// Rank 0 sends messages 3 and 4, rank 1 receives 2, 3 and by a wildcard 5: 3 alone is whole.
TEST(Merge, CutsMessagesAtTheEdgesOfAWindow) {
  const Folder folder;
  const auto numbered = [](Event e, std::int64_t number) {
    (e.dest == none ? e.recv_number : e.send_number) = number;
    return e;
  };
  Event anyone = message(Op::recv, none, any, 7, 8, 0), wait = event(Op::wait);
  wait.completed = {{0, 0, 7, false, 5}};
  const Json window{{"window", "3-5"}};
  write_part(folder, 0, 2, {{0, 1}},
             {numbered(message(Op::send, 1, none, 7, 8), 3), numbered(message(Op::send, 1, none, 7, 8), 4)},
             true, Json::object(), window);
  write_part(folder, 1, 2, {{0, 1}},
             {numbered(message(Op::recv, none, 0, 7, 8), 2), numbered(message(Op::recv, none, 0, 7, 8), 3),
              anyone, wait},
             true, Json::object(), window);
  merge(folder.path(), folder / "t.cct");
  const Reader reader(folder / "t.cct");
  const auto sent = read_rank(reader, 0), received = read_rank(reader, 1);
  EXPECT_EQ(std::tuple(sent[0].dest, sent[1].dest), std::tuple(1, proc_null));
  EXPECT_EQ(std::tuple(received[0].source, received[1].source, received[2].source),
            std::tuple(proc_null, 0, proc_null));
  EXPECT_EQ(sent[0].send_number, none);
  EXPECT_EQ(received[3].completed[0].number, none);
  EXPECT_THAT(reader.metadata().losses,
              testing::IsSupersetOf({Loss{"messages", 2, "received in the window and sent outside it"},
                                     Loss{"messages", 1, "sent in the window and received outside it"}}));
}

TEST(Merge, TellsCommunicatorsOfOneGroupByTheirParents) {
  const Folder folder;
  const auto made = [](CommId from, CommId what) {
    Event e = event(Op::comm_dup, from);
    e.new_comm = what;
    return e;
  };
  // Two duplicates of the world, and one of each of them: rank 1 makes that of the second first.
  const Groups groups(5, {0, 1});
  write_part(folder, 0, 2, groups, {made(0, 1), made(0, 2), made(1, 3), made(2, 4), event(Op::barrier, 3)});
  write_part(folder, 1, 2, groups, {made(0, 1), made(0, 2), made(2, 3), made(1, 4), event(Op::barrier, 4)});
  merge(folder.path(), folder / "t.cct");
  const Reader reader(folder / "t.cct");
  EXPECT_EQ(reader.communicators().size(), 5u);
  EXPECT_EQ(read_rank(reader, 0).back().comm, read_rank(reader, 1).back().comm);
  EXPECT_EQ(read_rank(reader, 0)[3].new_comm, read_rank(reader, 1)[2].new_comm);
}

TEST(Merge, PutsMatchesWhereWildcardReceivesBegan) {
  const Folder folder;
  Event receive = message(Op::recv, none, any, any, 8, 0);
  Event cancelled = message(Op::recv, none, any, any, 8, 1);
  Event wait = event(Op::waitall);
  wait.completed = {{0, 1, 42, false}, {1, none, none, true}};
  write_part(folder, 0, 2, {{0, 1}}, {receive, cancelled, wait});
  write_part(folder, 1, 2, {{0, 1}}, {});
  merge(folder.path(), folder / "t.cct");
  const auto events = read_rank(Reader(folder / "t.cct"), 0);
  EXPECT_EQ(events[0].source, 1);
  EXPECT_EQ(events[0].recv_tag, 42);
  EXPECT_EQ(events[1].source, proc_null);
}

TEST(Merge, SumsLossesAndTakesTheLongestTime) {
  const Folder folder;
  for (int r = 0; r < 2; ++r) write_part(folder, r, 2, {{0, 1}}, {event(Op::init)});
  merge(folder.path(), folder / "t.cct");
  const Reader reader(folder / "t.cct");
  EXPECT_THAT(reader.metadata().losses, ElementsAre(Loss{"MPI_Put", 4, "not modelled"}));
  EXPECT_DOUBLE_EQ(reader.metadata().recorded_time.value, 2.0);
}

TEST(Merge, NamesTheMissingRank) {
  const Folder folder;
  write_part(folder, 0, 3, {{0, 1, 2}}, {});
  write_part(folder, 2, 3, {{0, 1, 2}}, {});
  EXPECT_THAT(complaint([&] { merge(folder.path(), folder / "t.cct"); }),
              HasSubstr("the file of rank 1 is missing (rank-000001.cctr)"));
  EXPECT_FALSE(std::filesystem::exists(folder / "t.cct"));
}

TEST(Merge, RefusesWhatNoReplayWouldTake) {
  const Folder folder;
  const auto refusal = [&](const Groups& groups, const std::vector<Event>& events) {
    write_part(folder, 0, 2, groups, events);
    write_part(folder, 1, 2, {{0, 1}}, {});
    return complaint([&] { merge(folder.path(), folder / "t.cct"); });
  };
  EXPECT_THAT(refusal({{0, 1}}, {message(Op::send, 2, none, 0, 8)}),
              HasSubstr("rank-000000.cctr: rank 0, event 0: MPI_Send names rank 2 of 2"));
  EXPECT_THAT(refusal({{0, 1}, {1}}, {event(Op::barrier, 1)}), HasSubstr("which lacks this rank"));
  EXPECT_THAT(refusal({{0}, {0, 1}}, {}), HasSubstr("rank 0 does not say first who is in the world"));
  EXPECT_FALSE(std::filesystem::exists(folder / "t.cct"));
}

TEST(Merge, RefusesANumberOfRanksThatIsNone) {
  for (const Json& ranks : {Json(2.9), Json(4294967298), Json(0), Json(18446744073709551615u), Json("2")}) {
    const Folder folder;
    Bytes file = preamble(FileKind::recording);
    append(file, json_piece(PieceKind::metadata, 0, {{"rank", 0}, {"ranks", ranks}}));
    write_file(folder / recording_name(0), file);
    EXPECT_THAT(complaint([&] { merge(folder.path(), folder / "t.cct"); }),
                HasSubstr("ranks is " + dump(ranks) + "; a whole number from 1 to 67108864 is expected"));
  }
}

TEST(Merge, RefusesAFolderWithoutRecordings) {
  const Folder folder;
  EXPECT_THAT(complaint([&] { merge(folder.path(), folder / "t.cct"); }),
              HasSubstr("holds no rank's recording"));
  EXPECT_THAT(complaint([&] { merge(folder / "none", folder / "t.cct"); }), HasSubstr("cannot be read"));
}

TEST(Merge, KilledRankIsNotedAndReadToItsEnd) {
  const Folder folder;
  write_part(folder, 0, 2, {{0, 1}}, {event(Op::init), event(Op::barrier, 0)});
  write_part(folder, 1, 2, {{0, 1}}, {event(Op::init), event(Op::barrier, 0)}, false);
  const Bytes part = read_file(folder / recording_name(1));
  write_file(folder / recording_name(1), Bytes(part.begin(), part.end() - 3));  // killed while it wrote
  merge(folder.path(), folder / "t.cct");
  const Reader reader(folder / "t.cct");
  EXPECT_TRUE(reader.truncated());
  EXPECT_THAT(reader.notes(),
              ElementsAre(HasSubstr("rank 1: the recording ends before MPI_Finalize (the application")));
  EXPECT_EQ(read_rank(reader, 1).size(), 2u);
}

TEST(Merge, RefusesTimesAndCountsThatCannotBe) {
  const Folder folder;
  const Json no_count{{"not_modelled", {{{"operation", "MPI_Put"}, {"count", -2}, {"reason", "no"}}}}};
  for (const Json& odd : {Json{{"wall_s", -1.0}}, Json{{"wall_s", 1e300}}, no_count}) {
    write_part(folder, 0, 1, {{0}}, {event(Op::init)}, true, odd);
    EXPECT_THAT(complaint([&] { merge(folder.path(), folder / "t.cct"); }),
                testing::AllOf(HasSubstr(folder / recording_name(0)), HasSubstr("expected")));
  }
}

TEST(Merge, SaysThatTheDiskWasFull) {
  const Folder folder;
  write_part(folder, 0, 1, {{0}}, {event(Op::init)}, false);
  write_file(folder / write_failure_mark, {});
  merge(folder.path(), folder / "t.cct");
  EXPECT_THAT(Reader(folder / "t.cct").notes(), ElementsAre(HasSubstr("the disk was full")));
}

}  // namespace
}  // namespace collcast::trace::test

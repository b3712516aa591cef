// SPDX-License-Identifier: Apache-2.0
#include "tests/replay/trace/fixture.hpp"

namespace collcast::trace::test {
namespace {

Event full_event(Op op) {
  Event e = event(op, world);
  e.compute = Seconds(123e-9);
  e.duration = Seconds(4567e-9);
  e.new_comm = world;
  e.dest = 1, e.source = 2, e.send_tag = 3, e.recv_tag = 400000;
  e.root = 1;
  e.send_bytes = 1'000'000'000'000, e.recv_bytes = 17;
  e.datatype_bytes = 8;
  e.reduction = Reduction::minloc;
  e.in_place = e.persistent = true;
  e.request = 99;
  e.polls = 12345;
  e.polling = Seconds(1e-3);
  e.send_counts = {1, 0, 3};
  e.recv_counts = {4, 5, 1'000'000'000'000};
  e.completed = {{7, 1, 2, false}, {99, none, none, true}};
  return e;
}

/// Times are whole nanoseconds in a file, and floating point when read.
void expect_same(const Event& a, const Event& b) {
  EXPECT_NEAR(a.compute.value, b.compute.value, 1e-15);
  EXPECT_NEAR(a.duration.value, b.duration.value, 1e-15);
  EXPECT_NEAR(a.polling.value, b.polling.value, 1e-15);
  Event x = a;
  x.compute = b.compute, x.duration = b.duration, x.polling = b.polling;
  EXPECT_EQ(x, b);
}

std::vector<Event> coded(const std::vector<Event>& events) {
  Encoder encoder;
  for (const auto& e : events) encoder.put(e);
  std::vector<Event> read;
  Decoder decoder(encoder.bytes(), "code", 3);
  for (Event e; decoder.next(e);) read.push_back(e);
  return read;
}

TEST(TraceRoundTrip, EveryOperationWithEveryField) {
  std::vector<Event> events;
  for (int op = 0; op < op_count; ++op) {
    events.push_back(event(static_cast<Op>(op)));
    events.push_back(full_event(static_cast<Op>(op)));
  }
  const std::vector<Event> read = coded(events);
  ASSERT_EQ(read.size(), events.size());
  for (std::size_t i = 0; i < read.size(); ++i) expect_same(read[i], events[i]);
}

TEST(TraceRoundTrip, EveryRanksEventsAndTheMetadata) {
  const Folder folder;
  const std::vector<Event> events{event(Op::init), message(Op::send, 1, none, 3, 8), event(Op::finalize)};
  write_trace(folder / "t.cct", 3, events);
  const Reader reader(folder / "t.cct");
  EXPECT_FALSE(reader.truncated());
  EXPECT_EQ(reader.metadata(), metadata(3));
  for (int r = 0; r < 3; ++r) {
    EXPECT_EQ(read_rank(reader, r), events);
    EXPECT_EQ(reader.events(r), static_cast<std::int64_t>(events.size()));
  }
}

TEST(TraceRoundTrip, SentinelsAndWildcards) {
  Event e = event(Op::recv, world);
  e.source = any, e.recv_tag = any, e.dest = proc_null, e.root = root_of_group;
  EXPECT_EQ(coded({e}), std::vector<Event>{e});
}

TEST(TraceRoundTrip, CommunicatorsOfAnyShape) {
  const Folder folder;
  const std::vector<std::vector<int>> groups = {world_of(9), {0, 2, 4, 6},       {8, 7, 6, 5},
                                                {3},         {0, 1, 5, 2, 8, 3}, {}};
  Writer writer(folder / "t.cct", metadata(9), groups);
  writer.close();
  EXPECT_EQ(Reader(folder / "t.cct").communicators(), groups);
}

TEST(TraceRoundTrip, ManyPiecesAreReadInTurn) {
  const Folder folder;
  constexpr int events = 200'000;
  {
    Writer writer(folder / "t.cct", metadata(2), {world_of(2)});
    for (int i = 0; i < events; ++i)
      for (int r = 0; r < 2; ++r) writer.put(r, message(Op::send, 1 - r, none, i, 8 * i, i));
    writer.close();
  }
  const Reader reader(folder / "t.cct");
  Event e;
  auto first = reader.rank(0), second = reader.rank(1);
  for (int i = 0; i < events; ++i)
    for (auto* cursor : {&first, &second}) {
      ASSERT_TRUE(cursor->next(e));
      ASSERT_EQ(e.send_tag, i);
      ASSERT_EQ(e.request, i);
      ASSERT_EQ(e.send_bytes, std::int64_t{8} * i);
    }
  EXPECT_FALSE(first.next(e));
  EXPECT_FALSE(second.next(e));
}

TEST(TraceRoundTrip, AppearsUnderItsNameOnlyWhenClosed) {
  const Folder folder;
  {
    Writer writer(folder / "t.cct", metadata(1), {world_of(1)});
    writer.put(0, event(Op::init));
    EXPECT_FALSE(std::filesystem::exists(folder / "t.cct"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TraceNames, AreThoseOfMpi) {
  EXPECT_EQ(mpi_name(Op::allreduce), "MPI_Allreduce");
  EXPECT_EQ(mpi_name(Op::allreduce, true), "MPI_Iallreduce");
  EXPECT_EQ(mpi_name(Op::comm_dup, true), "MPI_Comm_idup");
  EXPECT_STREQ(short_name(Op::reduce_scatter_block), "reduce_scatter_block");
  EXPECT_STREQ(name(Reduction::user), "user");
}

}  // namespace
}  // namespace collcast::trace::test

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "platforms/description/load.hpp"
#include "replay/application/replay.hpp"
#include "replay/formats/cct.hpp"
#include "replay/trace/writer.hpp"
#include "support/error.hpp"
#include "tests/folder.hpp"

namespace collcast {
namespace {

using trace::Event;

/// A trace of a few events per rank, written to a file that goes with it.
class Traced {
 public:
  Traced(std::vector<std::vector<Event>> events, std::vector<std::vector<int>> communicators = {}) {
    trace::Metadata metadata;
    metadata.ranks = static_cast<int>(events.size());
    metadata.command = "written by hand";
    for (const auto& rank : events)
      for (const Event& e : rank) metadata.threads = std::max(metadata.threads, e.thread + 1);
    if (communicators.empty()) {
      communicators.resize(1);
      for (int r = 0; r < metadata.ranks; ++r) communicators[0].push_back(r);
    }
    trace::Writer writer(path_, metadata, communicators);
    for (int r = 0; r < metadata.ranks; ++r) {
      for (const Event& e : events[static_cast<std::size_t>(r)]) writer.put(r, e);
      Event last;
      last.op = trace::Op::finalize;
      writer.put(r, last);
    }
    writer.close();
  }
  ~Traced() { std::filesystem::remove(path_); }

  ReplayReport on_flat(ReplayOptions options = {}) const {
    // alpha = 1 s, 1 GB/s, reduction 1 GB/s.
    Description flat = load_platform("flat");
    set_all(flat, {"network.latency_us=1000000", "network.bandwidth_GBps=1", "devices.rank.reduce_GBps=1"});
    return on(flat, std::move(options));
  }
  ReplayReport on(const Description& platform, ReplayOptions options) const {
    const trace::Reader reader(path_);
    options.engine = &engine("path");
    return replay(*cct_source(reader), platform, options);
  }

 private:
  std::string path_ = scratch("application.cct");
};

Event event(trace::Op op, double compute = 0) {
  Event e;
  e.op = op;
  e.comm = trace::world;
  e.compute = Seconds(compute);
  return e;
}
Event send(int to, std::int64_t bytes, double compute = 0) {
  Event e = event(trace::Op::send, compute);
  e.dest = to, e.send_tag = 7, e.send_bytes = bytes;
  return e;
}
Event receive(int from, std::int64_t bytes, double compute = 0) {
  Event e = event(trace::Op::recv, compute);
  e.source = from, e.recv_tag = 7, e.recv_bytes = bytes;
  return e;
}
Event allreduce(std::int64_t bytes, double compute = 0) {
  Event e = event(trace::Op::allreduce, compute);
  e.send_bytes = e.recv_bytes = bytes;
  return e;
}
Event waiting(trace::RequestId request, double compute = 0) {
  Event e = event(trace::Op::wait, compute);
  e.comm = trace::none;
  e.completed.push_back({request});
  return e;
}

TEST(Replay, AMessageTakesAlphaAndItsBytes) {
  // Rank 1 waits for 3 s of rank 0's computation and a message of 1 + 2 s, then computes 1 s.
  const Traced traced({{send(1, 2'000'000'000, 3)}, {receive(0, 2'000'000'000), event(trace::Op::init, 1)}});
  const ReplayReport r = traced.on_flat();
  EXPECT_DOUBLE_EQ(r.time.value, 7);
  EXPECT_DOUBLE_EQ(r.compute.value, (3 + 1) / 2.0);
  EXPECT_DOUBLE_EQ(r.exposed.value, 5);
}

Event by_thread(Event e, int thread, std::int64_t overlapped = 0) {
  e.thread = thread, e.overlapped = overlapped;
  return e;
}

Event synchronous(int to, std::int64_t bytes) {
  Event e = send(to, bytes);
  e.op = trace::Op::ssend;
  return e;
}

// On both ranks a thread receives while the other one sends, and the receive was done first: in that order
// both would wait for ever.
TEST(Replay, ThreadsGoSideBySideWhereTheyDid) {
  const std::vector<Event> rank0 = {by_thread(receive(1, 1'000'000'000), 1),
                                    by_thread(synchronous(1, 1'000'000'000), 0, 1)};
  const std::vector<Event> rank1 = {by_thread(receive(0, 1'000'000'000), 1),
                                    by_thread(synchronous(0, 1'000'000'000), 0, 1)};
  EXPECT_DOUBLE_EQ(Traced({rank0, rank1}).on_flat().time.value, 2);  // both messages at once: 1 + 1 s
}

// The second thread's message, which goes the other way, waits for the first one's only if it did.
TEST(Replay, ThreadsKeepTheOrderOfCallsThatDidNotOverlap) {
  const auto time = [](std::int64_t overlapped) {
    const std::vector<Event> rank0 = {by_thread(synchronous(1, 1'000'000'000), 0),
                                      by_thread(receive(1, 1'000'000'000), 1, overlapped)};
    const std::vector<Event> rank1 = {by_thread(receive(0, 1'000'000'000), 0),
                                      by_thread(synchronous(0, 1'000'000'000), 1, overlapped)};
    return Traced({rank0, rank1}).on_flat().time.value;
  };
  EXPECT_DOUBLE_EQ(time(0), 4);
  EXPECT_DOUBLE_EQ(time(1), 2);
}

TEST(Replay, ComputationScales) {
  const Traced traced({{event(trace::Op::init, 3)}});
  ReplayOptions twice;
  twice.compute_scale = 2;
  EXPECT_DOUBLE_EQ(traced.on_flat(twice).time.value, 6);
}

TEST(Replay, CollectivesTakeTheAlgorithmThatWasNamed) {
  // Ring allreduce of 1 GB on two ranks: 2 (1 + 0.5) + 0.5 s; recursive doubling: 1 + 1 + 1 s.
  const Traced traced({{allreduce(1'000'000'000)}, {allreduce(1'000'000'000)}});
  ReplayOptions ring, doubling;
  ring.algorithms["allreduce"] = "ring";
  doubling.algorithms["allreduce"] = "recursive-doubling";
  EXPECT_DOUBLE_EQ(traced.on_flat(ring).time.value, 3.5);
  EXPECT_DOUBLE_EQ(traced.on_flat(doubling).time.value, 3);
  EXPECT_LE(traced.on_flat().time.value, 3);
  EXPECT_EQ(traced.on_flat(ring).operations[0].algorithm, "ring");
}

TEST(Replay, OneRankOfAJobIsToldToBeAlone) {
  const auto notes = Traced({{allreduce(1000)}}).on_flat().notes;
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0], "one rank talks to nobody; name the files of all, or --ranks above 1");
  EXPECT_TRUE(Traced({{event(trace::Op::init, 3)}}).on_flat().notes.empty());
}

TEST(Replay, AnAlgorithmMayBeForSizesFromOneOn) {
  // As above: below 600 MB the ring, which takes 2 (1 + 0.25) + 0.25 s for 500 MB; from there on doubling, 3
  // s for 1 GB.
  const std::vector<Event> rank = {allreduce(500'000'000), allreduce(1'000'000'000)};
  const Traced traced({rank, rank});
  ReplayOptions sized;
  sized.algorithms = {{"allreduce", "ring"}, {"allreduce@600MB", "recursive-doubling"}};
  EXPECT_DOUBLE_EQ(traced.on_flat(sized).time.value, 2.75 + 3);
  sized.algorithms = {
      {"allreduce@1GB", "ring"}};  // smaller ones are the policy's: doubling takes 1 + 0.5 + 0.5
  EXPECT_LE(traced.on_flat(sized).time.value, 2 + 3.5);
  sized.algorithms = {{"allreduce@600MB", "recursive-doubling"}, {"allreduce@1GB", "auto"}};
  EXPECT_LE(traced.on_flat(sized).time.value, 2 + 3);
  // However near: of 599 MB the ring takes 2 (1 + 0.2995) + 0.2995 s, doubling 1 + 0.6 + 0.6 s of 600 MB.
  const std::vector<Event> near = {allreduce(599'000'000), allreduce(600'000'000)};
  sized.algorithms = {{"allreduce", "ring"}, {"allreduce@600MB", "recursive-doubling"}};
  EXPECT_DOUBLE_EQ(Traced({near, near}).on_flat(sized).time.value, 2.8985 + 2.2);
}

TEST(Replay, NonBlockingCollectivesHideBehindComputation) {
  Event start = allreduce(1'000'000'000);
  start.request = 0;
  const std::vector<Event> rank = {start, waiting(0, 10)};
  const ReplayReport r = Traced({rank, rank}).on_flat();
  EXPECT_DOUBLE_EQ(r.time.value, 10);
  EXPECT_DOUBLE_EQ(r.exposed.value, 0);
  EXPECT_NEAR(r.communication.value, 3, 0.6);
}

TEST(Replay, SmallSendsDoNotWaitForTheirReceivers) {
  // Both send first, as many applications do.
  const Traced traced({{send(1, 8), receive(1, 8)}, {send(0, 8), receive(0, 8)}});
  EXPECT_NEAR(traced.on_flat().time.value, 1, 1e-6);
}

TEST(Replay, NobodyWaitsForWhatIsFreed) {
  // Both send 1 GB before they receive: 1 + 1 s.
  const auto rank = [](int other) {
    Event start = send(other, 1'000'000'000), free = waiting(0);
    start.request = 0, free.op = trace::Op::request_free;
    return std::vector{start, free, receive(other, 1'000'000'000)};
  };
  EXPECT_DOUBLE_EQ(Traced({rank(1), rank(0)}).on_flat().time.value, 2);
}

TEST(Replay, AlltoallvTakesEachPairsOwnSize) {
  auto exchange = [](std::vector<std::int64_t> to, std::vector<std::int64_t> from) {
    Event e = event(trace::Op::alltoallv);
    e.send_counts = std::move(to), e.recv_counts = std::move(from);
    return e;
  };
  // Rank 0 sends 3 GB to rank 1 and gets nothing back: 1 + 3 s.
  const Traced traced({{exchange({0, 3'000'000'000}, {0, 0})}, {exchange({0, 0}, {3'000'000'000, 0})}});
  ReplayOptions pairwise;
  pairwise.algorithms["alltoall"] = "pairwise";
  EXPECT_DOUBLE_EQ(traced.on_flat(pairwise).time.value, 4);
  EXPECT_DOUBLE_EQ(traced.on_flat(pairwise).operations[0].bytes.value,
                   1.5e9);  // what a rank sends on average
}

TEST(Replay, OfAGathervTheRootKnowsTheSize) {
  auto gatherv = [](std::int64_t own, std::vector<std::int64_t> all) {
    Event e = event(trace::Op::gatherv);
    e.root = 1, e.send_bytes = own, e.recv_counts = std::move(all);
    return e;
  };
  const Traced traced({{gatherv(300, {})}, {gatherv(0, {300, 0})}});
  EXPECT_DOUBLE_EQ(traced.on_flat().operations[0].bytes.value, 300);
}

TEST(Replay, CollectivesStayInTheirCommunicator) {
  Event half = allreduce(8);
  half.comm = 1;
  const Traced traced({{half}, {event(trace::Op::init, 50)}, {half}}, {{0, 1, 2}, {2, 0}});
  EXPECT_DOUBLE_EQ(traced.on_flat().time.value, 50);
  EXPECT_EQ(traced.on_flat().operations[0].count, 1);
}

TEST(Replay, RanksThatDisagreeAreNamed) {
  const Traced traced({{allreduce(8)}, {event(trace::Op::barrier)}});
  try {
    traced.on_flat();
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("rank 1 calls other collectives, or other roots, than rank 0"),
              std::string::npos)
        << e.what();
  }
}

TEST(Replay, AReceiveThatNeverComesIsNamed) {
  const Traced traced({{receive(1, 8)}, {}});
  try {
    traced.on_flat();
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("rank 1 to 0, tag 7: 1 message received and never sent"),
              std::string::npos)
        << e.what();
  }
}

/// Bandwidth is a datasheet's, latency and reduction are guesses: 2 messages of 1 s each, and 2 MB.
TEST(Replay, SaysHowSureItIs) {
  const ReplayReport r = Traced({{allreduce(1000000, 2)}, {allreduce(1000000, 3)}}).on_flat();
  EXPECT_EQ(r.lower_bound, Seconds(3));
  EXPECT_GE(r.low, r.lower_bound);
  EXPECT_LE(r.low, r.time);
  EXPECT_GE(r.high, r.time);
  EXPECT_TRUE(r.calibrated);  // what --set says is no guess
  EXPECT_EQ(r.limited_by, "computation");
  Seconds sum;
  for (const Share& s : r.explanation) sum += s.time;
  EXPECT_NEAR(sum / r.time, 1, 1e-9);
  EXPECT_DOUBLE_EQ(*r.limited_by_share, 3 / r.time.value);  // of the rank that is last
}

/// Four messages wait for one port, that of their receiver, which each holds for 2 s: the last one waits for
/// 6 of 8.
TEST(Replay, NamesThePortThatIsBusy) {
  std::vector<std::vector<Event>> calls(5);
  for (int r = 1; r < 5; ++r) {
    calls[static_cast<std::size_t>(r)] = {send(0, 1'000'000'000)};
    calls[0].push_back(receive(r, 1'000'000'000));
    calls[0].back().request = r - 1;
  }
  for (int r = 1; r < 5; ++r) calls[0].push_back(waiting(r - 1));
  const ReplayReport r = Traced(calls).on_flat();
  EXPECT_EQ(r.time, Seconds(8));
  EXPECT_EQ(r.explanation.front().cause, Cause::queue);
  EXPECT_EQ(r.limited_by, "rank 0 in");
  EXPECT_DOUBLE_EQ(*r.limited_by_share, 0.75);
}

TEST(Replay, TakesALibrarysChoice) {
  std::vector<Event> calls = {allreduce(8), allreduce(8 << 20)};
  ReplayOptions options;
  options.policy = "mpich";
  const ReplayReport r = Traced({calls, calls, calls, calls}).on_flat(options);
  // MPICH 3.3: recursive doubling up to 2 KiB, then a reduce-scatter and an allgather.
  EXPECT_EQ(r.operations[0].algorithm, "rabenseifner, recursive-doubling");
  options.algorithms = {{"allreduce", "ring"}};
  EXPECT_EQ(Traced({calls, calls, calls, calls}).on_flat(options).operations[0].algorithm, "ring");
}

/// A library that brings its own way of sending sends all messages so: 64 KiB of GPU memory are copied, 9.3
/// us and 12 GB/s, and sent by a rendezvous of 2.5 us, 0.335 us at either end, 1.29 us of way and 11.5 GB/s.
TEST(Replay, SendsAsALibraryDoes) {
  const Traced traced({{send(1, 65536)}, {receive(0, 65536)}});
  ReplayOptions options;
  options.policy = "mvapich2-gdr", options.memory = Memory::device;
  EXPECT_NEAR(traced.on(load_platform("edr-cluster"), options).time.value * 1e6,
              9.3 + 65536 / 12e3 + 2.5 + 2 * 0.335 + 1.29 + 65536 / 11.5e3, 1e-5);
}

TEST(Replay, SaysWhereALibraryHasNoRule) {
  const std::vector<Event> calls = {event(trace::Op::barrier)};
  ReplayOptions options;
  options.policy = "mvapich2-2.3";
  const ReplayReport r = Traced({calls, calls}).on_flat(options);
  ASSERT_EQ(r.notes.size(), 1u);
  EXPECT_NE(r.notes[0].find("; the fastest was taken"), std::string::npos) << r.notes[0];
  for (const char* refused : {"nccl-2.18", "mpih"}) {  // flat has no GPUs
    options.policy = refused;
    EXPECT_THROW(Traced({calls, calls}).on_flat(options), InputError) << refused;
  }
}

}  // namespace
}  // namespace collcast

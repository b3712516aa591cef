// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "replay/formats/convert.hpp"
#include "replay/formats/formats.hpp"
#include "replay/source/inspection.hpp"
#include "replay/source/recorded.hpp"
#include "replay/trace/reader.hpp"
#include "replay/trace/writer.hpp"
#include "tests/complaint.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/replay/formats/trace_files.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;
using samples::chakra_json;
using testing::all;
using Conversions = testing::TraceFiles;

/// What goes out comes back: the same operations, sizes and computation.
TEST_F(Conversions, KeepOperationsAndSizes) {
  const auto source = open_source({file("t", samples::time_independent)});
  const Inspection before = inspect(*source);
  const std::string cct = folder_ / "out.cct", ti = folder_ / "out.ti";
  EXPECT_TRUE(write_cct(*source, cct).empty());
  EXPECT_TRUE(write_time_independent(*source, ti).empty());
  for (const std::string& path : {cct, ti}) {
    const Inspection after = inspect(*open_source({path}));
    EXPECT_NEAR(after.compute.value, before.compute.value, 1e-9) << path;
    Bytes sent, received;
    for (const auto& o : before.operations) sent += static_cast<double>(o.count) * o.size;
    for (const auto& o : after.operations) received += static_cast<double>(o.count) * o.size;
    EXPECT_DOUBLE_EQ(received.value, sent.value) << path;
  }
  write_chakra(*source, folder_ / "out");
  EXPECT_EQ(open_source({folder_ / "out.0.et", folder_ / "out.1.et"})->ranks(), 2);
}

/// Parts of 100 and 200 bytes: the root alone has them all in a recording, every rank in SMPI's format.
TEST_F(Conversions, KeepUnequalParts) {
  const std::string actions =
      "0 init\n1 init\n0 gatherv 100 100 200 1 6 6\n1 gatherv 200 100 200 1 6 6\n"
      "0 scatterv 100 200 100 0 6 6\n1 scatterv 100 200 200 0 6 6\n"
      "0 allgatherv 100 100 200 6 6\n1 allgatherv 200 100 200 6 6\n0 finalize\n1 finalize\n";
  const auto source = open_source({file("t", actions)});
  const std::string cct = folder_ / "out.cct", ti = folder_ / "out.ti";
  EXPECT_TRUE(write_time_independent(*source, ti).empty());
  std::ifstream written(ti);
  std::string line, lines[2];
  while (std::getline(written, line)) lines[line[0] - '0'] += line + '\n';
  EXPECT_EQ(lines[0],
            "0 init\n0 gatherv 100 100 200 1 6 6\n0 scatterv 100 200 100 0 6 6\n0 allgatherv 100 100 200 6 "
            "6\n0 finalize\n");
  EXPECT_EQ(lines[1],
            "1 init\n1 gatherv 200 100 200 1 6 6\n1 scatterv 100 200 200 0 6 6\n1 allgatherv 200 100 200 6 "
            "6\n1 finalize\n");
  EXPECT_TRUE(write_cct(*source, cct).empty());
  const auto back = open_source({cct});
  for (Rank r = 0; r < 2; ++r) {
    std::vector<double> sizes;
    for (const Activity& a : all(*back, r))
      if (a.kind == Kind::collective && a.direct)
        for (const auto& parts : {a.counts->sent, a.counts->received})
          for (const Bytes b : parts) sizes.push_back(b.value);
    // The gather at rank 1, then the scatter from rank 0; what moves nothing is 0.
    const std::vector<double> expected =
        r == 0 ? std::vector<double>{100, 0, 100, 200, 100} : std::vector<double>{200, 100, 200, 0, 200};
    EXPECT_EQ(sizes, expected) << r;
  }
  // What each rank alone knows is written as SimGrid does: the others' sizes stand at the root only.
  EXPECT_TRUE(write_time_independent(*back, ti).empty());
  std::ifstream again(ti);
  std::string actions_again;
  while (std::getline(again, line))
    if (line.find("erv ") != std::string::npos && line.find("all") == std::string::npos)
      actions_again += line + '\n';
  EXPECT_EQ(actions_again,
            "0 gatherv 100 0 0 1 6 6\n0 scatterv 100 200 100 0 6 6\n"
            "1 gatherv 200 100 200 1 6 6\n1 scatterv 0 0 200 0 6 6\n");
}

/// As SimGrid 3.32 wrote them: lists of sizes at the root alone, types by their numbers, any tag, in place.
TEST_F(Conversions, SimGridWritesWhatTheRootKnowsAtTheRoot) {
  const auto read = [&](const std::string& actions) { return open_source({file("t", actions)}); };
  const auto sizes = [](const Source& source) {
    std::vector<double> all_sizes;
    for (Rank r = 0; r < source.ranks(); ++r)
      for (const Activity& a : all(source, r))
        if (a.kind == Kind::collective) all_sizes.push_back(a.sized ? a.message.value : -1);
    return all_sizes;
  };
  const auto gatherv = read("0 gatherv 5 5 6 0 0 0\n1 gatherv 6 0 0 0 0 0\n");
  EXPECT_EQ(sizes(*gatherv), (std::vector<double>{88, 88}));  // 11 doubles
  EXPECT_EQ(all(*gatherv, 1)[0].counts->shares, (std::vector{Bytes(40), Bytes(48)}));
  EXPECT_EQ(sizes(*read("0 gatherv 5 0 0 1 0 0\n1 gatherv 6 5 6 1 0 0\n")), (std::vector<double>{88, 88}));
  EXPECT_EQ(sizes(*read("0 scatterv 0 0 5 1 0 0\n1 scatterv 5 6 6 1 0 0\n")), (std::vector<double>{88, 88}));
  // Nobody says it: both roots are others.
  EXPECT_EQ(sizes(*read("0 gatherv 5 0 0 1 0 0\n1 gatherv 6 5 6 0 0 0\n")), (std::vector<double>{-1, 88}));
  // Bytes or a derived type are sent, the counts are of the ints that are received; displacements without
  // types.
  EXPECT_EQ(sizes(*read("0 gatherv 20 5 6 0 6 1\n1 gatherv 1 0 0 0 -1 1\n")), (std::vector<double>{44, 44}));
  EXPECT_EQ(sizes(*read("0 allgatherv 20 5 6 6 1\n1 allgatherv 1 5 6 -1 1\n")),
            (std::vector<double>{44, 44}));
  EXPECT_EQ(sizes(*read("0 allgatherv 5 5 6 7 0 5 11\n1 allgatherv 6 5 6 7 0 5 11\n"
                        "2 allgatherv 7 5 6 7 0 5 11\n")),
            (std::vector<double>{18, 18, 18}));
  // Non-blocking collectives, as of MPI_Iallreduce and MPI_Ibcast: their waits name any ranks.
  const std::string begun = " iallreduce 10 0 1\n", other = " ibcast 5 0 1\n",
                    waits = " wait -333 -333 -4446\n";
  const auto nonblocking = read("0 init\n0" + begun + "0" + other + "0 compute 9\n0" + waits + "0" + waits +
                                "1" + begun + "1" + other + "1 wait 0 0 -4446\n1 waitall 1\n");
  EXPECT_EQ(sizes(*nonblocking), (std::vector<double>{40, 20, 40, 20}));
  for (Rank r = 0; r < 2; ++r) {
    const auto actions = all(*nonblocking, r);
    const std::size_t first_wait = r == 0 ? 3 : 2;
    EXPECT_EQ(actions.at(first_wait).requests, std::vector{actions[0].request});
    EXPECT_EQ(actions.at(first_wait + 1).requests, std::vector{actions[1].request});
  }
  EXPECT_TRUE(nonblocking->info().losses.empty() && nonblocking->info().notes.empty());
  // In place at the root: it gives nothing, or gets nothing.
  EXPECT_EQ(sizes(*read("0 gather 0 3 0 0 0\n1 gather 3 0 0 0 0\n")), (std::vector<double>{48, 48}));
  EXPECT_EQ(sizes(*read("0 scatter 3 0 0 0 0\n1 scatter 0 3 0 0 0\n")), (std::vector<double>{48, 48}));
  // MPI_UINT64_T, MPI_C_DOUBLE_COMPLEX, a derived type.
  EXPECT_EQ(sizes(*read("0 allreduce 10 0 24\n0 alltoall 10 10 26 26\n0 bcast 10 0 -1\n")),
            (std::vector<double>{80, 160, -1}));
  const auto derived = read("0 send 1 0 10 -1\n1 recv 0 0 10 -1\n");
  ASSERT_EQ(derived->info().losses.size(), 1u);
  EXPECT_EQ(derived->info().losses[0].count, 2);
  // Messages to MPI_PROC_NULL, and of MPI_Issend.
  const auto to_nobody = read(
      "0 send -333 1 1 1\n0 isend -333 1 3 1\n0 wait 0 -333 1\n0 ISsend 1 6 2 1\n"
      "0 wait 0 1 6\n1 recv 0 6 2 1\n");
  ASSERT_EQ(all(*to_nobody, 0).size(), 2u);
  EXPECT_TRUE(all(*to_nobody, 0)[0].synchronous);
  EXPECT_EQ(all(*to_nobody, 0)[1].requests, std::vector{all(*to_nobody, 0)[0].request});
  EXPECT_TRUE(to_nobody->info().losses.empty() && to_nobody->info().notes.empty());
  // MPI_Reduce_scatter_block of 6 doubles, 5 ints, 1 int for each rank.
  const auto blocks = [&](const std::string& arguments) {
    return sizes(*read("0 reducescatter " + arguments + "\n1 reducescatter " + arguments + "\n"));
  };
  EXPECT_EQ(blocks("0 0 0 0 0 0 0"), (std::vector<double>{96, 96}));
  EXPECT_EQ(blocks("0 0 0 0 0 1"), (std::vector<double>{40, 40}));
  EXPECT_EQ(blocks("0 1"), (std::vector<double>{8, 8}));
}

/// Messages do not overtake each other: a receive of any tag gets the first that no other receive got.
TEST_F(Conversions, ReceivesOfAnyTagMatchInOrder) {
  const auto source = open_source({file("t",
                                        "0 send 1 7 100 6\n0 send 1 5 200 6\n0 send 1 7 300 6\n"
                                        "1 recv 0 5 200 6\n1 recv 0 -444 100 6\n1 recv 0 -444 -1 6\n")});
  const auto received = all(*source, 1);
  EXPECT_EQ(received[0].received_tag, 5);
  EXPECT_EQ(received[1].received_tag, 7);
  EXPECT_EQ(received[2].received_tag, 7);
  EXPECT_EQ(received[2].received_bytes, Bytes(300));
  const auto waiting = open_source({file("t", "0 send 1 7 9 6\n1 irecv 0 -444 9 6\n1 wait 0 1 -444\n")});
  ASSERT_EQ(all(*waiting, 1).size(), 2u);
  EXPECT_EQ(all(*waiting, 1)[1].requests, (std::vector{all(*waiting, 1)[0].request}));
  EXPECT_EQ(testing::complaint([&] { open_source({file("t", "0 recv -333 0 1 6\n1 send 0 0 1 6\n")}); }),
            folder_ / "t: line 1: recv is from any rank, and the trace does not say from which");
  EXPECT_EQ(testing::complaint([&] { open_source({file("t", "0 irecv -333 0 1 6\n1 send 0 0 1 6\n")}); }),
            folder_ /
                "t: line 1: irecv is from any rank or from MPI_PROC_NULL, and the trace does not say from "
                "which");
}

TEST_F(Conversions, SayWhereTheApplicationRan) {
  const auto gpus = open_source({file("a.json", samples::kineto(0)), file("b.json", samples::kineto(1))});
  const auto host = open_source({file("t", samples::time_independent)});
  const auto said = [](const Losses& losses) {
    std::string all;
    for (const Loss& l : losses)
      if (l.operation == "memory" || l.operation == "library") all += l.operation + ": " + l.reason + "; ";
    return all;
  };
  const std::string cct = folder_ / "k.cct", other = folder_ / "k";
  EXPECT_EQ(said(write_cct(*gpus, cct)), "");
  EXPECT_EQ(open_source({cct})->info().memory, Memory::device);
  EXPECT_FALSE(open_source({cct})->info().by_mpi);
  write_cct(*host, cct);
  EXPECT_EQ(open_source({cct})->info().memory, Memory::host);
  EXPECT_TRUE(open_source({cct})->info().by_mpi);
  EXPECT_EQ(said(write_chakra(*gpus, other)), "");
  EXPECT_EQ(said(write_time_independent(*gpus, other)),
            "memory: is the GPUs'; the format is read as of the host (replay --memory device); library: is "
            "NCCL; the format is read as MPI's; ");
  EXPECT_EQ(
      said(write_chakra(*host, other)),
      "memory: is the host's, which an attribute of ours says that other tools pass over; library: is MPI, "
      "which an attribute of ours says that other tools pass over; ");
  // The recordings took other times when they were read back as those of GPUs.
  const auto back = open_source({other + ".0.et", other + ".1.et"});
  EXPECT_EQ(back->info().memory, Memory::host);
  EXPECT_TRUE(back->info().by_mpi);
}

TEST_F(Conversions, PausesBecomeComputationAndThatIsSaid) {
  RecordedSource source(1);
  Activity pause;
  pause.kind = Kind::pause;
  pause.time = Seconds(1);
  source.at(0) = {pause, pause};
  const Losses lost = write_cct(source, folder_ / "p.cct");
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0], (Loss{"pause", 2, "becomes computation, which is all that the format has", 2}));
}

/// Computations of 0.4 us are 0, 1, 0 and 1 us to other tools.
TEST_F(Conversions, ChakraKeepsRootsAndTimesInAttributesOfItsOwn) {
  RecordedSource source(2);
  for (const Rank r : {0, 1}) {
    Activity work, broadcast = collective_activity(Collective::broadcast, 0, Bytes(10));
    work.time = Seconds(0.4e-6);
    broadcast.root = 1;
    source.at(r) = {work, work, work, work, broadcast};
  }
  const Losses lost = write_chakra(source, folder_ / "k");
  EXPECT_EQ(lost[0], (Loss{"broadcast", 1,
                           "has its root in comm_root, an attribute of ours that other tools pass over"}));
  EXPECT_EQ(lost[1].count, 8);
  EXPECT_EQ(lost[1].reason, "in whole us; duration_ns, an attribute of ours, has the rest");
  EXPECT_NEAR(lost[1].time_s, 8 * 0.4e-6, 1e-15);
  const auto back = open_source({folder_ / "k.0.et", folder_ / "k.1.et"});
  EXPECT_NEAR(inspect(*back).compute.value, 2 * 4 * 0.4e-6, 1e-15);
  for (int s = 0; s < back->streams(0); ++s)
    for (const Activity& a : all(*back, 0, s)) EXPECT_EQ(a.root, a.kind == Kind::collective ? 1 : 0);
}

TEST_F(Conversions, ChakraAsJson) {
  const auto source = open_source({file("c.0.json", chakra_json), file("c.1.json", chakra_json)});
  EXPECT_EQ(source->info().format, "chakra");
  std::vector<Activity> calls;
  for (int s = 0; s < source->streams(1); ++s)
    for (const Activity& a : all(*source, 1, s))
      if (a.kind == Kind::collective) calls.push_back(a);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].collective, Collective::broadcast);
  EXPECT_FALSE(calls[0].sized);
  EXPECT_NEAR(calls[0].time.value, 28e-6, 1e-12);
  EXPECT_EQ(calls[1].collective, Collective::allreduce);
  EXPECT_DOUBLE_EQ(calls[1].message.value, 1000);
  std::string negative = chakra_json;
  negative.insert(negative.find("28, "), "-");
  const std::string cut = file("d.0.json", chakra_json.substr(0, chakra_json.size() - 20)),
                    odd = file("e.0.json", negative);
  EXPECT_EQ(testing::complaint([&] { open_source({cut}); }), cut + ": the JSON is damaged or cut short");
  EXPECT_EQ(testing::complaint([&] { open_source({odd}); }), odd + ": has a node whose runtime is below 0");
}

/// A receive that was cancelled, waited for, and a message whose request is freed.
TEST_F(Conversions, CompleteAllRequests) {
  trace::Event cancelled, done, send, freed, receive;
  cancelled.op = receive.op = trace::Op::recv;
  cancelled.comm = send.comm = receive.comm = trace::world;
  cancelled.source = trace::proc_null, cancelled.request = 0;
  done.op = trace::Op::wait, done.completed = {{0, trace::none, trace::none, true}};
  send.op = trace::Op::send;
  send.dest = 0, send.send_tag = 1, send.send_bytes = 100, send.request = 1;
  freed.op = trace::Op::request_free, freed.completed = {{1}};
  receive.source = 0, receive.recv_tag = 1, receive.recv_bytes = 100;
  const std::string path = folder_ / "in.cct", cct = folder_ / "out.cct";
  trace::Metadata metadata;
  metadata.ranks = 1;
  trace::Writer writer(path, metadata, {{0}});
  for (const trace::Event& e : {cancelled, done, send, freed, receive}) writer.put(0, e);
  writer.close();
  write_cct(*open_source({path}), cct);
  EXPECT_TRUE(open_source({cct})->info().notes.empty());
}

/// A collective of unknown size beside the computation is not written, and no wait names it.
TEST_F(Conversions, WaitForWhatIsThere) {
  RecordedSource source(2);
  Activity unsized = collective_activity(Collective::allreduce, 0, {});
  unsized.sized = false;
  unsized.duration = Seconds(0.5);  // two of each rank, of the 2 s of each
  source.info().recorded = Seconds(2);
  const Activity sized = collective_activity(Collective::allreduce, 0, Bytes(8));
  const auto of = [](Kind kind, std::int64_t count) {
    Activity a;
    a.kind = kind, a.stream = 1, a.count = count;
    return a;
  };
  for (const Rank r : {0, 1}) {
    source.at(r, 0) = {of(Kind::await, 1), of(Kind::await, 2)};
    source.at(r, 1) = {unsized, of(Kind::record, 0), sized, unsized, of(Kind::record, 0)};
  }
  const std::string cct = folder_ / "w.cct", ti = folder_ / "w.ti";
  write_cct(source, cct);
  const auto read = open_source({cct});
  ASSERT_EQ(all(*read, 0).size(), 2u);
  EXPECT_EQ(all(*read, 0)[0].kind, Kind::collective);
  EXPECT_EQ(all(*read, 0)[1].requests.size(), 1u);
  const Losses losses = write_time_independent(source, ti);
  EXPECT_NE(std::ranges::find(losses, Loss{"allreduce", 4, "of unknown size", 2, 0.5}), losses.end());
  EXPECT_EQ(all(*open_source({ti}), 0).size(), 1u);
}

/// Four allreduces one after the other beside the computation that they await: nothing keeps the order of the
/// last three.
TEST_F(Conversions, SayWhereStreamsLoseTheirOrder) {
  RecordedSource source(1);
  const auto of = [](Kind kind, int stream = 0) {
    Activity a;
    a.kind = kind, a.stream = stream, a.count = 1;
    return a;
  };
  Activity call = collective_activity(Collective::allreduce, 0, Bytes(8));
  call.duration = Seconds(0.25);
  source.info().recorded = Seconds(2);
  source.at(0, 0) = {of(Kind::record), of(Kind::await, 1)};
  source.at(0, 1) = {of(Kind::await), call, call, call, call, of(Kind::record)};
  const Loss lost{"allreduce", 3, "may begin before the one ahead on its stream is done", 0.75, 0.375};
  EXPECT_EQ(write_cct(source, folder_ / "o.cct"), Losses{lost});
  source.at(0, 1) = {of(Kind::await), call, of(Kind::record)};
  EXPECT_TRUE(write_cct(source, folder_ / "p.cct").empty());
}

TEST_F(Conversions, KeepThatATraceEndsEarly) {
  RecordedSource source(2);
  source.at(0) = {collective_activity(Collective::allreduce, 0, Bytes(8))};
  source.info().notes = {"ranks are numbered in the order of files"};
  const std::string cct = folder_ / "e.cct", ti = folder_ / "e.ti";
  write_cct(source, cct);
  EXPECT_NE(testing::complaint([&] { open_source({cct}); }).find("rank 1 calls 0 collectives"),
            std::string::npos);
  source.info().truncated = true;
  write_cct(source, cct);
  EXPECT_TRUE(open_source({cct})->info().truncated);
  EXPECT_EQ(open_source({cct})->info().notes, source.info().notes);
  EXPECT_EQ(write_time_independent(source, ti)[0].operation, "end");
  source.at(1) = source.at(0);
  source.info().truncated = false;
  write_cct(source, cct);
  EXPECT_FALSE(open_source({cct})->info().truncated);
  EXPECT_EQ(open_source({cct})->info().notes, source.info().notes);
}

TEST_F(Conversions, RefuseWhatCannotBeRead) {
  RecordedSource source(2);
  source.info().name = "made up";
  Activity send;
  send.kind = Kind::send;
  send.to = 1, send.tag = -1;
  source.at(0) = {send};
  EXPECT_EQ(testing::complaint([&] { write_cct(source, folder_ / "n.cct"); }),
            "made up: cannot be written as .cct: rank 0, event 0: MPI_Send has tag -1");
  const std::string ti = file("n.ti", "0 init\n1 init\n0 send 1 -1 9 6\n1 recv 0 -1 9 6\n");
  EXPECT_EQ(testing::complaint([&] { open_source({ti}); }),
            ti + ": line 3: send has tag -1; tags are 0 and above");
}

/// Rank 0 sends on two communicators with one tag; rank 1 receives in the other order.
TEST_F(Conversions, KeepCommunicatorsApart) {
  RecordedSource source(2);
  const int other = source.communicator("other", {0, 1});
  for (const int c : {0, other}) {
    Activity a;
    a.communicator = c;
    a.to = 1, a.bytes = a.received_bytes = Bytes(c == 0 ? 100 : 5);
    a.kind = Kind::send;
    source.at(0).push_back(a);
    a.kind = Kind::receive;
    source.at(1).insert(source.at(1).begin(), a);
  }
  const std::string ti = folder_ / "c.ti", chakra = folder_ / "c";
  write_time_independent(source, ti);
  write_chakra(source, chakra);
  for (const auto& files : {std::vector{ti}, {chakra_file(chakra, 0), chakra_file(chakra, 1)}}) {
    const auto back = open_source(files);
    std::map<int, std::set<double>> sizes;
    for (const Rank r : {0, 1})
      for (int s = 0; s < back->streams(r); ++s)
        for (const Activity& a : all(*back, r, s)) {
          if (a.kind == Kind::send) sizes[a.tag].insert(a.bytes.value);
          if (a.kind == Kind::receive) sizes[a.received_tag].insert(a.received_bytes.value);
        }
    ASSERT_EQ(sizes.size(), 2u);
    EXPECT_EQ(sizes.at(0), std::set<double>{100});
  }
}

/// docs/trace-format.md, Bytes: a recording of two ranks and its copy have the same events.
TEST_F(Conversions, OfRecordingsAreTheSame) {
  using trace::Op;
  const auto event = [](Op op, std::int64_t sent, std::int64_t received, int root = trace::none) {
    trace::Event e;
    e.op = op, e.comm = trace::world, e.root = root;
    e.send_bytes = sent, e.recv_bytes = received;
    return e;
  };
  const auto parts = [&](Op op, std::int64_t sent, std::int64_t received, std::vector<std::int64_t> to,
                         std::vector<std::int64_t> from, int root = trace::none) {
    trace::Event e = event(op, sent, received, root);
    e.send_counts = std::move(to), e.recv_counts = std::move(from);
    return e;
  };
  const auto events = [&](int me) {
    using Sizes = std::vector<std::int64_t>;
    const Sizes each{10, 20}, from = me == 1 ? Sizes{20, 20} : Sizes{10, 10};
    const bool root = me == 1;
    const std::int64_t mine = each[static_cast<std::size_t>(me)], at_root = root ? 10 : 0;
    trace::Event message = event(Op::sendrecv, 10, 10), last;
    message.dest = message.source = 1 - me, message.send_tag = message.recv_tag = 3;
    last.op = Op::finalize;
    return std::vector{event(Op::bcast, 10, 10, 1),
                       event(Op::reduce, 10, at_root, 1),
                       event(Op::allreduce, 10, 10),
                       event(Op::scan, 10, 10),
                       event(Op::exscan, 10, 10),
                       parts(Op::reduce_scatter, 30, 0, {}, each),
                       event(Op::reduce_scatter_block, 20, 10),
                       event(Op::gather, 10, at_root, 1),
                       parts(Op::gatherv, mine, 0, {}, root ? each : Sizes(), 1),
                       event(Op::scatter, at_root, 10, 1),
                       parts(Op::scatterv, 0, mine, root ? each : Sizes(), {}, 1),
                       event(Op::allgather, 10, 10),
                       parts(Op::allgatherv, mine, 0, {}, each),
                       event(Op::alltoall, 10, 10),
                       parts(Op::alltoallv, 0, 0, each, from),
                       message,
                       event(Op::barrier, 0, 0),
                       last};
  };
  const std::string path = folder_ / "in.cct", cct = folder_ / "out.cct";
  trace::Metadata metadata;
  metadata.ranks = 2;
  trace::Writer writer(path, metadata, {{0, 1}});
  for (const Rank r : {0, 1})
    for (const trace::Event& e : events(r)) writer.put(r, e);
  writer.close();
  write_cct(*open_source({path}), cct);
  const trace::Reader back(cct);
  for (const Rank r : {0, 1}) {
    trace::Cursor cursor = back.rank(r);
    trace::Event copy;
    for (const trace::Event& e : events(r)) {
      ASSERT_TRUE(cursor.next(copy));
      EXPECT_EQ(copy, e) << "rank " << r << ", " << mpi_name(e.op);
    }
  }
}

TEST_F(Conversions, StreamsThatOverlapBecomeNonBlockingCollectives) {
  const auto source = open_source({file("a.json", samples::kineto(0)), file("b.json", samples::kineto(1))});
  const std::string cct = folder_ / "k.cct";
  write_cct(*source, cct);
  std::vector<Kind> kinds;
  for (const Activity& a : all(*open_source({cct}), 0)) kinds.push_back(a.kind);

  EXPECT_NE(std::ranges::find(kinds, Kind::collective), kinds.end());
  EXPECT_NE(std::ranges::find(kinds, Kind::wait), kinds.end());
}

}  // namespace
}  // namespace collcast

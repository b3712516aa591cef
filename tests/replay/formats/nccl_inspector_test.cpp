// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "replay/formats/formats.hpp"
#include "tests/complaint.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/replay/formats/trace_files.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;
using samples::inspector;
using testing::all;
using InspectorLines = testing::TraceFiles;

TEST_F(InspectorLines, LinesCountWhatIsMissing) {
  const auto source = open_source({file("a.log", inspector)});
  EXPECT_EQ(source->info().format, "nccl-inspector");
  ASSERT_EQ(source->ranks(), 2);
  EXPECT_DOUBLE_EQ(all(*source, 0)[0].message.value, 200);
  EXPECT_NEAR(all(*source, 0)[0].time.value, 40e-6, 1e-15);  // the shorter of 50 and 40 us
  ASSERT_EQ(source->info().losses.size(), 1u);
  EXPECT_EQ(source->info().losses[0].count, 2);  // numbers 5 and 6 of rank 0
}

TEST_F(InspectorLines, CallsMeetByTheirNumber) {
  const auto line = [](int rank, const std::string& operation, int number) {
    return R"({"header":{"id":"0x1","rank":)" + std::to_string(rank) +
           R"(,"n_ranks":2,"nnodes":1},"metadata":{"hostname":"a","pid":)" + std::to_string(rank) +
           R"(},"coll_perf":{"coll":")" + operation + R"(","coll_sn":)" + std::to_string(number) +
           R"(,"coll_msg_size_bytes":)" + std::to_string(number) + R"(,"coll_exec_time_us":50}})" + "\n";
  };
  const auto source =
      open_source({file("a.log", line(0, "AllGather", 4) + line(0, "AllReduce", 1) + line(0, "AllGather", 7)),
                   file("b.log", line(1, "AllGather", 3) + line(1, "AllGather", 4) + line(1, "AllReduce", 1) +
                                     line(1, "AllGather", 7))});
  for (const Rank r : {0, 1}) {
    std::vector<double> bytes;
    for (const Activity& a : all(*source, r)) bytes.push_back(a.message.value);
    EXPECT_EQ(bytes, (std::vector<double>{8, 1, 14}));  // an allgather's is that of both ranks
  }
  EXPECT_EQ(
      source->info().losses.back(),
      (Loss{"collective", 1, "left out: another rank lost the call of this number in its communicator"}));
  EXPECT_FALSE(source->info().truncated);
}

TEST_F(InspectorLines, CallsOfTwoFilesAreRefused) {
  const std::string a = file("a.log", inspector), b = file("b.log", inspector);
  EXPECT_EQ(testing::complaint([&] {
              open_source({a, b});
            }),
            "two files claim rank 0 of communicator 0x1: " + a + " and " + b);
}

TEST_F(InspectorLines, LinesOfADumpShareItsHeader) {
  const auto dump = [](int rank, int dropped) {
    return R"json({"header":{"id":"0x1","rank":)json" + std::to_string(rank) +
           R"json(,"n_ranks":2},"metadata":{"inspector_output_format_version":"v4.4","hostname":"a","pid":)json" +
           std::to_string(rank) +
           R"json(},"dump_stats":{"coll_records":1,"coll_dropped_since_last_dump":)json" +
           std::to_string(dropped) + R"json(,"p2p_records":0,"p2p_dropped_since_last_dump":1}}
{"proxy_trace":{"record_type":"proxy_op_start"}}
)json";
  };
  const auto line = [](int number) {
    return R"json({"coll_perf":{"coll":"AllReduce","coll_sn":)json" + std::to_string(number) +
           R"json(,"coll_msg_size_bytes":100,"coll_exec_time_us":50}})json" + "\n";
  };
  const std::string zero = dump(0, 0) + line(0) + dump(0, 3) + line(1), one = dump(1, 0) + line(0) + line(1);
  const auto source = open_source({file("a.log", zero), file("b.log", one)});
  ASSERT_EQ(source->ranks(), 2);
  for (const Rank r : {0, 1}) EXPECT_EQ(all(*source, r).size(), 2u) << r;
  EXPECT_EQ(source->info().losses,
            (std::vector<Loss>{
                {"collective", 3, "dropped from the Inspector's ring, gaps in sequence numbers among them"},
                {"message", 3, "dropped from the Inspector's ring"}}));
  const std::string orphan = file("o.log", line(0));
  EXPECT_NE(testing::complaint([&] { open_source({orphan}); }).find("or in a line of dump_stats before it"),
            std::string::npos);
}

/// A line of rank `rank` of `ranks` of communicator `id`, of process `process`.
std::string inspector_line(const std::string& id, int rank, int ranks, int process, const std::string& what) {
  return R"json({"header":{"id":")json" + id + R"json(","rank":)json" + std::to_string(rank) +
         R"json(,"n_ranks":)json" + std::to_string(ranks) + R"json(},"metadata":{"hostname":"a","pid":)json" +
         std::to_string(process) + "}," + what + "}\n";
}

const std::string inspector_allreduce =
    R"json("coll_perf":{"coll":"AllReduce","coll_sn":0,"coll_msg_size_bytes":100,"coll_exec_time_us":50})json";

std::vector<std::vector<Rank>> groups_of(const Source& source) {
  return {source.communicators().begin() + 1, source.communicators().end()};
}

TEST_F(InspectorLines, GroupsAreTheirIds) {
  using Groups = std::vector<std::vector<Rank>>;
  // Two groups without a process in common are four ranks.
  std::string apart;
  for (const int r : {0, 1, 2, 3})
    apart += inspector_line(r < 2 ? "0xb0" : "0xb1", r % 2, 2, 100 + r, inspector_allreduce);
  const auto two = open_source({file("two.log", apart)});
  ASSERT_EQ(two->ranks(), 4);
  EXPECT_EQ(groups_of(*two), (Groups{{0, 1}, {2, 3}}));
  for (Rank r = 0; r < 4; ++r) EXPECT_EQ(all(*two, r).size(), 1u) << r;
  // Ranks 0 and 1 of 4 alone: rank 1 has no call in 0xc0, so its other member is rank 2.
  std::string half;
  for (const int r : {0, 1})
    half += inspector_line("0xa", r, 4, r, inspector_allreduce) +
            inspector_line("0xb0", r, 2, r, inspector_allreduce) +
            inspector_line(r == 0 ? "0xc0" : "0xc1", 0, 2, r, inspector_allreduce);
  const auto part = open_source({file("half.log", half)});
  EXPECT_EQ(part->ranks(), 4);
  EXPECT_EQ(groups_of(*part), (Groups{{0, 1}, {0, 2}, {1, 3}}));
  ASSERT_FALSE(part->info().notes.empty());
  EXPECT_EQ(part->info().notes[0].find("groups of 2 ranks of which not all were recorded"), 0u);
  // One process with four GPUs.
  std::string one;
  for (const int r : {0, 1, 2, 3}) one += inspector_line("0xa", r, 4, 1, inspector_allreduce);
  for (const int r : {0, 1, 2, 3})
    one += inspector_line(r < 2 ? "0xb0" : "0xb1", r % 2, 2, 1, inspector_allreduce);
  const auto multi = open_source({file("multi.log", one)});
  EXPECT_EQ(groups_of(*multi), (Groups{{0, 1}, {2, 3}}));
  for (Rank r = 0; r < 4; ++r) EXPECT_EQ(all(*multi, r).size(), 2u) << r;
  const std::string other = file("other.log", inspector_line("0xa", 0, 2, 1, inspector_allreduce) +
                                                  inspector_line("0xa", 0, 2, 2, inspector_allreduce));
  EXPECT_NE(testing::complaint([&] { open_source({other}); }).find("files of two jobs"), std::string::npos);
}

TEST_F(InspectorLines, MessagesThatOverlapAreOneGroup) {
  const auto message = [](const std::string& kind, int peer, double begin_us) {
    const std::string at =
        begin_us < 0 ? "" : R"json(,"event_trace_ts":{"p2p_start_ts":)json" + std::to_string(begin_us) + "}";
    return R"json("p2p_perf":{"p2p":")json" + kind + R"json(","p2p_sn":0,"p2p_peer":)json" +
           std::to_string(peer) + R"json(,"p2p_msg_size_bytes":64,"p2p_exec_time_us":10)json" + at + "}";
  };
  const auto kinds = [&](double second) {
    const auto source = open_source(
        {file("ring.log", inspector_line("0xa", 0, 2, 1, message("Send", 1, second < 0 ? -1 : 100)) +
                              inspector_line("0xa", 0, 2, 1, message("Recv", 1, second)))});
    std::vector<Kind> found;
    for (const Activity& a : all(*source, 0)) found.push_back(a.kind);
    return found;
  };
  const std::vector<Kind> together = {Kind::send, Kind::receive, Kind::wait},
                          apart = {Kind::send, Kind::wait, Kind::receive, Kind::wait};
  EXPECT_EQ(kinds(105), together);
  EXPECT_EQ(kinds(120), apart);
  EXPECT_EQ(kinds(-1), together);
}

}  // namespace
}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <map>
#include <regex>

#include "replay/formats/convert.hpp"
#include "replay/formats/formats.hpp"
#include "replay/formats/names.hpp"
#include "replay/source/inspection.hpp"
#include "replay/source/recorded.hpp"
#include "replay/trace/reader.hpp"
#include "replay/trace/writer.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"
#include "tests/mutated.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/replay/formats/other_numbers.hpp"
#include "tests/replay/formats/samples.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;
using testing::all;

std::string text(const std::string& word) {
  return std::string("X") + static_cast<char>(word.size()) + std::string(3, '\0') + word;
}

/// {"version": "2.9", "entries": [{"record_id": 3, "profiling_name": "nccl:all_reduce", "input_sizes":
/// [[10]], "input_dtypes": ["Float"], "state": "completed"}]}
std::string pickle() {
  return "\x80\x02}(" + text("version") + text("2.9") + text("entries") + "](}(" + text("record_id") +
         "K\x03" + text("profiling_name") + text("nccl:all_reduce") + text("input_sizes") + "](](K\x0a" +
         "ee" + text("input_dtypes") + "](" + text("Float") + "e" + text("state") + text("completed") +
         "ueu.";
}

const std::string inspector =
    R"json({"header":{"id":"0x1","rank":0,"n_ranks":2,"nnodes":1},"metadata":{"hostname":"a","pid":1},"coll_perf":{"coll":"AllGather","coll_sn":4,"coll_msg_size_bytes":100,"coll_exec_time_us":50}}
{"header":{"id":"0x1","rank":0,"n_ranks":2,"nnodes":1},"metadata":{"hostname":"a","pid":1},"coll_perf":{"coll":"AllGather","coll_sn":7,"coll_msg_size_bytes":100,"coll_exec_time_us":70}}
{"header":{"id":"0x1","rank":1,"n_ranks":2,"nnodes":1},"metadata":{"hostname":"a","pid":2},"coll_perf":{"coll":"AllGather","coll_sn":4,"coll_msg_size_bytes":100,"coll_exec_time_us":40}}
)json";

const std::string execution_trace =
    R"json({"schema":"1.0.2-chakra.0.0.4","pid":1,"nodes":[
{"id":9,"name":"record_param_comms","inputs":{"values":[12,0,0,"wait",[],[],2]},"outputs":{"values":[]}},
{"id":3,"name":"record_param_comms","inputs":{"values":[[[14,15,0,8,4,"cuda:0"]],12,0,0,"all_gather",[],[],2]},"outputs":{"values":[[[[19,20,0,8,4,"cuda:0"],[5,23,0,8,4,"cuda:0"]]]]}}
],"finish_ts":1})json";

/// As Chakra's own feeder has it: the kernel of a broadcast without a size, and an allreduce after it.
const std::string chakra_json =
    R"json({"workload_graph": [
{"Id": 3, "Name": "gemm", "NodeType": 4, "data_deps": [], "runtime": 5, "is_cpu_op": false},
{"Id": 4, "Name": "ncclKernel_Broadcast_RING_LL_Sum_int8_t(x)", "NodeType": 7, "data_deps": [3], "runtime": 28, "is_cpu_op": false},
{"Id": 5, "Name": "c10d::broadcast_", "NodeType": 7, "ctrlDeps": [3], "data_deps": [3], "runtime": 85, "is_cpu_op": true},
{"Id": 6, "Name": "sum", "NodeType": 7, "data_deps": [4], "comm_type": 0, "comm_size": 1000, "is_cpu_op": false}
], "ngpus": 8})json";

const std::string goal =
    "num_ranks 2\nrank 0 {\nl1: calc 1000\nl2: send 10b to 1 tag 5 cpu 0\nl2 requires l1\n}\n/* a comment "
    "*/\n"
    "rank 1 {\nl1: recv 10b from 0 tag 5\nl2: calc 500\nl2 requires l1\n}\n";

class MoreFiles : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& content) {
    return samples::write(folder_ / name, content);
  }
  Folder folder_;
};

TEST_F(MoreFiles, FlightRecorderPicklesAreDataAlone) {
  EXPECT_EQ(open_source({file("nccl_trace_rank_2_at_1200", pickle())})->info().recorded_ranks,
            std::vector<Rank>{2});
  const auto source = open_source({file("dump_0", pickle())});
  EXPECT_EQ(source->info().format, "flight-recorder");
  const auto entries = all(*source, 0);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].operation, "allreduce");
  EXPECT_DOUBLE_EQ(entries[0].message.value, 40);
  ASSERT_EQ(source->info().losses.size(), 1u);
  EXPECT_EQ(source->info().losses[0].count, 3);  // records 0 to 2
  // GLOBAL, as in a pickle that calls os.system.
  const std::string evil = file("evil_0", std::string("\x80\x02}cos\nsystem\n"));
  EXPECT_NE(testing::complaint([&] {
              open_source({evil});
            }).find("opcode 99, which is no plain data and is not run"),
            std::string::npos);
}

/// Rank 0 of 2: a message, two more as one group, and a barrier.
const std::string flight_json =
    R"json({"version":"2.9","pg_config":{"0":{"name":"0","ranks":"[0, 1]"}},"pg_status":{},"entries":[
{"record_id":0,"process_group":["0",""],"p2p_seq_id":1,"profiling_name":"nccl:send 0->1","input_sizes":[[5]],"input_dtypes":["Float"],"state":"completed"},
{"record_id":1,"process_group":["0",""],"p2p_seq_id":2,"profiling_name":"nccl:send 0->1","input_sizes":[[5]],"input_dtypes":["Float"],"state":"completed"},
{"record_id":2,"process_group":["0",""],"p2p_seq_id":2,"profiling_name":"nccl:recv 0<-1","input_sizes":[[5]],"input_dtypes":["Float"],"state":"completed"},
{"record_id":3,"process_group":["0",""],"p2p_seq_id":0,"profiling_name":"nccl:coalesced","state":"completed"},
{"record_id":4,"process_group":["0",""],"p2p_seq_id":0,"profiling_name":"nccl:barrier","state":"completed"}]})json";

TEST_F(MoreFiles, FlightRecorderGroupsAreBegunTogether) {
  const auto source = open_source({file("dump_0.json", flight_json)});
  EXPECT_EQ(source->info().format, "flight-recorder");
  const auto entries = all(*source, 0);
  std::vector<Kind> kinds;
  for (const Activity& a : entries) kinds.push_back(a.kind);
  ASSERT_EQ(kinds, (std::vector{Kind::send, Kind::send, Kind::receive, Kind::wait, Kind::collective}));
  EXPECT_LT(entries[0].request, 0);  // no part of the group, by its number
  EXPECT_EQ(entries[3].requests, (std::vector<std::int64_t>{0, 1}));
  EXPECT_DOUBLE_EQ(entries[2].received_bytes.value, 20);
}

/// What a `coalesced` closes stays scheduled for ever, and has no time; the whole has both.
TEST_F(MoreFiles, FlightRecorderGroupsHaveTheTimeOfTheirEnd) {
  const auto entry = [](int id, const std::string& name, const std::string& more) {
    return R"({"record_id":)" + std::to_string(id) + R"(,"process_group":["0",""],"profiling_name":"nccl:)" +
           name + R"(","input_sizes":[[5]],"input_dtypes":["Float"],)" + more + "}";
  };
  const std::string scheduled = R"(,"state":"scheduled")",
                    done = R"(,"duration_ms":0.5,"time_created_ns":2000,"state":"completed")";
  const auto dump = [&](const std::string& state) {
    return R"({"pg_config":{"0":{"name":"0","ranks":"[0, 1]"}},"pg_status":{},"entries":[)" +
           entry(0, "send 0->1",
                 R"("time_created_ns":1000,"p2p_seq_id":1,"collective_seq_id":3)" + scheduled) +
           "," + entry(1, "recv 0<-1", R"("p2p_seq_id":1,"collective_seq_id":3)" + scheduled) + "," +
           entry(2, "coalesced", R"("p2p_seq_id":1,"collective_seq_id":3)" + done) + "," +
           entry(3, "_all_gather_base", R"("collective_seq_id":4)" + scheduled) + "," +
           entry(4, "coalesced", R"("collective_seq_id":4)" + state) + "]}";
  };
  const auto source = open_source({file("dump_0.json", dump(done))});
  const auto entries = all(*source, 0);
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[2].kind, Kind::wait);
  EXPECT_NEAR(entries[2].duration.value, 0.5e-3, 1e-12);
  EXPECT_NEAR(entries[2].begin.value, 1e-6, 1e-12);
  EXPECT_NEAR(entries[3].duration.value, 0.5e-3, 1e-12);  // of a group of collectives the first has it
  EXPECT_TRUE(source->info().notes.empty());
  EXPECT_EQ(open_source({file("late_0.json", dump(scheduled))})->info().notes.at(0),
            "1 entries were not completed when the recorder was dumped");
}

/// torch lists the groups that a rank is in: a number that is not in all of them is not the rank's.
TEST_F(MoreFiles, FlightRecorderRanksAreInTheGroupsOfTheDump) {
  const auto dump = [](const std::string& groups) {
    return R"({"pg_config":{)" + groups +
           R"(},"pg_status":{},"entries":[{"record_id":0,"process_group":["5",""],"profiling_name":)"
           R"("nccl:all_reduce","input_sizes":[[5]],"input_dtypes":["Float"],"state":"completed"}]})";
  };
  const std::string job = R"("0":{"ranks":"[0, 1, 2, 3]"})",
                    groups = job + R"(,"3":{"ranks":"[0, 1]"},"5":{"ranks":"[1, 3]"})";
  for (const auto* name : {"trace_1_job12345", "dump_1_v9.json", "dump1_of_4", "w1_node2", "r1"}) {
    const auto source = open_source({file(name, dump(groups))});
    EXPECT_EQ(source->ranks(), 4);
    EXPECT_EQ(source->info().recorded_ranks, std::vector<Rank>{1});
    EXPECT_EQ(source->communicators().back(), (std::vector<Rank>{1, 3}));
  }
  const std::string none = file("dump_12", dump(job));
  EXPECT_EQ(testing::complaint([&] { open_source({none}); }),
            none +
                ": which rank wrote it is not known: its groups have several ranks in common, or none, and "
                "not the one in its name, 12; end its name in its rank, as in dump_rank0, of 0, 1, 2, 3");
  const auto unnamed = open_source({file("dump", dump(groups.substr(0, groups.find(",\"5\""))))});
  EXPECT_EQ(unnamed->info().recorded_ranks, std::vector<Rank>{0});
  EXPECT_EQ(unnamed->info().notes.back(),
            "nothing says which rank wrote 1 dump: taken by the order of the files; a name that ends in the "
            "rank says it");
  // Groups without the rank are not taken for all ranks.
  const auto others =
      open_source({file("rank_0", dump(job + R"(,"3":{"ranks":"[0, 1]"},"5":{"ranks":"[2, 3]"})"))});
  ASSERT_EQ(all(*others, 0).size(), 1u);
  EXPECT_EQ(all(*others, 0)[0].kind, Kind::skipped);
}

/// A group with a rank below 0 is no group, and says nothing of who wrote the dump.
TEST_F(MoreFiles, FlightRecorderRanksAreNotNegative) {
  const auto dump = [](const std::string& groups) {
    return R"({"pg_config":{)" + groups +
           R"(},"pg_status":{},"entries":[{"record_id":0,"process_group":["5",""],"profiling_name":)"
           R"("nccl:all_reduce","input_sizes":[[5]],"input_dtypes":["Float"],"state":"completed"}]})";
  };
  const auto source =
      open_source({file("rank_0", dump(R"("0":{"ranks":"[0, 1]"},"5":{"ranks":"[-5, 0]"})"))});
  EXPECT_EQ(source->ranks(), 2);
  ASSERT_EQ(all(*source, 0).size(), 1u);
  EXPECT_EQ(all(*source, 0)[0].note,
            "the members of its group in pg_config are impossible, or without this rank");
  for (const auto* ranks : {R"("[-5]")", "[-5]", "[-1000000]"}) {
    const std::string none = file("other_0", dump(R"("0":{"ranks":)" + std::string(ranks) + "}"));
    EXPECT_NE(testing::complaint([&] { open_source({none}); }).find(": which rank wrote it is not known"),
              std::string::npos);
  }
}

TEST_F(MoreFiles, FlightRecorderGroupsWithoutMembersAreAllRanksAndThatIsSaid) {
  std::string dump = flight_json;
  for (std::size_t at; (at = dump.find(R"("process_group":["0")")) != std::string::npos;)
    dump.replace(at, 20, R"("process_group":["6")");
  const auto source = open_source({file("dump_0.json", dump)});
  EXPECT_EQ(all(*source, 0)[0].communicator, 0);
  EXPECT_EQ(source->info().notes.at(0),
            "4 entries are of groups whose members pg_config does not say: all ranks are taken to take part");
}

TEST_F(MoreFiles, FlightRecorderPicklesOfLaterProtocols) {
  // What Python's pickle.dumps({"entries": [], "pg_config": {}}, 4) writes.
  const std::string later(
      "\x80\x04\x95\x1f\0\0\0\0\0\0\0}\x94(\x8c\x07"
      "entries\x94]\x94\x8c\x09"
      "pg_config\x94}\x94u.",
      42);
  EXPECT_EQ(open_source({file("p_0", later)})->info().format, "flight-recorder");
}

TEST_F(MoreFiles, InspectorLinesCountWhatIsMissing) {
  const auto source = open_source({file("a.log", inspector)});
  EXPECT_EQ(source->info().format, "nccl-inspector");
  ASSERT_EQ(source->ranks(), 2);
  EXPECT_DOUBLE_EQ(all(*source, 0)[0].message.value, 200);
  EXPECT_NEAR(all(*source, 0)[0].time.value, 40e-6, 1e-15);  // the shorter of 50 and 40 us
  ASSERT_EQ(source->info().losses.size(), 1u);
  EXPECT_EQ(source->info().losses[0].count, 2);  // numbers 5 and 6 of rank 0
}

/// From format 4.3 on, lines leave their header and metadata to the dump's statistics before them.
/// One rank of 2, whose allreduces have these numbers and as many elements, each enqueued at so many
/// microseconds and known to be done 10 us later.
std::string flight_of(const std::vector<int>& numbers, int later_us) {
  std::string entries;
  for (const int n : numbers)
    entries += std::string(entries.empty() ? "" : ",\n") + R"({"record_id":)" + std::to_string(n) +
               R"(,"process_group":["0",""],"collective_seq_id":)" + std::to_string(n) +
               R"(,"profiling_name":"nccl:all_reduce","input_sizes":[[)" + std::to_string(n) +
               R"(]],"input_dtypes":["Float"],"time_created_ns":)" + std::to_string(1000 * (later_us + n)) +
               R"(,"time_discovered_completed_ns":)" + std::to_string(1000 * (later_us + n + 10)) +
               R"(,"state":"completed"})";
  return R"({"pg_config":{"0":{"name":"0","ranks":"[0, 1]"}},"pg_status":{},"entries":[)" + entries + "]}";
}

/// Rank 0's ring begins with call 5, rank 1's with call 6 and lacks 8; that rank 0 ends before 10 is no loss.
TEST_F(MoreFiles, FlightRecorderCallsMeetByTheirNumber) {
  const std::string zero = file("r_rank0", flight_of({5, 6, 7, 8, 9}, 0));
  const auto source = open_source({zero, file("r_rank1", flight_of({6, 7, 9, 10}, 3))});
  std::vector<double> of[2];
  for (const Rank r : {0, 1})
    for (const Activity& a : all(*source, r)) of[r].push_back(a.message.value);
  EXPECT_EQ(of[0], (std::vector<double>{24, 28, 36}));
  EXPECT_EQ(of[1], (std::vector<double>{24, 28, 36, 40}));
  EXPECT_EQ(
      source->info().losses.back(),
      (Loss{"collective", 2, "left out: another rank lost the call of this number in its communicator"}));
  // Rank 1 is 3 us later each time.
  const Inspection late = inspect(*source);
  EXPECT_NEAR(late.of_rank[1].lateness.value().value, 9e-6, 1e-12);
  EXPECT_EQ(late.of_rank[1].last, 3);
  // 11 us later it would call when rank 0 was known to be through.
  const auto apart = open_source({zero, file("s_rank1", flight_of({5, 6, 7, 8, 9}, 11))});
  EXPECT_FALSE(inspect(*apart).of_rank[1].lateness);
  EXPECT_EQ(apart->info().notes[0], "the ranks' clocks disagree, by 1.00 us at least");
}

/// Doubles of this size are 256 ns apart.
TEST_F(MoreFiles, FlightRecorderTimesSinceTheEpochKeepTheirNanoseconds) {
  std::string dump = flight_of({1, 2}, 0);
  for (const auto& [written, since_epoch] :
       {std::pair("1000", "1800000000000000001"), {"2000", "1800000000000000102"}}) {
    const std::string key = "\"time_created_ns\":";
    dump.replace(dump.find(key + written), key.size() + 4, key + since_epoch);
  }
  const auto calls = all(*open_source({file("e_rank0", dump)}), 0);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_DOUBLE_EQ(calls[0].begin.value, 0);
  EXPECT_DOUBLE_EQ(calls[1].begin.value, 101e-9);
}

TEST_F(MoreFiles, FlightRecorderCallsOfNoElementsAreOfAKnownSize) {
  std::string dump = flight_of({0, 1}, 0);
  const auto calls = all(*open_source({file("z_rank0", dump)}), 0);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_TRUE(calls[0].sized);
  EXPECT_DOUBLE_EQ(calls[0].message.value, 0);
  dump.replace(dump.find("Float"), 5, "Other");
  EXPECT_FALSE(all(*open_source({file("u_rank0", dump)}), 0)[0].sized);
}

TEST_F(MoreFiles, FlightRecorderDumpsOfTwoJobsAreRefused) {
  std::string other = flight_of({5}, 0);
  other.replace(other.find("[0, 1]"), 6, "[0, 1, 2, 3]");
  const std::string a = file("j_rank0", flight_of({5}, 0)), b = file("j_rank1", other);
  EXPECT_EQ(testing::complaint([&] {
              open_source({a, b});
            }),
            "ranks of two different jobs: group 0 has 2 ranks in " + a + " and 4 in " + b);
}

/// Rank 0 has calls 4 and 7, rank 1 calls 3, 4, 7: 3 is left out. Allreduces are numbered by themselves.
/// A log that is being written, or whose job was killed.
TEST_F(MoreFiles, LogsThatEndInTheMiddleOfALineSaySo) {
  const std::string nccl = samples::nccl_log;
  const auto cut = open_source({file("nccl", nccl.substr(0, nccl.find("count 10 datatype") + 7))});
  EXPECT_EQ(cut->info().losses,
            (std::vector<Loss>{{"log line", 1, "cut in its middle, where its file ends"}}));
  EXPECT_EQ(all(*cut, 0).size(), 1u);  // and no message of 1 element
  std::string laid_out = inspector;
  for (std::size_t at; (at = laid_out.find(",\"coll_perf\"")) != std::string::npos;)
    laid_out.replace(at, 1, ",\n ");
  EXPECT_TRUE(open_source({file("whole", laid_out)})->info().losses.size() == 1u);
  EXPECT_EQ(open_source({file("cut", laid_out.substr(0, laid_out.size() - 20))})->info().losses.back(),
            (Loss{"line", 1, "damaged, or of another kind"}));
}

TEST_F(MoreFiles, InspectorCallsMeetByTheirNumber) {
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

TEST_F(MoreFiles, InspectorCallsOfTwoFilesAreRefused) {
  const std::string a = file("a.log", inspector), b = file("b.log", inspector);
  EXPECT_EQ(testing::complaint([&] {
              open_source({a, b});
            }),
            "two files claim rank 0 of communicator 0x1: " + a + " and " + b);
}

TEST_F(MoreFiles, InspectorLinesOfADumpShareItsHeader) {
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

TEST_F(MoreFiles, InspectorGroupsAreTheirIds) {
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

TEST_F(MoreFiles, InspectorMessagesThatOverlapAreOneGroup) {
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

TEST_F(MoreFiles, ExecutionTracesGiveCollectivesWithSizes) {
  const auto source = open_source({file("et.json", execution_trace)});
  EXPECT_EQ(source->info().format, "pytorch-et");
  EXPECT_EQ(source->ranks(), 2);
  ASSERT_EQ(all(*source, 0).size(), 1u);
  EXPECT_EQ(all(*source, 0)[0].operation, "allgather");
  EXPECT_DOUBLE_EQ(all(*source, 0)[0].message.value, 64);
}

TEST_F(MoreFiles, GoalTextsPlayByWhatIsRequired) {
  const auto source = open_source({file("g", goal)});
  EXPECT_EQ(source->info().format, "goal");
  ASSERT_EQ(source->ranks(), 2);
  EXPECT_NEAR(all(*source, 0, 0)[0].time.value, 1e-6, 1e-15);
  EXPECT_EQ(all(*source, 0, 1)[0].kind, Kind::await);
  EXPECT_EQ(all(*source, 0, 1)[1].tag, 5);
  const std::string circle =
      file("c", "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n");
  EXPECT_NE(testing::complaint([&] { open_source({circle}); }).find("circular"), std::string::npos);
  const auto commented = open_source(
      {file("d", "num_ranks 1\nrank 0 {\na: calc 5 // five\nb: calc 6 /* six */ cpu 0 /* b\nends */ }\n")});
  EXPECT_NEAR(inspect(*commented).compute.value, 11e-9, 1e-15);
  const std::string twice = file("twice", "num_ranks 1\nrank 0 {\na: calc 1\na: calc 2\n}\n");
  EXPECT_EQ(testing::complaint([&] { open_source({twice}); }),
            twice + ": line 4: the label a is there twice");
  const std::string comment = file("comment", "num_ranks 1\nrank 0 {\n}\n/* rank 1\n");
  EXPECT_EQ(testing::complaint([&] { open_source({comment}); }),
            comment + ": line 4: the text ends in a comment");
  const std::string any = file("any", "num_ranks 2\nrank 0 {\nl1: recv 8b from -1\n}\n");
  EXPECT_EQ(testing::complaint([&] { open_source({any}); }),
            any + ": line 3: '-1', any rank, where the rank that sends belongs");
  const std::string tag = file("tag", "num_ranks 2\nrank 0 {\nl1: recv 8b from 1 tag -1\n}\n");
  EXPECT_EQ(testing::complaint([&] { open_source({tag}); }),
            tag + ": line 3: '-1', any tag, where the tag of the message belongs");
}

TEST_F(MoreFiles, GoalOperationsWaitForWhatTheyRequireAlone) {
  // l3 computes while l1 is awaited; the send of l4 leaves at once.
  const std::string beside =
      "num_ranks 2\nrank 0 {\nl1: recv 9b from 1\nl2: calc 1\nl2 requires l1\nl3: calc 7\nl4: send 8b to "
      "1\n}\n"
      "rank 1 {\nl1: recv 8b from 0\nl2: calc 1\nl2 requires l1\nl3: calc 7\nl4: send 9b to 0\n}\n";
  const auto source = open_source({file("b", beside)});
  const auto kinds = [&](int stream) {
    std::vector<Kind> found;
    for (const Activity& a : all(*source, 0, stream)) found.push_back(a.kind);
    return found;
  };
  ASSERT_EQ(source->streams(0), 3);
  EXPECT_EQ(kinds(0), (std::vector{Kind::compute, Kind::await, Kind::compute}));
  EXPECT_NEAR(all(*source, 0)[0].time.value, 7e-9, 1e-18);
  EXPECT_EQ(kinds(1), (std::vector{Kind::receive, Kind::wait, Kind::record}));
  EXPECT_EQ(kinds(2), (std::vector{Kind::send, Kind::wait}));
  // Two computations after a message each: neither waits for the other's.
  const std::string two =
      "num_ranks 2\nrank 0 {\na: recv 9b from 1 tag 1\nb: calc 1\nb requires a\nc: recv 9b from 1 tag 2\nd: "
      "calc "
      "1\nd requires c\n}\nrank 1 {\na: send 9b to 0 tag 2\nb: send 9b to 0 tag 1\nb requires a\n}\n";
  const auto apart = open_source({file("t", two)});
  int computing = 0;
  for (int s = 0; s < apart->streams(0); ++s) {
    const auto activities = all(*apart, 0, s);
    const auto computes = std::count_if(activities.begin(), activities.end(),
                                        [](const Activity& a) { return a.kind == Kind::compute; });
    EXPECT_LE(computes, 1);
    computing += computes > 0;
  }
  EXPECT_EQ(computing, 2);
  // Each after the one before: two streams do, however many there are.
  std::string chain = "num_ranks 1\nrank 0 {\n";
  for (int i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i);
    chain += "c" + n + ": calc 5\ns" + n + ": send 1b to 0\nr" + n + ": recv 1b from 0\ns" + n +
             " requires c" + n + "\nr" + n + " requires c" + n + "\n";
    if (i > 0)
      chain += "c" + n + " requires s" + std::to_string(i - 1) + "\nc" + n + " requires r" +
               std::to_string(i - 1) + "\n";
  }
  EXPECT_EQ(open_source({file("l", chain + "}\n")})->streams(0), 3);
}

/// Messages of one tag are matched as if each had its own, whichever stream comes first.
TEST_F(MoreFiles, GoalMessagesOfATagMatchInTheOrderOfTheText) {
  const auto text = [](const std::string& second) {
    return "num_ranks 2\nrank 0 {\nl1: send 2b to 1\nl2: recv 3b from 1\nl3: send 4b to 1 tag " + second +
           "\nl3 requires l2\nl4: recv 5b from 1 tag " + second +
           "\n}\nrank 1 {\nl1: recv 2b from 0\nl2: send 3b to 0\nl2 requires l1\nl3: recv 4b from 0 tag " +
           second + "\nl4: send 5b to 0 tag " + second + "\nl4 requires l3\n}\n";
  };
  const auto tags = [&](const std::string& second) {
    const auto source = open_source({file("g" + second, text(second))});
    std::map<std::pair<Rank, double>, int> found;  // by rank and bytes
    for (const Rank r : {0, 1})
      for (int s = 0; s < source->streams(r); ++s)
        for (const Activity& a : all(*source, r, s))
          if (a.kind == Kind::send)
            found[{r, a.bytes.value}] = a.tag;
          else if (a.kind == Kind::receive)
            found[{r, a.received_bytes.value}] = a.received_tag;
    return found;
  };
  EXPECT_EQ(tags("0"), tags("1"));
  EXPECT_EQ(tags("0").at({1, 4}), 1);
}

TEST_F(MoreFiles, ContradictionsBetweenRanksAreTold) {
  const auto notes = [&](const std::string& text) { return open_source({file("c", text)})->info().notes; };
  const auto contradicts = [&](const std::string& text, const std::string& words) {
    const auto found = notes(text);
    ASSERT_EQ(found.size(), 1u) << text;
    EXPECT_EQ(found[0], "ranks contradict each other: " + words);
  };
  contradicts("0 init\n1 init\n0 bcast 10 0 2\n1 bcast 20 0 2\n0 finalize\n1 finalize\n",
              "collective 1 of communicator 0 is rank 0's bcast of 10 B with root 0 and rank 1's bcast of "
              "20 B with root 0");
  contradicts("0 init\n1 init\n0 bcast 10 1 2\n1 bcast 10 0 2\n0 finalize\n1 finalize\n",
              "collective 1 of communicator 0 is rank 0's bcast of 10 B with root 1 and rank 1's bcast of "
              "10 B with root 0");
  contradicts("0 init\n1 init\n0 send 1 3 100 2\n1 recv 0 3 50 2\n0 finalize\n1 finalize\n",
              "a message of 100 B from rank 0 to rank 1 (tag 3) meets a receive of 50 B");
  contradicts("0 init\n1 init\n0 send 1 3 100 2\n0 send 1 3 100 2\n0 finalize\n1 finalize\n",
              "a message from rank 0 to rank 1 (tag 3) is never received, and 1 more such");
  contradicts("num_ranks 2\nrank 0 {\na: recv 5b from 1\n}\nrank 1 {\n}\n",
              "a message from rank 1 to rank 0 (tag 0) is never sent");
  contradicts("num_ranks 2\nrank 0 {\na: send 500b to 1 tag 3\n}\nrank 1 {\nb: recv 5b from 0 tag 3\n}\n",
              "a message of 500 B from rank 0 to rank 1 (tag 3) meets a receive of 5 B");
  EXPECT_TRUE(notes(samples::time_independent).empty());
}

TEST_F(MoreFiles, RcclReplayerLogsGiveCallsByDevice) {
  const auto source = open_source({file("a.1.node0.json", samples::rccl_replay())});
  EXPECT_EQ(source->info().format, "rccl-replay");
  ASSERT_EQ(source->ranks(), 2);
  for (const Rank r : {0, 1}) {
    const auto calls = all(*source, r);
    ASSERT_EQ(calls.size(), 3u);
    EXPECT_EQ(calls[0].operation, "allgather");
    EXPECT_DOUBLE_EQ(calls[0].message.value, 2 * 4096);  // two ranks' shares
    EXPECT_EQ(calls[1].kind, r == 0 ? Kind::send : Kind::receive);
    EXPECT_DOUBLE_EQ((calls[1].bytes + calls[1].received_bytes).value, 80);
    EXPECT_EQ(calls[2].kind, Kind::wait);
  }
  ASSERT_EQ(source->info().notes.size(), 1u);
  EXPECT_EQ(source->info().notes[0].substr(0, 33), "2 calls at the capture of graphs ");
}

const std::string deepspeed_calls =
    "[2026-01-01 01:39:55,722] [INFO] [logging.py:69:log_dist] [Rank 0] rank=0 | comm op: "
    "all_gather_into_tensor | "
    "time (ms): 0.11 | msg size: 6.0 MB | algbw (Gbps): 954.40  | busbw (Gbps): 894.75\n"
    "[2026-01-01 01:39:56,470] [INFO] rank=0 | comm op: send | [Caller Func: f] | time (ms): 1 | msg size: "
    "2.5 KB | "
    "algbw (Gbps): 1 | busbw (Gbps): 1\n"
    "[2026-01-01 01:39:56,470] [INFO] rank=0 | comm op: reduce_scatter_tensor | time (ms): 9.46 | msg size: "
    "64 MB\n";

const std::string deepspeed_summary =
    "Comm. Op            Message Size        Count               Total Latency(ms)   Avg Latency(ms)     "
    "tput_avg "
    "(Gbps)     busbw_avg (Gbps)\n"
    "broadcast | [Caller Func: _broadcast_model]\n"
    "                    2.0 KB              146                 11.68               0.08                "
    "0.43  0.41\n"
    "all_reduce\n"
    "                    98.25 MB            40                  400.0               9.69                "
    "1000  750\n"
    "______\nBreakdown with straggler effect\n-----\n"
    "Comm. Op            Message Size        Count               Total comm lat(ms)  Total straggler(ms)\n"
    "broadcast\n                    2.0 KB              146                 11.68               0.08\n";

TEST_F(MoreFiles, RcclReplayersBracketsAreGroups) {
  // Each of two GPUs sends and receives in one group, under numbers of their own.
  std::string text = samples::rccl_replay();
  const std::size_t at = text.rfind("  {\n");
  std::string messages = text.substr(at);
  for (const auto& [kind, rank] : {std::pair{"Recv", 0}, std::pair{"Send", 1}}) {
    const std::string other = rank == 0 ? "1" : "0", me = std::to_string(rank);
    std::string line = messages.substr(messages.find(rank == 0 ? "Send" : "Recv"));
    line = line.substr(0, line.find('\n') + 1);
    line.replace(0, 4, kind);
    line.replace(line.find("opCount : 1f"), 12, "opCount : 20");
    messages.insert(messages.find("  }\n"), line);
  }
  const auto source = open_source({file("g.1.node0.json", text.substr(0, at) + messages)});
  for (const Rank r : {0, 1}) {
    const auto calls = all(*source, r);
    ASSERT_GE(calls.size(), 3u);
    EXPECT_EQ(calls[calls.size() - 1].kind, Kind::wait) << r;
    EXPECT_EQ(calls[calls.size() - 1].requests.size(), 2u) << r;
  }
}

TEST_F(MoreFiles, NcclCommunicatorsWithoutInitAreNotOneRanksOwn) {
  const auto line = [](const std::string& kind, int number, int peer, const std::string& comm) {
    return "a:1:2 [1] NCCL INFO " + kind + ": opCount " + std::to_string(number) +
           " sendbuff 0x1 recvbuff (nil) count 8 datatype 7 op 0 root " + std::to_string(peer) + " comm " +
           comm + " [nranks=2] stream 0x5\n";
  };
  const auto source = open_source(
      {file("l", line("Send", 1, 1, "0xa") + line("Send", 2, 0, "0xb") + line("Recv", 3, 1, "0xa"))});
  ASSERT_EQ(source->communicators().size(), 2u);
  EXPECT_EQ(source->communicators()[1], (std::vector<Rank>{1, 0}));  // it sends to 0, so it is 1
}

TEST_F(MoreFiles, DeepSpeedCallsAreInOrder) {
  const auto source = open_source({file("log", deepspeed_calls)});
  EXPECT_EQ(source->info().format, "deepspeed");
  ASSERT_EQ(source->ranks(), 16);  // 1 / (1 - 894.75 / 954.40) = 16.0
  EXPECT_EQ(source->info().recorded_ranks, std::vector<Rank>{0});
  const auto calls = all(*source, 0);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_DOUBLE_EQ(calls[0].message.value, 16 * 6 * 1048576.0);
  EXPECT_NEAR(calls[0].time.value, 0.11e-3, 1e-15);
  EXPECT_EQ(calls[1].kind, Kind::skipped);
  EXPECT_DOUBLE_EQ(calls[2].message.value, 64 * 1048576.0);
}

/// Other versions leave the rank to the logger.
TEST_F(MoreFiles, DeepSpeedCallsOfTheLoggersRank) {
  std::string log = deepspeed_calls;
  for (auto at = log.find("rank=0 | "); at != std::string::npos; at = log.find("rank=0 | ")) log.erase(at, 9);
  testing::expect_same(*open_source({file("a", log)}), *open_source({file("b", deepspeed_calls)}));
  log.replace(log.find("[Rank 0]"), 8, "[Rank 3]");
  EXPECT_EQ(open_source({file("c", log)})->info().recorded_ranks, (std::vector<Rank>{0, 3}));
}

TEST_F(MoreFiles, DeepSpeedLogsMayNotSayHowManyRanksThereAre) {
  const std::string broadcast =
      "[Rank 0] comm op: broadcast | time (ms): 9 | msg size: 6 MB | algbw (Gbps): 5 | busbw (Gbps): 5\n";
  EXPECT_EQ(open_source({file("log", broadcast)})->info().notes.at(0),
            "how many ranks there are is not said, as busbw and algbw differ nowhere: taken as 1; `replay "
            "--ranks` takes more");
}

/// The first version reckoned with the ranks in broadcasts, too: 1 / (1 - 372.24 / 397.06) = 15.998. Of 0.43
/// and 0.41, between 0.405 / 0.435 and 0.415 / 0.425, 15 to 42 ranks round to the same. None make a third.
TEST_F(MoreFiles, DeepSpeedBroadcastsMaySayHowManyRanksThereAre) {
  const auto note = [&](const std::string& algbw, const std::string& busbw) {
    return open_source(
               {file("log", "[Rank 0] comm op: broadcast | time (ms): 9 | msg size: 6 MB | algbw (Gbps): " +
                                algbw + " | busbw (Gbps): " + busbw + "\n")})
        ->info()
        .notes.at(0);
  };
  EXPECT_EQ(note("397.06", "372.24"), "16 ranks: what DeepSpeed's busbw and algbw differ by");
  EXPECT_EQ(note("0.43", "0.41"),
            "21 ranks: what DeepSpeed's busbw and algbw differ by, as rounded, for 15 to 42 ranks");
  EXPECT_EQ(note("300", "100"),
            "how many ranks there are is not said, as busbw and algbw differ by what no number of ranks "
            "makes: taken as 1; `replay --ranks` takes more");
}

/// Its first version had stragglers in the table: busbw and algbw are the last two of 0.06 0.24 0.17 0.17.
TEST_F(MoreFiles, DeepSpeedSummariesMayHaveAColumnOfStragglers) {
  const auto source = open_source({file(
      "log",
      "Comm. Op  Message Size  Count  Total Latency(ms)  Total straggler(ms)  Avg Latency(ms)  tput_avg "
      "(Gbps)  busbw_avg (Gbps)\nbroadcast\n    4.94 KB  1  0.24  0.06  0.24  0.17  0.17\n")});
  EXPECT_NE(source->info().notes.at(0).find("as busbw and algbw differ nowhere"), std::string::npos);
}

TEST_F(MoreFiles, DeepSpeedSummariesAreProfiles) {
  const auto source = open_source({file("log", deepspeed_summary)});
  EXPECT_FALSE(source->info().ordered);
  EXPECT_EQ(source->ranks(), 4);  // 1 / (1 - 0.75)
  const Inspection i = inspect(*source);
  ASSERT_EQ(i.operations.size(), 2u);
  EXPECT_EQ(i.operations[0].name, "allreduce");
  EXPECT_EQ(i.operations[0].count, 40);
  EXPECT_NEAR(i.operations[0].total.value, 0.4, 1e-12);
  EXPECT_EQ(i.operations[1].count, 146);
  EXPECT_DOUBLE_EQ(i.operations[1].size.value, 2048);
  const std::string none = file("none", deepspeed_summary.substr(0, deepspeed_summary.find('\n')));
  EXPECT_EQ(testing::complaint([&] { open_source({none}); }),
            none + ": a DeepSpeed log without calls of which the size is said");
}

const std::string deepintrospect =
    R"json([{"operation":"allreduce","tag":"horovod","count":10,"time":2100.0,"stats":[{"count":7,"msg_size":4004,"time":1400},{"count":1,"msg_size":8000,"time":400}]},
{"operation":"bcast","tag":"","count":2,"time":50,"stats":[]}])json";

TEST_F(MoreFiles, DeepIntrospectDumpsAreProfilesBySize) {
  const auto source = open_source({file("d.json", deepintrospect)});
  EXPECT_EQ(source->info().format, "deepintrospect");
  EXPECT_FALSE(source->info().ordered);
  const Inspection i = inspect(*source);
  ASSERT_EQ(i.operations.size(), 4u);  // most time first: 1400, 400, 2100 - 1800 = 300, and 50 us
  EXPECT_EQ(i.operations[0].name, "allreduce (horovod)");
  EXPECT_EQ(i.operations[0].count, 7);
  EXPECT_NEAR(i.operations[0].total.value, 1400e-6, 1e-12);
  EXPECT_FALSE(i.operations[0].least);  // of seven only the sum is known
  EXPECT_NEAR(i.operations[1].least.value().value, 400e-6, 1e-12);
  EXPECT_EQ(i.operations[2].count, 2);
  EXPECT_FALSE(i.operations[2].sized);
  EXPECT_NEAR(i.operations[2].total.value, 300e-6, 1e-12);
  EXPECT_EQ(i.operations[3].name, "bcast");
  EXPECT_EQ(i.dropped, (std::vector<Loss>{{"call", 4, "without a message size"}}));
}

const std::string mpip =
    "@ mpiP\n@ MPI Task Assignment      : 0 a\n@ MPI Task Assignment      : 1 a\n"
    "@--- Aggregate Time (top twenty, descending, milliseconds) ----------------\n"
    "Call                 Site       Time    App%    MPI%      Count    COV\n"
    "Isend                  25        926    1.45   16.06      71742   0.20\n"
    "Allreduce             174        346    0.54    6.00        336   0.51\n"
    "---------------------------------------------------------------------------\n"
    "@--- Aggregate Sent Message Size (top twenty, descending, bytes) ----------\n"
    "Call                 Site      Count      Total       Avrg  Sent%\n"
    "Isend                  25      71742   1.43484e+08   2e+03  63.34\n"
    "@--- Callsite Time statistics (all, milliseconds): 2 ----------------------\n"
    "Name              Site Rank  Count      Max     Mean      Min   App%   MPI%\n"
    "Bcast                9    0      7        2        1      0.5   0.10   0.20\n"
    "Bcast                9    *     14        2        1      0.5   0.10   0.20\n";

TEST_F(MoreFiles, MpipReportsAreProfilesByCallSite) {
  const auto source = open_source({file("r.mpiP", mpip)});
  EXPECT_EQ(source->info().format, "mpip");
  EXPECT_EQ(source->ranks(), 2);
  const Inspection i = inspect(*source);
  ASSERT_EQ(i.operations.size(), 3u);
  EXPECT_EQ(i.operations[2].name, "Bcast");
  EXPECT_EQ(i.operations[2].count, 14);
  EXPECT_NEAR(i.operations[2].total.value, 14e-3, 1e-12);
  EXPECT_NEAR(i.operations[2].least.value().value, 0.5e-3, 1e-12);
  EXPECT_NEAR(i.operations[2].most.value().value, 2e-3, 1e-12);
  EXPECT_EQ(i.operations[0].name, "Isend");
  EXPECT_FALSE(i.operations[0].least);
  EXPECT_EQ(i.operations[0].count, 71742);
  EXPECT_DOUBLE_EQ(i.operations[0].size.value, 2000);
  EXPECT_NEAR(i.operations[0].total.value, 0.926, 1e-9);
  EXPECT_FALSE(i.operations[1].sized);
  const auto countless =
      open_source({file("concise",
                        "@ mpiP\n@--- Aggregate Time (top twenty, descending, milliseconds) ---\n"
                        "Call                 Site       Time    App%    MPI%     COV\n"
                        "Barrier                 2       3e+04   75.00  100.00    0.67\n")});
  EXPECT_EQ(countless->info().losses, (Losses{{"call site", 1, "without a count", 30}}));
  const std::string none = file("none", "@ mpiP\n");
  EXPECT_NE(testing::complaint([&] { open_source({none}); }).find("an mpiP report without the sections"),
            std::string::npos);
}

TEST_F(MoreFiles, IpmBannersOf2005HaveTheRanksAfterTheHost) {
  const auto source = open_source({file(
      "old",
      "##IPMv0.98####\n# command : a.out\n# host    : s1/AIX    mpi_tasks : 32 on 2 nodes\n"
      "#                 [time]     [calls]    <%mpi>   <%wall>\n# MPI_Send   2.5    3   80.1   1.2\n")});
  EXPECT_EQ(source->ranks(), 32);
  ASSERT_EQ(all(*source, 0).size(), 1u);
  EXPECT_EQ(all(*source, 0)[0].times, 3);
}

const std::string ipm_banner =
    "##IPMv2.0.6####\n# mpi_tasks : 4 on 2 nodes            %comm     : 32.51\n"
    "#                             [time]        [count]        <%wall>\n"
    "# MPI_Allreduce               2.50             20          18.99\n"
    "# MPI_Barrier                 0.00              4           0.00\n"
    "# region : solve\n#                   [time]        [count]        <%wall>\n"
    "# MPI_Allreduce               1.00             10          18.99\n";

TEST_F(MoreFiles, IpmBannersAreProfilesOfTheWholeRun) {
  const auto source = open_source({file("ipm.txt", ipm_banner)});
  EXPECT_EQ(source->info().format, "ipm");
  EXPECT_FALSE(source->info().ordered);
  EXPECT_EQ(source->ranks(), 4);
  const Inspection i = inspect(*source);
  ASSERT_EQ(i.operations.size(), 2u);
  EXPECT_EQ(i.operations[0].name, "MPI_Allreduce");
  EXPECT_EQ(i.operations[0].count, 20);
  EXPECT_FALSE(i.operations[0].least);
  EXPECT_NEAR(i.operations[0].total.value, 2.5, 1e-12);
  EXPECT_FALSE(i.operations[0].sized);
  EXPECT_TRUE(source->info().losses.empty());  // a banner has no sizes, and a time of 0.00 is one
  const std::string quoted = std::regex_replace("of a page\n" + ipm_banner, std::regex("\n#"), "\n    #");
  EXPECT_EQ(all(*open_source({file("page.txt", quoted)}), 0).size(), 2u);
  const auto refused = [&](const std::string& text) {
    return testing::complaint([&] { open_source({file("bad.txt", text)}); });
  };
  EXPECT_NE(refused("##IPMv2.0.6\n# mpi_tasks : 4\n").find("without its table of calls"), std::string::npos);
  EXPECT_NE(refused("##IPMv2.0.6\n# [time]\n# MPI_Send -1 3\n").find("'MPI_Send' has no time in seconds"),
            std::string::npos);
  EXPECT_NE(
      refused("##IPMv2\n# mpi_tasks : 999999999\n# [time]\n# MPI_Send 1 3\n").find("more ranks than a job"),
      std::string::npos);
}

TEST_F(MoreFiles, IpmBannersOfFurtherRunsAreLeftOut) {
  std::string other = ipm_banner;
  other.replace(other.find("mpi_tasks : 4"), 13, "mpi_tasks : 9");
  const auto source = open_source({file("two.txt", ipm_banner + other)});
  EXPECT_EQ(source->ranks(), 4);
  EXPECT_EQ(all(*source, 0).size(), 2u);
  EXPECT_EQ(source->info().losses, (Losses{{"banner", 1, "of another run than the file's first"}}));
}

/// A rank that called MPI_Bcast twice, in 30 us, with 4 B each.
std::string tau_profile(const std::string& more = "") {
  return "3 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls # <metadata/>\n"
         "\".TAU application\" 1 7 419 55329 0 GROUP=\"TAU_DEFAULT\" \n"
         "\"MPI_Bcast()  \" 2 0 30 30 0 GROUP=\"MPI\" \n"
         "\".TAU application => MPI_Bcast()  \" 2 0 30 30 0 GROUP=\"TAU_CALLPATH|MPI\" \n" +
         more +
         "0 aggregates\n1 userevents\n# eventname numevents max min mean sumsqr\n"
         "\"Message size for broadcast\" 2 4 4 4 32\n";
}

/// An event is of the one call that has it; two calls that share it are told apart by nothing. Counters of
/// hardware are no times, and a throttled call is told.
TEST_F(MoreFiles, TauEventsThatCallsShare) {
  const auto with_event = [](const std::string& profile, const std::string& event) {
    return profile.substr(0, profile.find("\"Message size")) + event + '\n';
  };
  const auto sizes = [&](const std::string& calls, const std::string& event) {
    const auto source = open_source({file("profile.0.0.0", with_event(tau_profile(calls), event))});
    std::map<std::string, bool> sized;
    for (const Activity& a : all(*source, 0)) sized[std::string(a.call)] = a.sized;
    return sized;
  };
  const std::string one = "\"MPI_Alltoallv()  \" 3 0 5 5 0 GROUP=\"MPI\" \n",
                    both = one + "\"MPI_Alltoall()  \" 3 0 5 5 0 GROUP=\"MPI\" \n";
  EXPECT_TRUE(sizes(one, "\"Message size for all-to-all\" 3 64 0 32 9")["MPI_Alltoallv"]);
  EXPECT_FALSE(sizes(both, "\"Message size for all-to-all\" 6 64 0 32 9")["MPI_Alltoall"]);
  EXPECT_FALSE(sizes(one, "\"Message size for all-to-all\" 6 64 0 32 9")["MPI_Alltoallv"]);
  const auto apart =
      open_source({file("profile.0.0.0",
                        "1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n"
                        "\"main\" 1 0 419 419 0 GROUP=\"TAU_DEFAULT\" \n0 aggregates\n0 userevents\n")});
  EXPECT_EQ(apart->info().notes, (std::vector<std::string>{"TAU lists no calls of MPI"}));
  std::string misses = tau_profile();
  misses.replace(misses.find("TIME"), 4, "PAPI_L1_DCM");
  EXPECT_NE(testing::complaint([&] {
              open_source({file("profile.0.0.0", misses)});
            }).find("counts PAPI_L1_DCM, which is no time"),
            std::string::npos);
  const auto throttled = open_source({file(
      "profile.0.0.0", tau_profile("\"MPI_Barrier()   [THROTTLED]\" 100001 0 5 5 0 GROUP=\"MPI\" \n"))});
  EXPECT_EQ(all(*throttled, 0).size(), 2u);
  EXPECT_NE(throttled->info().notes.at(0).find("MPI_Barrier was throttled"), std::string::npos);
}

/// Of 5,031 calls the table lists 20: it was cut.
TEST_F(MoreFiles, ProfilesThatWereCutAreSaidToBe) {
  const std::string banner =
      "##IPMv2.0.6####\n# mpi_tasks : 4 on 2 nodes\n# #calls    :\n"
      "#   MPI     :       5031        39306        23067        57189\n"
      "#                             [time]        [count]        <%wall>\n"
      "# MPI_Allreduce               2.50             20          18.99\n";
  EXPECT_EQ(open_source({file("ipm.txt", banner)})->info().losses.back(),
            (Loss{"call", 5011, "less in the table than IPM says there were"}));
  const std::string whole = tau_profile(), cut = whole.substr(0, whole.find("\"MPI_Bcast"));
  EXPECT_TRUE(open_source({file("profile.0.0.0", whole)})->info().losses.empty());
  EXPECT_EQ(open_source({file("profile.1.0.0", cut)})->info().losses.back(),
            (Loss{"row", 2, "less than TAU says there are"}));
}

TEST_F(MoreFiles, TauProfilesAreOneARank) {
  const std::string first = file("profile.0.0.0", tau_profile()),
                    last = file("profile.2.0.0", tau_profile("\"MPI_Send()  \" 1 0 5 5 0 GROUP=\"MPI\" \n"));
  const auto source = open_source({last, first});
  EXPECT_EQ(source->info().format, "tau");
  EXPECT_EQ(source->ranks(), 3);
  EXPECT_EQ(source->info().recorded_ranks, (std::vector<Rank>{0, 2}));
  const Inspection i = inspect(*source);
  ASSERT_EQ(i.operations.size(), 2u);
  EXPECT_EQ(i.operations[0].name, "MPI_Bcast");
  EXPECT_EQ(i.operations[0].count, 4);
  EXPECT_NEAR(i.operations[0].total.value, 60e-6, 1e-12);
  EXPECT_DOUBLE_EQ(i.operations[0].size.value, 4);
  EXPECT_EQ(i.dropped,
            (std::vector<Loss>{
                {"size", 1,
                 "of calls that are counted: nothing is sent, or no size that is listed is theirs alone"}}));
  const auto refused = [&](const std::vector<std::string>& files) {
    return testing::complaint([&] { open_source(files); });
  };
  EXPECT_NE(refused({file("one", tau_profile())}).find("its name must end like TAU's: profile.NODE.0.0"),
            std::string::npos);
  EXPECT_NE(refused({file("profile.1.0.3", tau_profile())}).find("is a thread's profile"), std::string::npos);
  EXPECT_NE(refused({first, folder_ / "./profile.0.0.0"}).find("are both of rank 0"), std::string::npos);
  EXPECT_NE(refused({file("profile.1.0.0", tau_profile("\"MPI_Send()\" x\n"))})
                .find("MPI_Send has no count of calls and times"),
            std::string::npos);
}

TEST_F(MoreFiles, WhatIsNoTraceIsNamed) {
  const std::string tar = std::string(257, 'x') + "ustar" + std::string(250, '\0');
  for (const auto& other : std::vector<std::pair<std::string, std::string>>{
           {tar, "is a tar archive; unpack it"},
           {tar + R"({"workload_graph": [{"NodeType": 5}]})", "is a tar archive; unpack it"},
           {"<?xml version=\"1.0\"?>\n<cube version=\"4.4\">", "is the XML text of a CUBE profile"},
           {"\x03"
            "BOTF2",
            "OTF2 archive"},
           {std::string("\x03"
                        "B\x01") +
                std::string(15, '\0'),
            "is a part of an OTF2 archive, its definitions or events (.def, .evt)"},
           {std::string("\x03#") + std::string(7, '\0') + "\x01" + std::string(8, '\0'),
            "is a part of an OTF2 archive, its definitions or events (.def, .evt)"},
           {R"({"name":"allgather", "kernel":1, "ranks":8, "algBw":291.52, "busBw":255.08})",
            "is a table of MSCCL++'s performance tests"},
           {R"({"collective":"allreduce","ranks":8,"message_bytes":8,"time_s":1e-5})",
            "is a table of measurements"},
           {"collective,ranks,size_bytes,oop_busbw\nallreduce,8,8,0.1\n",
            "is a table of bandwidths in columns"},
           {"MPI_Send called 0 times and ignored 0 times\n",
            "is the counts of calls at the end of a DUMPI trace"},
           {"__rec=node,id=12", "is a Caliper recording"},
           {"\n\x0e/host:metadata", "is an XSpace profile"},
           {"\n\x09/host:CPU", "is an XSpace profile"},
           {R"({"traceEvents":[{"ph":"M","name":"process_name","args":{"name":"/device:GPU:0"}}]})",
            "is a Chrome trace of JAX's or TensorFlow's profiler"},
           {R"([{"name":"Group API","cat":"GROUP_API","ph":"b","pid":1,"ts":1}])",
            "is a Chrome trace of no tool that is known"},
           {R"({"traceEvents":[{"name":"Broadcast: 8 ncclInt8","cat":"trace","ph":"B","pid":1,"ts":0}]})",
            "is a Chrome trace of no tool that is known"},
           {"BZh91AY&SY", "is packed by xz or bzip2"},
           {"\xfd"
            "7zXZ",
            "is packed by xz or bzip2"},
           {"{\"rules\": [{\"filter\": {\"bytesPerRank\": \"*\"}}]}", "is a tuner file of NCCLX"},
           {"<algo name=\"a\" ngpus=\"8\">", "is an algorithm of MSCCL: `collcast prove --import FILE`"},
           {"rule-file-version-2\n1", "is a rule file of Open MPI"},
           {"# NCCL\nallreduce,0,65536,tree,ll,1,-1,-1", "is a tuner file of NCCL"}})
    EXPECT_NE(testing::complaint([&] { open_source({file("other", other.first)}); }).find(other.second),
              std::string::npos)
        << other.second;
}

/// A record of RCCL's recorder.h: an allreduce of `count` floats by a rank of 2.
std::string rccl_record(std::uint64_t type, std::uint64_t count, std::uint64_t rank) {
  std::string bytes(160, '\0');
  auto put = [&](std::size_t at, std::uint64_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
  };
  for (const auto& [at, value] : std::map<std::size_t, std::uint64_t>{
           {0, 11}, {4, 12}, {8, rank}, {36, type}, {112, 7}, {120, rank}, {124, 2}, {148, rank}})
    put(at, value, 4);
  put(16, std::bit_cast<std::uint64_t>(1745623615676.0), 8);
  put(104, count, 8);
  put(128, 100 + rank, 8);
  put(152, 171, 8);
  return bytes;
}

TEST_F(MoreFiles, RcclReplayerRecordsAreReadToo) {
  // 17: a communicator; 4: an allreduce; 9: an all-to-all of 10 and 30 elements, with 4 lists of two after
  // it.
  std::string lists(64, '\0');
  lists[0] = 10, lists[8] = 30;
  const std::string one = rccl_record(17, 0, 0) + rccl_record(4, 1000, 0) + rccl_record(9, 0, 0) + lists +
                          rccl_record(4, 5, 0),
                    other = rccl_record(17, 0, 1) + rccl_record(4, 1000, 1) + rccl_record(9, 0, 1) + lists +
                            rccl_record(4, 5, 1);
  const auto source = open_source({file("r.11.a", one), file("r.12.a", other + "cut")});
  ASSERT_EQ(source->ranks(), 2);
  const auto calls = all(*source, 1);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_DOUBLE_EQ(calls[0].message.value, 4000);
  EXPECT_DOUBLE_EQ(calls[1].message.value, 160);  // 40 floats
  EXPECT_DOUBLE_EQ(calls[2].message.value, 20);
  EXPECT_EQ(source->info().losses, (std::vector<Loss>{{"call", 1, "cut short in its middle"}}));
  const std::string idle = file("r.13.a", rccl_record(17, 0, 0));
  EXPECT_NE(testing::complaint([&] { open_source({idle}); }).find("in which nothing communicates"),
            std::string::npos);
}

TEST_F(MoreFiles, MutatedOnesAreReadOrRefused) {
  for (const std::string& good :
       {pickle(), inspector, execution_trace, chakra_json, goal, deepspeed_calls, deepspeed_summary,
        samples::rccl_replay(), rccl_record(17, 0, 0) + rccl_record(4, 9, 0) + rccl_record(6, 9, 0)}) {
    std::mt19937 random(7);
    for (int i = 0; i < 400; ++i) {
      const std::string path = file("t_0", mutated(good, "{}[]\",:0123456789-.eXKuq(h\x80\x85", random));
      testing::complaint([&] { inspect(*open_source({path})); });
    }
  }
}

TEST_F(MoreFiles, OtherNumbersAreReadOrRefused) {
  testing::read_or_refuse_other_numbers(
      {pickle(), flight_json, flight_of({5, 6, 7}, 0), inspector, execution_trace, chakra_json, goal,
       deepspeed_calls, deepspeed_summary, deepintrospect, mpip, ipm_banner, samples::rccl_replay()});
  testing::read_or_refuse_other_numbers({tau_profile()}, "profile.0.0.0");
}

/// What goes out comes back: the same operations, sizes and computation.
TEST_F(MoreFiles, ConversionsKeepOperationsAndSizes) {
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
TEST_F(MoreFiles, ConversionsKeepUnequalParts) {
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
TEST_F(MoreFiles, SimGridWritesWhatTheRootKnowsAtTheRoot) {
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
TEST_F(MoreFiles, ReceivesOfAnyTagMatchInOrder) {
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

TEST_F(MoreFiles, ConversionsSayWhereTheApplicationRan) {
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

TEST_F(MoreFiles, PausesBecomeComputationAndThatIsSaid) {
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
TEST_F(MoreFiles, ChakraKeepsRootsAndTimesInAttributesOfItsOwn) {
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

TEST_F(MoreFiles, ChakraAsJson) {
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
TEST_F(MoreFiles, ConversionsCompleteAllRequests) {
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
TEST_F(MoreFiles, ConversionsWaitForWhatIsThere) {
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
TEST_F(MoreFiles, ConversionsSayWhereStreamsLoseTheirOrder) {
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

TEST_F(MoreFiles, ConversionsKeepThatATraceEndsEarly) {
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

TEST_F(MoreFiles, ConversionsRefuseWhatCannotBeRead) {
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
TEST_F(MoreFiles, ConversionsKeepCommunicatorsApart) {
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
TEST_F(MoreFiles, ConversionsOfRecordingsAreTheSame) {
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

TEST_F(MoreFiles, StreamsThatOverlapBecomeNonBlockingCollectives) {
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

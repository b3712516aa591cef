// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "replay/formats/formats.hpp"
#include "replay/source/inspection.hpp"
#include "tests/complaint.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/replay/formats/trace_files.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;
using samples::flight_json;
using samples::flight_of;
using samples::pickle;
using testing::all;
using FlightRecorderDumps = testing::TraceFiles;

TEST_F(FlightRecorderDumps, PicklesAreDataAlone) {
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

TEST_F(FlightRecorderDumps, GroupsAreBegunTogether) {
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

TEST_F(FlightRecorderDumps, GloosAreOfHostMemory) {
  std::string dump = flight_json;
  for (std::size_t at = 0; (at = dump.find("nccl:", at)) != std::string::npos;) {
    EXPECT_EQ(open_source({file("dump_0.json", dump)})->info().memory, Memory::device);  // some are NCCL's
    dump.replace(at, 5, "gloo:");
  }
  const auto source = open_source({file("dump_0.json", dump)});
  EXPECT_EQ(source->info().memory, Memory::host);
  EXPECT_TRUE(source->info().by_mpi);
}

/// What a `coalesced` closes stays scheduled for ever, and has no time; the whole has both.
TEST_F(FlightRecorderDumps, GroupsHaveTheTimeOfTheirEnd) {
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
TEST_F(FlightRecorderDumps, RanksAreInTheGroupsOfTheDump) {
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
TEST_F(FlightRecorderDumps, RanksAreNotNegative) {
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

TEST_F(FlightRecorderDumps, GroupsWithoutMembersAreAllRanksAndThatIsSaid) {
  std::string dump = flight_json;
  for (std::size_t at; (at = dump.find(R"("process_group":["0")")) != std::string::npos;)
    dump.replace(at, 20, R"("process_group":["6")");
  const auto source = open_source({file("dump_0.json", dump)});
  EXPECT_EQ(all(*source, 0)[0].communicator, 0);
  EXPECT_EQ(source->info().notes.at(0),
            "4 entries are of groups whose members pg_config does not say: all ranks are taken to take part");
}

TEST_F(FlightRecorderDumps, PicklesOfLaterProtocols) {
  // What Python's pickle.dumps({"entries": [], "pg_config": {}}, 4) writes.
  const std::string later(
      "\x80\x04\x95\x1f\0\0\0\0\0\0\0}\x94(\x8c\x07"
      "entries\x94]\x94\x8c\x09"
      "pg_config\x94}\x94u.",
      42);
  const auto source = open_source({file("p_0", later)});
  EXPECT_EQ(source->info().format, "flight-recorder");
  EXPECT_EQ(source->info().notes.at(0),
            "no dump has an entry: the recorder was off (TORCH_NCCL_TRACE_BUFFER_SIZE is 0), or nothing was "
            "called");
}

/// Rank 0's ring begins with call 5, rank 1's with call 6 and lacks 8; that rank 0 ends before 10 is no loss.
TEST_F(FlightRecorderDumps, CallsMeetByTheirNumber) {
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
TEST_F(FlightRecorderDumps, TimesSinceTheEpochKeepTheirNanoseconds) {
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

TEST_F(FlightRecorderDumps, CallsOfNoElementsAreOfAKnownSize) {
  std::string dump = flight_of({0, 1}, 0);
  const auto calls = all(*open_source({file("z_rank0", dump)}), 0);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_TRUE(calls[0].sized);
  EXPECT_DOUBLE_EQ(calls[0].message.value, 0);
  dump.replace(dump.find("Float"), 5, "Other");
  EXPECT_FALSE(all(*open_source({file("u_rank0", dump)}), 0)[0].sized);
}

TEST_F(FlightRecorderDumps, DumpsOfTwoJobsAreRefused) {
  std::string other = flight_of({5}, 0);
  other.replace(other.find("[0, 1]"), 6, "[0, 1, 2, 3]");
  const std::string a = file("j_rank0", flight_of({5}, 0)), b = file("j_rank1", other);
  EXPECT_EQ(testing::complaint([&] {
              open_source({a, b});
            }),
            "ranks of two different jobs: group 0 has 2 ranks in " + a + " and 4 in " + b);
}

}  // namespace
}  // namespace collcast

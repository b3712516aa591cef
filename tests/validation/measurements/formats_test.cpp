// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>

#include "support.hpp"

namespace collcast {
namespace {

using namespace testing;

std::vector<Measurement> parse(const char* text, const FileFacts& known = {},
                               const std::string& file = "table.txt") {
  return parse_measurements(text, file, known);
}

TEST(Osu, LatencyWithBuffersOnBothSides) {
  const auto all = parse(osu_latency, {.nodes = 2});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].timing, Timing::latency);
  EXPECT_EQ(all[1].library, "OSU 5.6.2");
  EXPECT_EQ(all[1].from, Memory::host);
  EXPECT_EQ(all[1].to, Memory::device);
  EXPECT_EQ(all[1].message.value, 1);
  EXPECT_DOUBLE_EQ(all[1].time.value, 17.30e-6);
  EXPECT_NEAR(all[1].rounding, 0.005 / 17.30, 1e-12);
  EXPECT_EQ(all[1].ranks, 2);
  EXPECT_EQ(all[1].nodes, 2);
  EXPECT_EQ(all[1].source(), "table.txt:5");
}

/// 4 pairs of 1000 B at 2000 MB/s: each pair sends one in 2 us.
TEST(Osu, MultipleBandwidth) {
  const auto all = parse(osu_multiple_bandwidth);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].timing, Timing::bandwidth);
  EXPECT_EQ(all[1].pairs, 4);
  EXPECT_EQ(all[1].ranks, 8);
  EXPECT_EQ(all[1].window, 32);
  EXPECT_EQ(all[1].from, Memory::host);
  EXPECT_DOUBLE_EQ(all[1].time.value, 2e-6);
}

/// 2000 MB/s are 1000 each way: a message of 1000 B each way takes 1 us.
TEST(Osu, BothWaysCountTwice) {
  const auto all =
      parse("# OSU MPI Bi-Directional Bandwidth Test v5.6.2\n# Size  Bandwidth (MB/s)\n1000 2000.00\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].timing, Timing::both_ways_bandwidth);
  EXPECT_NEAR(all[0].time.value, 1e-6, 1e-15);
}

TEST(Osu, BandwidthHasAWindowOf64) {
  const auto all = parse("# OSU MPI Bandwidth Test v5.6.2\n# Size      Bandwidth (MB/s)\n1000 500.00\n");
  EXPECT_EQ(all[0].window, 64);
  EXPECT_DOUBLE_EQ(all[0].time.value, 2e-6);
}

/// A multi-latency table does not say its pairs: 0, unless its user does.
TEST(Osu, MultiLatencyPairs) {
  const char* table = "# OSU MPI Multi Latency Test v5.7\n# Size          Latency (us)\n1  0.87\n";
  EXPECT_EQ(parse(table)[0].pairs, 0);
  EXPECT_EQ(parse(table, {.pairs = 4})[0].pairs, 4);
  EXPECT_EQ(parse(table, {.ranks = 8})[0].pairs, 4);
}

/// OSU counts one rank's block, collcast the whole array.
TEST(Osu, AllgatherAfterWarnings) {
  const auto all = parse(osu_allgather, {.ranks = 16});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].collective, Collective::allgather);
  EXPECT_EQ(all[0].message.value, 64);
  EXPECT_EQ(all[0].from, Memory::device);
  EXPECT_DOUBLE_EQ(all[0].time.value, 28.87e-6);
}

TEST(Osu, Barrier) {
  const auto all =
      parse("# OSU MPI Barrier Latency Test v5.7\n# Avg Latency(us)   Min Latency(us)\n  4.5   4.0\n");
  EXPECT_EQ(all[0].collective, Collective::barrier);
  EXPECT_EQ(all[0].message.value, 0);
}

TEST(Osu, TwoTablesInOneFile) {
  EXPECT_EQ(parse((std::string(osu_latency) + osu_multiple_bandwidth).c_str()).size(), 5u);
}

TEST(Osu, TaggedLines) {
  for (const std::string tag : {"[1,0]<stdout>:", "[prterun-host-1@1,0]<stdout>: ",
                                "Thu Jul 18 15:41:05 2024<stdout>:", "0: ", " 12: "}) {
    const auto all = parse((tag + "# OSU MPI Latency Test v5.7\n" + tag + "# Size          Latency (us)\n" +
                            tag + "8      1.5\r\n")
                               .c_str());
    EXPECT_DOUBLE_EQ(all.at(0).time.value, 1.5e-6) << tag;
  }
}

/// From version 7.5 on nothing says where the buffers of "-d cuda H D" are: they are not taken for two
/// devices.
TEST(Osu, BuffersThatNothingTells) {
  const char* table = "# OSU MPI-CUDA Bandwidth Test v7.5\n# Size      Bandwidth (MB/s)\n1000 500.00\n";
  EXPECT_FALSE(parse(table)[0].from);
  EXPECT_EQ(parse(table, {.from = Memory::host, .to = Memory::device})[0].from, Memory::host);
  const char* sycl = "# OSU MPI-SYCL Broadcast Latency Test v7.5\n# Size  Avg Latency(us)\n8  4.2\n";
  EXPECT_EQ(parse(sycl, {.ranks = 4})[0].from, Memory::device);
  const auto managed = parse(
      "# OSU MPI-CUDA Latency Test v7.0\n# Send Buffer on MANAGED (MH) and Receive Buffer on MANAGED (MD)\n"
      "# Size  Latency (us)\n8 2.0\n");
  EXPECT_EQ(managed[0].from, Memory::host);
  EXPECT_EQ(managed[0].to, Memory::device);
}

TEST(Osu, BothWaysByOtherNames) {
  for (const char* table :
       {"# OSU MPI Bi-Directional Bandwidth Test v3.3\n# Size   Bi-Bandwidth (MB/s)\n1000 2000.00\n",
        "# OSU MPI Bidirectional Bandwidth Test (Version 2.1)\n# Size   Bi-Bandwidth (MB/s)\n1000 2000.00\n"})
    EXPECT_NEAR(parse(table).at(0).time.value, 1e-6, 1e-15) << table;
}

/// Their columns stand one blank apart.
TEST(Osu, TailsOfBandwidths) {
  const auto all = parse(
      "# OSU MPI Bi-Directional Bandwidth Test v7.5\n"
      "# Size      Bandwidth (MB/s) P50 Tail BW(MB/s) P90 Tail BW(MB/s) P99 Tail BW(MB/s)\n"
      "1000    2000.00   2100.00    2200.00    2300.00\n");
  EXPECT_NEAR(all.at(0).time.value, 1e-6, 1e-15);
}

/// What a line says that begins like a number, and is none; a damaged row still is one.
TEST(Osu, LinesBetweenRows) {
  const std::string head = "# OSU MPI Latency Test v5.7\n# Size          Latency (us)\n8      1.5\n";
  for (const std::string line :
       {"--------------------------------------", "2e3f9af7:195:195 [0] NCCL INFO Launch mode",
        "- the closing line of a banner", "12 ranks have gone home by now"})
    EXPECT_EQ(parse((head + line + "\n16     1.6\n").c_str()).size(), 2u) << line;
  EXPECT_NE(testing::complaint([&] { parse((head + "1O24   1.6\n").c_str()); }).find("table.txt:4: size is"),
            std::string::npos);
}

TEST(NcclTests, AllreduceBothSides) {
  const auto all = parse(nccl_allreduce);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].collective, Collective::allreduce);
  EXPECT_EQ(all[0].ranks, 2);
  EXPECT_EQ(all[0].nodes, 2);
  EXPECT_EQ(all[0].from, Memory::device);
  EXPECT_FALSE(all[2].in_place);
  EXPECT_TRUE(all[3].in_place);
  EXPECT_DOUBLE_EQ(all[3].time.value, 2969.8e-6);
}

TEST(NcclTests, SizesThatAreRoundedToTheSameAreRepetitions) {
  // all_gather_perf -b 1 on 8 ranks prints five rows of 0 B (superbenchmark's tests/data/nccl_allgather.log).
  const std::string row =
      "           0             0   float     sum    35.20    0.00    0.00  N/A    34.05    0.00    0.00  "
      "N/A\n";
  std::string table = nccl_allreduce;
  table.insert(table.find("        1024 "),
               row + "hostname:3442:3442 [0] NCCL INFO Launch mode Parallel\n" + row);
  const auto all = parse(table.c_str());
  ASSERT_EQ(all.size(), 8u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(all[i].message, Bytes(0));
  EXPECT_EQ(all[4].message, Bytes(1024));
}

/// Version 2.13 and later: redop and root for every collective, in-place times that may not exist.
TEST(NcclTests, BroadcastOfALaterVersion) {
  const auto all = parse(nccl_broadcast);
  EXPECT_EQ(all[0].gpus_a_thread, 2);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].collective, Collective::broadcast);
  EXPECT_EQ(all[0].nodes, 1);
  EXPECT_DOUBLE_EQ(all[0].time.value, 104.9e-6);
}

std::string with(std::string table, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = table.find(what, at)) != std::string::npos; at += by.size())
    table.replace(at, what.size(), by);
  return table;
}

/// NCCL_TESTS_SPLIT: two groups at once are two jobs.
TEST(NcclTests, GroupsAreJobs) {
  const std::string line =
      "#  Rank  1 Group  0 Pid   6899 on host-a device  1 [0000:05:00] NVIDIA H100 80GB HBM3\n";
  const auto split = [&](const std::string& more) {
    return with(nccl_broadcast, line, with(line, "Group  0", "Group  1") + more);
  };
  const auto all = parse(split("").c_str());
  EXPECT_EQ(all[0].ranks, 2);
  EXPECT_EQ(all[0].jobs, 2);
  EXPECT_NE(complaint([&] {
              parse(split(with(line, "Rank  1", "Rank  2")).c_str());
            }).find("groups of different sizes at once"),
            std::string::npos);
  EXPECT_EQ(complaint([&] { parse(with(nccl_broadcast, line, line + line).c_str()); }),
            "table.txt:5: rank 1 is listed twice: this is the output of programs side by side, as mpirun "
            "starts where "
            "nccl-tests was built without MPI=1; give that of one run");
}

TEST(NcclTests, ProgramsOneAfterTheOther) {
  const std::string starting = "# Collective test starting: ", table = nccl_allreduce;
  const std::string both =
      starting + "all_reduce_perf\n" + table + starting + "reduce_scatter_perf\n" + table;
  const auto all = parse(both.c_str());
  ASSERT_EQ(all.size(), 8u);
  EXPECT_EQ(all[0].collective, Collective::allreduce);
  EXPECT_EQ(all[7].collective, Collective::reduce_scatter);
  EXPECT_EQ(all[7].ranks, 2);
}

TEST(NcclTests, TellTheirRelease) {
  const std::string first =
                        "# nccl-tests version 2.17.1 nccl-headers=22703 nccl-library=22105\n"
                        "# Collective test starting: all_reduce_perf\n",
                    table = nccl_allreduce;
  const auto all = parse((first + table + with(first, "22105", "2804") + table).c_str());
  ASSERT_EQ(all.size(), 8u);
  EXPECT_EQ(all[0].library, "nccl-tests, NCCL 2.21.5");
  EXPECT_EQ(all[7].library, "nccl-tests, NCCL 2.8.4");
  EXPECT_EQ(other_release({all[0]}, "nccl-2.21:algo=Ring"), "");
  EXPECT_EQ(other_release(all, "nccl-2.21"),
            "table.txt says that NCCL 2.8.4 ran: that is --policy nccl-2.8, not nccl-2.21");
  EXPECT_EQ(other_release(all, "rccl-2.26"), "");
}

TEST(NcclTests, RowsWithATimeStamp) {
  std::string stamped = with(nccl_broadcast, "#wrong\n", "#wrong  timestamp\n");
  EXPECT_NE(stamped, nccl_broadcast);
  for (const char* end : {"N/A\n", "      0\n"}) {
    const std::string row = end;
    stamped = with(stamped, row, row.substr(0, row.size() - 1) + "  2025-10-31 07:58:29\n");
  }
  EXPECT_EQ(parse(stamped.c_str()).size(), 3u);
}

/// What -J writes: one device for each process of two GPUs.
TEST(NcclTests, Report) {
  const auto all = parse(nccl_report);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].collective, Collective::allreduce);
  EXPECT_EQ(all[0].library, "nccl-tests, NCCL 2.28.7");
  EXPECT_EQ(all[0].gpus_a_thread, 2);
  EXPECT_EQ(all[0].ranks, 4);
  EXPECT_EQ(all[0].nodes, 2);
  EXPECT_DOUBLE_EQ(all[1].time.value, 50e-6);
  EXPECT_TRUE(all[1].in_place);
  const auto bad = [&](const std::string& what, const std::string& by) {
    return complaint([&] { parse(with(nccl_report, what, by).c_str()); });
  };
  EXPECT_EQ(bad("time", "cpu_time"),
            "table.txt:1: the report of nccl-tests (-J) has no number time; give the table that it prints");
  EXPECT_EQ(bad("\"alg_bw\":10.0", "\"alg_bw\":9.0"),
            "table.txt:1: alg_bw is 9, but size over time is 10 GB/s");
  EXPECT_NE(bad("devices", "gpus").find("give the table that it prints"), std::string::npos);
}

TEST(NcclTests, CollectiveFromFileNameOrUser) {
  std::string gather = nccl_broadcast;
  for (std::size_t at = 0; (at = gather.find("none       0", at)) != std::string::npos; ++at)
    gather.replace(at, 12, "none      -1");
  EXPECT_EQ(parse(gather.c_str(), {}, "out/all_gather_perf.txt")[0].collective, Collective::allgather);
  EXPECT_EQ(parse(gather.c_str(), {.collective = Collective::alltoall})[0].collective, Collective::alltoall);
  EXPECT_NE(complaint([&] { parse(gather.c_str()); }).find("FILE:collective=NAME"), std::string::npos);
  EXPECT_EQ(parse(("$ mpirun ./build/alltoall_perf -b 1M\n" + gather).c_str())[0].collective,
            Collective::alltoall);
}

/// 40 MB at 40 GB/s take 1 ms; 40 MB each way at 80 GB/s together too. What the host needs is left out.
TEST(P2p, Matrices) {
  const auto all = parse(p2p);
  ASSERT_EQ(all.size(), 8u);
  EXPECT_FALSE(all[0].peer_access);
  EXPECT_TRUE(all[2].peer_access);
  EXPECT_EQ(all[2].timing, Timing::copy);
  EXPECT_EQ(all[2].sender, 0);
  EXPECT_EQ(all[2].receiver, 1);
  EXPECT_DOUBLE_EQ(all[2].time.value, 1e-3);
  EXPECT_EQ(all[4].timing, Timing::both_ways_copy);
  EXPECT_DOUBLE_EQ(all[4].time.value, 1e-3);
  EXPECT_EQ(all[6].message.value, 4);
  EXPECT_DOUBLE_EQ(all[6].time.value, 1.89e-6);
}

TEST(JsonLines, PointToPointAndCollective) {
  const auto all = parse(json_lines);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].timing, Timing::latency);
  EXPECT_EQ(all[0].from, Memory::host);
  EXPECT_EQ(all[0].to, Memory::device);
  EXPECT_EQ(all[0].nodes, 2);
  EXPECT_EQ(all[1].algorithm, "ring");
  EXPECT_EQ(all[1].ranks, 8);
  EXPECT_EQ(all[1].source(), "table.txt:2");
}

/// What `collcast-mpi --format json` prints.
TEST(JsonLines, Document) {
  const auto all = parse(
      "{\n  \"engine\": \"mpi\",\n  \"measurements\": [\n    {\"collective\": \"broadcast\", \"ranks\": 4, "
      "\"root\": 0,\n"
      "     \"message_bytes\": 8, \"time_s\": 1e-6}\n  ]\n}\n");
  EXPECT_EQ(all[0].collective, Collective::broadcast);
}

/// A row of `collcast-mpi` or of a campaign.
TEST(JsonLines, KeepTheParametersOfTheCall) {
  const auto all = parse(
      R"({"collective": "broadcast", "algorithm": "chain", "parameters": {"segments": 16, "segment": 65536}, "ranks": 4, "root": 2, "message_bytes": 1048576, "time_s": 1e-3}
{"collective": "allreduce", "algorithm": "library", "parameters": {}, "ranks": 8, "root": null, "jobs": 2, "message_bytes": 8, "time_s": 3e-6, "pure_s": 1e-6}
{"collective": "allreduce", "parameters": {}, "ranks": 8, "message_bytes": 8, "time_s": 3e-6, "buffers": "device"}
{"collective": "allreduce", "ranks": 8, "message_bytes": 8, "time_s": 3e-6}
)");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].parameters->segments, 16);
  EXPECT_EQ(all[0].root, 2);
  EXPECT_EQ(all[0].from, Memory::host);
  EXPECT_EQ(all[1].algorithm, "");
  EXPECT_EQ(all[1].jobs, 2);
  EXPECT_DOUBLE_EQ(all[1].time.value, 1e-6);
  EXPECT_EQ(all[2].from, Memory::device);
  EXPECT_FALSE(all[3].from);
  EXPECT_FALSE(all[3].parameters);
}

/// OSU's names of algorithms had no effect in these.
TEST(Csv, Experiments) {
  const auto all = parse(experiments);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].algorithm, "");
  EXPECT_TRUE(all[0].mean_over_ranks);
  EXPECT_EQ(all[0].from, Memory::host);
  EXPECT_EQ(all[1].from, Memory::device);
  EXPECT_EQ(all[1].algorithm, "");
  EXPECT_EQ(all[1].settings, "algo=ring");
  EXPECT_DOUBLE_EQ(all[1].time.value, 0.191035);
}

TEST(Csv, OneLibraryOfSeveral) {
  const auto all = parse_measurements(experiments, "t", {.library = "nccl-tests"});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].ranks, 32);
  EXPECT_THROW(parse_measurements(experiments, "t", {.library = "gloo"}), InputError);
}

/// In place the file's algorithm ran, out of place the library's choice; where no algorithm was loaded, both.
TEST(Csv, Msccl) {
  const auto all = parse(msccl);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].algorithm, "");
  EXPECT_EQ(all[1].algorithm, "ring_8_4");
  EXPECT_TRUE(all[1].in_place);
  EXPECT_EQ(all[3].algorithm, "");
}

/// Four rings on eight channels each, where the name says its protocol and the 64 chunks are alike.
TEST(Csv, MscclRingsSayTheirChannelsAndProtocol) {
  std::string text = msccl;
  text.replace(text.find("ring_8_4,16"), 8, "ring_8_4_LL");
  EXPECT_EQ(parse(text.c_str())[1].settings, "");
  text.replace(text.find("384,96"), 6, "512,128");
  const auto all = parse(text.c_str());
  EXPECT_EQ(all[0].settings, "");
  EXPECT_EQ(all[1].algorithm, "");
  EXPECT_EQ(all[1].settings, "algo=Ring,proto=LL,channels=32");
}

/// 2^20 ranks in 2^12 rings have 2^32 chunks, more than an int counts: 96 elements are not divided evenly.
TEST(Csv, MscclRingsOfMoreChunksThanElements) {
  std::string text = msccl;
  text.replace(text.find("ring_8_4,16"), 11, "ring_1_4096_LL,1048576");
  EXPECT_EQ(parse(text.c_str())[1].settings, "");
}

TEST(MeasurementFile, MayNotContradictItsTable) {
  const std::string path = ::testing::TempDir() + "said.csv";
  std::ofstream(path) << experiments;
  const auto refusal = [&](const std::string& facts) -> std::string {
    try {
      read_measurements(parse_measurement_file(path + ":library=nccl-tests," + facts, {.nodes = 3}));
      return "";
    } catch (const InputError& e) {
      return std::string(e.what()).substr(path.size());
    }
  };
  EXPECT_EQ(refusal("ranks=32,nodes=4,buffers=device,collective=allreduce"), "");
  EXPECT_EQ(refusal("ranks=999"), ":3: the table says ranks=32, not 999");
  EXPECT_EQ(refusal("collective=broadcast"), ":3: the table says collective=allreduce, not broadcast");
  EXPECT_EQ(refusal("buffers=host"), ":3: the table says buffers=device, not host");
  EXPECT_EQ(refusal("buffers=device-host"), ":3: the table says buffers=device, not device-host");
  EXPECT_EQ(refusal("pairs=2"), ":3: the table says pairs=1, not 2");
  const auto all = read_measurements(parse_measurement_file(path + ":nodes=4", {.nodes = 3}));
  EXPECT_EQ(all[0].nodes, 4);
  EXPECT_EQ(read_measurements(parse_measurement_file(path, {.nodes = 3}))[0].nodes, 3);
  std::remove(path.c_str());
}

TEST(MeasurementFile, SaysWhatItsTableDoesNot) {
  const MeasurementFile f =
      parse_measurement_file("a:b.txt:nodes=2,ranks=8,buffers=device-host,collective=reduce");
  EXPECT_EQ(f.path, "a:b.txt");
  EXPECT_EQ(f.known.nodes, 2);
  EXPECT_EQ(f.known.ranks, 8);
  EXPECT_EQ(f.known.from, Memory::device);
  EXPECT_EQ(f.known.to, Memory::host);
  EXPECT_EQ(f.known.collective, Collective::reduce);
  EXPECT_EQ(parse_measurement_file("plain.txt", {.nodes = 3}).known.nodes, 3);
}

}  // namespace
}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

using namespace testing;

/// `text` with `old` replaced, and what its reader says to that.
std::string changed(std::string text, const std::string& old, const std::string& now,
                    const FileFacts& known = {}) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  text.replace(at, old.size(), now);
  return complaint([&] { parse_measurements(text, "t", known); });
}

TEST(BadTable, Osu) {
  EXPECT_EQ(changed(osu_latency, "17.30", "-17.30"), "t:5: Latency(us) is -17.30; it cannot be negative");
  EXPECT_EQ(changed(osu_latency, "17.30", "nan"), "t:5: Latency(us) is \"nan\"; a number was expected");
  EXPECT_EQ(changed(osu_latency, "17.30", "0.00"), "t:5: Latency(us) is 0.00; it must be above 0");
  EXPECT_EQ(changed(osu_latency, "17.30", ""), "t:5: 1 columns; the table has 2");
  EXPECT_EQ(changed(osu_latency, "4194304", "1"),
            "t:6: latency of 1 bytes stands twice in this table; first in line 5");
  EXPECT_EQ(changed(osu_latency, "4194304", "41x"), "t:6: size is \"41x\"; a number was expected");
  EXPECT_EQ(changed(osu_latency, "Latency Test", std::string(1000000, 'x') + " Test"),
            "t:1: a line has more than 4096 characters, which no benchmark's has");
  EXPECT_EQ(changed(osu_latency, "4194304", "1.5"), "t:6: size is 1.5; a whole number of bytes was expected");
  EXPECT_EQ(changed(osu_latency, "Latency Test", "Put Latency Test"),
            "t:1: the OSU test \"Put Latency\" is not known; latency, bandwidth, multi-pair and blocking "
            "collective "
            "tests are");
  EXPECT_EQ(changed(osu_latency, "Latency (us)", "Bandwidth (MB/s)"),
            "t:4: the table has no column Latency (us) or Avg Latency(us)");
  EXPECT_EQ(changed(osu_latency, "# Size          Latency (us)\n", ""),
            "t:3: a row before the line that names the columns, as '# Size  Latency (us)' does");
  EXPECT_EQ(changed(osu_latency, "DEVICE", "MOON"),
            "t:2: buffers on MOON are not known; HOST, DEVICE and MANAGED are");
  const auto known = [](FileFacts facts) {
    return complaint([&] { parse_measurements(osu_latency, "t", facts); });
  };
  EXPECT_EQ(known({.ranks = 8, .nodes = 2}), "t:4: this test has 2 ranks, not 8");
  EXPECT_EQ(known({.nodes = 3}), "t:4: 2 ranks are not on 3 nodes");
  EXPECT_EQ(changed(osu_allgather, "28.87", "28.88"),
            "t:6: allgather is measured by one rank's block here; say FILE:ranks=N");
  EXPECT_EQ(changed(osu_multiple_bandwidth, "# [ pairs: 4 ] [ window size: 32 ]", "#"),
            "t:4: the table does not say its pairs; say FILE:pairs=N");
}

TEST(BadTable, BinaryUnitsForDecimalOnes) {
  // 2000 messages of 1000 B each are 2 MB, or 1.907 MiB.
  EXPECT_EQ(changed(osu_multiple_bandwidth, "2000.00 ", "1907.35 "),
            "t:5: MB/s is 1907.35, but size over time is 2000 MB/s: the table is in MiB/s, not MB/s");
  EXPECT_EQ(changed(osu_multiple_bandwidth, "2000.00 ", "1000.00 "),
            "t:5: MB/s is 1000, but size over time is 2000 MB/s");
  // 33554432 B in 2970.9 us: 11.294 GB/s, or 10.519 GiB/s.
  EXPECT_EQ(changed(nccl_allreduce, "11.29   11.29", "10.52   10.52"),
            "t:11: algbw is 10.52, but size over time is 11.2944 GB/s: the table is in GiB/s, not GB/s");
}

TEST(BadTable, NcclTests) {
  EXPECT_EQ(changed(nccl_allreduce, "2970.9", "-2970.9"), "t:11: time is -2970.9; it cannot be negative");
  EXPECT_EQ(changed(nccl_allreduce, "33554432       8388608", "33554432"),
            "t:11: 11 columns; the table has 12");
  EXPECT_EQ(changed(nccl_allreduce, "    33554432       8388608", "1024 256"),
            "t:11: algbw is 11.29, but size over time is 0.000344677 GB/s");
  EXPECT_EQ(changed(nccl_allreduce, "busbw  error     time", "other  error     time"),
            "t:10: the column busbw was expected after algbw");
  EXPECT_EQ(changed(nccl_allreduce, "#       size", "#       bytes"), "t:10: the table has no column size");
  EXPECT_EQ(changed(nccl_allreduce, "Rank  0", "Rnk  0", {.ranks = 2}),
            "t:10: the table lists 1 ranks, not 2");
  const std::string twice = std::string(nccl_allreduce)
                                .replace(std::string(nccl_allreduce).find("# Out"), 5,
                                         "    1024           256   float     sum    23.33    0.04    0.04  "
                                         "2e-07    23.30    0.04    0.04  2e-07\n# Out");
  EXPECT_EQ(complaint([&] { parse_measurements(twice, "t"); }),
            "t:12: allreduce of 1024 bytes stands twice in this table; first in line 10");
}

TEST(BadTable, OfWrongResults) {
  const std::string said =
      "), so that their time says nothing; leave them out, or give a run of right results";
  EXPECT_EQ(changed(nccl_broadcast, "10.00      0 ", "10.00     12 "),
            "t:8: the results of 1048576 bytes were wrong (#wrong is 12" + said);
  EXPECT_EQ(changed(nccl_broadcast, "10.00      0 ", "10.00    N/A "), "");
  EXPECT_EQ(changed(nccl_report, "\"nwrong\":0.0", "\"nwrong\":3.0"),
            "t:1: the results of 1000000 bytes were wrong (#wrong is 3" + said);
  const std::string validated =
      "# OSU MPI Allreduce Latency Test v7.3\n"
      "# Size       Avg Latency(us)        Validation\n"
      "4                       5.37              Pass\n";
  EXPECT_EQ(changed(validated, "5.37", "5.38", {.ranks = 2}), "");
  EXPECT_EQ(changed(validated, "Pass", "Fail", {.ranks = 2}),
            "t:3: the results were wrong (Validation is not Pass" + said);
}

TEST(BadTable, OfSeveralOperationsInOneLaunch) {
  const std::string said =
      "each time is a share of 20 operations in one launch (agg iters, -m), which is not the time of one; "
      "give a run without -m";
  EXPECT_EQ(changed(nccl_broadcast, "iters: 1\n", "iters: 20\n"), "t:1: " + said);
  EXPECT_EQ(changed(nccl_report, "\"nthreads\":1", "\"nthreads\":1,\"aggregated_iterations\":20"),
            "t:1: " + said);
  EXPECT_EQ(changed(nccl_report, "\"nthreads\":1", "\"nthreads\":1,\"aggregated_iterations\":1"), "");
}

TEST(BadTable, P2p) {
  EXPECT_EQ(changed(p2p, "40.00", "-40.00"), "t:12: GB/s is -40.00; it cannot be negative");
  EXPECT_EQ(changed(p2p, "40.00", ""), "t:12: 1 columns; the matrix has 2");
  EXPECT_EQ(changed(p2p, "     1  50.00", "     0  50.00"),
            "t:13: copy of 40000000 bytes stands twice in this table; first in line 12");
}

TEST(BadTable, Json) {
  EXPECT_EQ(changed(json_lines, "1.5e-6", "-1.5e-6"), "t:1: time_s must be above 0");
  EXPECT_EQ(changed(json_lines, "1.5e-6", "\"x\""), "t:1: time_s is not a number");
  EXPECT_EQ(changed(json_lines, "\"time_s\":1.5e-6,", ""), "t:1: the key time_s is missing");
  EXPECT_EQ(changed(json_lines, "host-device", "host-dpu"), "t:1: buffers are host or device, not dpu");
  EXPECT_EQ(changed(json_lines, "\"ranks\":8", "\"ranks\":0.5"), "t:2: ranks is not a whole number above 0");
  EXPECT_EQ(changed(json_lines, "\"ranks\":8,", ""),
            "t:2: the key ranks is missing; say it there or as FILE:ranks=N");
  const std::string star = R"({"collective":"fan-in","ranks":4,"message_bytes":8,"time_s":1e-6,"window":2})";
  EXPECT_EQ(changed(star, "4", "1"), "t:1: a fan-in takes 2 ranks or more");
  EXPECT_EQ(changed(star, "\"ranks\":4,", ""),
            "t:1: the key ranks is missing; say it there or as FILE:ranks=N");
  EXPECT_EQ(changed(star, "\"window\":2", "\"window\":0"), "t:1: window is not a whole number above 0");
  EXPECT_EQ(changed(json_lines, "{\"collective\":\"allreduce\"", "{\"collective\""),
            "t:2: not a JSON object");
  EXPECT_EQ(changed(star, "\"window\":2", "\"emulated\":true"),
            "t:1: was measured on an emulated GPU, which says nothing of a real one");
  EXPECT_EQ(changed(star, "\"window\":2", "\"emulated\":false"), "");
  EXPECT_NE(changed(json_lines, "allreduce", "allredcue").find("t:2: "), std::string::npos);
}

TEST(BadTable, OtherDocumentsOfOurs) {
  const auto refusal = [](const std::string& key) {
    return complaint([&] { parse_measurements("{\n  \"engine\": \"mpi\",\n  " + key + "\n}\n", "t"); });
  };
  const std::string end = "; expected a table of measurements, as docs/measurements.md lists";
  EXPECT_EQ(refusal("\"overlaps\": []"), "t: is what `collcast-mpi --overlap` prints" + end);
  EXPECT_EQ(refusal("\"job\": \"halo\", \"time_s\": 1e-3"),
            "t: is what `collcast-mpi job` prints, the time of a described job" + end);
}

TEST(BadTable, Csv) {
  EXPECT_EQ(changed(experiments, "394.56,", "394.56"), "t:2: 6 columns; the table has 7");
  EXPECT_EQ(changed(experiments, "394.56", "-1"), "t:2: time_us is -1; it cannot be negative");
  EXPECT_EQ(changed(msccl, "oop_time_us", "oop_time_ms"), "t:2: the table has no column oop_time_us");
}

TEST(BadTable, NoTable) {
  EXPECT_NE(complaint([] { parse_measurements("hello\n", "t"); }).find("t: no table found"),
            std::string::npos);
  EXPECT_EQ(complaint([] { parse_measurements("# OSU MPI Latency Test v5.7\n", "t"); }),
            "t: the table has no rows");
  EXPECT_EQ(complaint([] {
              read_measurements({"/nowhere", {}});
            }),
            "/nowhere: cannot be read: No such file or directory");
}

TEST(BadTable, WhatIsSaidOfAFile) {
  const auto said = [](const char* text) { return complaint([&] { parse_measurement_file(text); }); };
  EXPECT_EQ(said("f:nodes=0"), "f: nodes=0: expected a whole number above 0");
  EXPECT_EQ(said("f:nodes=2x"), "f: nodes=2x: expected a whole number above 0");
  EXPECT_EQ(said("f:buffers=gpu"), "f: buffers=gpu: expected host, device, host-device or device-host");
  EXPECT_EQ(said("f:colour=red"),
            "f: colour= is unknown; expected ranks, nodes, sockets, pairs, buffers, collective, algorithm or "
            "library");
}

}  // namespace
}  // namespace collcast

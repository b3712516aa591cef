// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/one_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "replay/formats/formats.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"
#include "tests/replay/formats/samples.hpp"
#include "tests/shared_data.hpp"

/// Files that say of themselves that they are not of one job, and files that only may be of several.
namespace collcast {
namespace {

using ::testing::HasSubstr;

class OneJob : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    return samples::write(folder_ / name, text);
  }
  /// What is said of a PyTorch profile of rank 0 and one of rank 1, in which texts are replaced.
  std::string kineto(const std::string& of, const std::string& zero, const std::string& one) {
    const auto with = [&](int rank, const std::string& value) {
      std::string text = samples::kineto(rank);
      text.replace(text.find(of), of.size(), value);
      return file("k" + std::to_string(rank), text);
    };
    const std::string a = with(0, zero), b = with(1, one);
    return testing::complaint([&] { notes_ = open_source({a, b})->info().notes; });
  }
  std::string different(const std::string& a, const std::string& b) const {
    return "ranks of two different jobs: " + (folder_ / "k0") + " says " + a + ", " + (folder_ / "k1") + " " +
           b;
  }

  Folder folder_;
  std::vector<std::string> notes_;
};

TEST(SaidAlike, AllThatSayItSayTheSame) {
  SaidAlike version;
  version.say("a", "");
  version.say("b", "NCCL 2.18.3");
  version.say("c", "NCCL 2.18.3");
  EXPECT_EQ(testing::complaint([&] { version.say("d", "NCCL 2.19.1"); }),
            "ranks of two different jobs: b says NCCL 2.18.3, d NCCL 2.19.1");
}

/// From 0 to 10 s, from 5 to 6 s, and from 13 s: 3 s pass without any. Then 8 s, which ranks do not wait that
/// give up after 5 s.
TEST(LongestGap, IsBetweenTheLastEndAndTheNextBegin) {
  const auto period = [](const char* path, double begin, double end) {
    return WallTime{path, Seconds(begin), Seconds(end), Seconds(5)};
  };
  EXPECT_EQ(longest_gap({}), Seconds(0));
  EXPECT_EQ(longest_gap({period("c", 13, 14), period("a", 0, 10), period("b", 5, 6)}), Seconds(3));
  EXPECT_EQ(
      testing::complaint([&] {
        longest_gap({period("b", 18, 19), period("a", 0, 10)});
      }),
      "ranks of two different jobs: a ends 8.00 s before b begins, and its ranks wait for others 5.00 s at "
      "most");
}

TEST(MakerOfGpu, IsInItsName) {
  EXPECT_EQ(maker_of_gpu("Tesla V100-SXM2-32GB"), "NVIDIA");
  EXPECT_EQ(maker_of_gpu("NVIDIA A100-PG509-200"), "NVIDIA");
  EXPECT_EQ(maker_of_gpu("AMD Instinct MI300X"), "AMD");
  EXPECT_EQ(maker_of_gpu("A100-SXM4-40GB"), "");
}

TEST_F(OneJob, ProfilesOfTheGpusOfTwoMakersAreOfTwoJobs) {
  const auto gpus = [&](const std::string& zero, const std::string& one) {
    const auto of = [](const std::string& name) {
      return R"("deviceProperties":[{"name":")" + name + R"("}])";
    };
    return kineto("\"deviceProperties\":[]", of(zero), of(one));
  };
  EXPECT_EQ(gpus("AMD Instinct MI300X", "Tesla V100-SXM2-32GB"), different("GPUs of AMD", "GPUs of NVIDIA"));
  // Of one maker they may go together, as jobs run on what they get.
  EXPECT_EQ(gpus("NVIDIA A100-SXM4-40GB", "Tesla V100-SXM2-32GB"), "");
  EXPECT_EQ(notes_.at(0),
            "the ranks' GPUs are different ones, NVIDIA A100-SXM4-40GB and Tesla V100-SXM2-32GB: taken for "
            "one job");
  EXPECT_EQ(gpus("NVIDIA H100", "NVIDIA H100"), "");
  EXPECT_THAT(notes_, ::testing::Not(::testing::Contains(HasSubstr("different ones"))));
}

TEST_F(OneJob, ProfilesOfOtherBackendsLibrariesAndGroupsAreOfTwoJobs) {
  EXPECT_EQ(kineto("\"backend\":\"nccl\"", R"("backend":"nccl")", R"("backend":"gloo")"),
            different("backend nccl", "backend gloo"));
  const auto version = [](const std::string& n) { return R"("backend":"nccl","nccl_version":")" + n + '"'; };
  EXPECT_EQ(kineto("\"backend\":\"nccl\"", version("2.17.1"), version("2.22.3")),
            different("NCCL 2.17.1", "NCCL 2.22.3"));
  const auto group = [](const std::string& ranks) {
    return R"("pg_config":[{"pg_name":"0","pg_desc":"default_pg","ranks":)" + ranks +
           R"(}],"backend":"nccl")";
  };
  EXPECT_EQ(kineto("\"backend\":\"nccl\"", group("[0,1]"), group("[1,3]")),
            different("a default group of 2 ranks", "a default group of 2 ranks (1, 3)"));
  EXPECT_EQ(kineto("\"backend\":\"nccl\"", group("[0,1]"), R"("backend":"nccl")"), "");
}

/// torch lets NCCL wait for 10 minutes. Kernels run from 2 to 8 ms after a file's base.
TEST_F(OneJob, ProfilesOfOtherDaysAreOfTwoJobs) {
  const auto at = [](const std::string& s) {
    return "{\"baseTimeNanoseconds\":" + s + "000000000,\"schemaVersion\"";
  };
  EXPECT_EQ(kineto("{\"schemaVersion\"", at("1700000000"), at("1700000601")),
            "ranks of two different jobs: " + (folder_ / "k0") + " ends 601 s before " + (folder_ / "k1") +
                " begins, and its ranks wait for others 600 s at most");
  EXPECT_EQ(kineto("{\"schemaVersion\"", at("1700000000"), at("1700000599")), "");
}

/// One entry of a rank of two, created at `at` seconds, that waits 180 s at most.
std::string dump_of(const std::string& at, const std::string& more = "",
                    const std::string& tensor = "[0, 1]") {
  return R"({"pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1]"},"7":{"name":"7","desc":"TENSOR",)"
         R"("ranks":")" +
         tensor + R"("}},"pg_status":{},)" + more +
         R"("entries":[{"record_id":1,"process_group":["0","default_pg"],"collective_seq_id":1,"state":"scheduled",)"
         R"("profiling_name":"nccl:all_reduce","input_sizes":[[4]],"input_dtypes":["Float"],"timeout_ms":180000,)"
         R"("time_created_ns":)" +
         at + "000000000}]}";
}

TEST_F(OneJob, FlightRecorderDumpsThatNoTimeoutSpansAreOfTwoJobs) {
  const std::string zero = file("f_rank0", dump_of("1700000000")),
                    late = file("f_rank1", dump_of("1700000179")),
                    later = file("g_rank1", dump_of("1700000567"));
  EXPECT_EQ(testing::complaint([&] {
              open_source({zero, later});
            }),
            "ranks of two different jobs: " + zero + " ends 567 s before " + later +
                " begins, and its ranks wait for others 180 s at most");
  EXPECT_THAT(
      open_source({zero, late})->info().notes,
      ::testing::Contains("between the dumps' entries 179 s pass in which no rank has any: taken for one "
                          "job"));
}

TEST_F(OneJob, FlightRecorderDumpsOfOtherGroupsOrLibrariesAreOfTwoJobs) {
  const std::string zero = file("f_rank0", dump_of("1700000000", R"("nccl_version":"2.27.3",)")),
                    other = file("f_rank1", dump_of("1700000000", R"("comm_lib_version":"2.26.2",)")),
                    alone = file("g_rank1", dump_of("1700000000", "", "[1]"));
  EXPECT_EQ(testing::complaint([&] {
              open_source({zero, other});
            }),
            "ranks of two different jobs: " + zero + " says NCCL 2.27.3, " + other + " NCCL 2.26.2");
  EXPECT_EQ(testing::complaint([&] {
              open_source({zero, alone});
            }),
            "ranks of two different jobs: TENSOR has 2 ranks in " + zero + " and 1 rank (1) in " + alone);
}

/// A log of a call among `ranks` ranks on this host, with what stands before it.
std::string log_of(const std::string& host, int ranks, const std::string& before = "") {
  return before + host +
         ":10:11 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 4 datatype 7 op 0 "
         "root 0 comm 0xa [nranks=" +
         std::to_string(ranks) + "] stream 0x5\n";
}

TEST_F(OneJob, NcclLogsWithoutHostAndCommunicatorInCommonAreOfTwoJobs) {
  const std::string a = file("a", log_of("n0", 4)), b = file("b", log_of("n1", 8)),
                    c = file("c", log_of("n2", 8) + log_of("n2", 4));
  EXPECT_EQ(testing::complaint([&] {
              open_source({a, b});
            }),
            "ranks of two different jobs: " + a + " has communicators of 4 ranks, " + b +
                " of 8 ranks, and they share no host; name the log of one job");
  const std::string only_alike =
      "the files have no host and no commId in common, but communicators of one size: taken for one job";
  EXPECT_THAT(open_source({b, file("d", log_of("n3", 8))})->info().notes, ::testing::Contains(only_alike));
  // The third file has communicators as large as those of both.
  EXPECT_EQ(testing::complaint([&] { open_source({a, b, c}); }), "");
}

TEST_F(OneJob, NcclLogsOfTwoVersionsAreOfTwoJobs) {
  const std::string a = file("a", log_of("n0", 2, "NCCL version 2.18.3+cuda11.8\n")),
                    b = file("b", log_of("n1", 2, "n1:10:11 [0] NCCL INFO NCCL version 2.20.5\n"));
  EXPECT_EQ(testing::complaint([&] {
              open_source({a, b});
            }),
            "ranks of two different jobs: " + a + " says NCCL version 2.18.3, " + b + " NCCL version 2.20.5");
}

/// Real files that were merged: ResNet on MI300 and DLRM on V100, logs of five jobs.
TEST(Published, LogsOfFiveJobsAreRefused) {
  const auto folder = shared_data("traces/nccl_coll_logs");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there (COLLCAST_DATA names it)";
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path().string());
  std::ranges::sort(files);
  EXPECT_THAT(testing::complaint([&] { open_source(files); }), HasSubstr("ranks of two different jobs"));
}

}  // namespace
}  // namespace collcast

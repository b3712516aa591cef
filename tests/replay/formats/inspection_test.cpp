// SPDX-License-Identifier: Apache-2.0
#include "replay/source/inspection.hpp"

#include <gtest/gtest.h>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/formats.hpp"
#include "replay/formats/names.hpp"
#include "replay/source/recorded.hpp"
#include "tests/folder.hpp"
#include "tests/replay/formats/samples.hpp"

namespace collcast {
namespace {

/// "8 seldom; 9 odd; " of the sizes that are unusual where one rank calls allreduces of each size so often.
std::string unusual(const std::vector<std::pair<double, int>>& sizes) {
  RecordedSource source(1);
  for (const auto& [size, count] : sizes)
    for (int i = 0; i < count; ++i)
      source.at(0).push_back(collective_activity(Collective::allreduce, 0, Bytes(size)));
  std::string all;
  for (const auto& o : inspect(source).operations)
    if (o.seldom || o.odd)
      all += std::to_string(static_cast<int>(o.size.value)) + (o.seldom ? " seldom" : "") +
             (o.odd ? " odd" : "") + "; ";
  return all;
}

/// 1 of 50 calls is seldom, 1 of 49 is not; nor is any where each of 60 sizes occurs once.
TEST(UnusualSizes, AreSeldom) {
  EXPECT_EQ(unusual({{1024, 49}, {2048, 1}}), "2048 seldom; ");
  EXPECT_EQ(unusual({{1024, 48}, {2048, 1}}), "");
  std::vector<std::pair<double, int>> many;
  for (int i = 1; i <= 60; ++i) many.emplace_back(1024 * i, 1);
  EXPECT_EQ(unusual(many), "");
}

/// 9 of 10 are multiples of 16 bytes; then 8 of 10.
TEST(UnusualSizes, AreOddAmongEvenOnes) {
  EXPECT_EQ(unusual({{1024, 9}, {1028, 1}}), "1028 odd; ");
  EXPECT_EQ(unusual({{1024, 8}, {1028, 2}}), "");
  EXPECT_EQ(unusual({{1024, 99}, {1028, 1}}), "1028 seldom odd; ");
}

/// Of other communicators, and of what has no size, nothing is said.
TEST(UnusualSizes, AreThoseOfOneCommunicator) {
  RecordedSource source(2);
  const int other = source.communicator("x", {1, 0});
  for (int i = 0; i < 99; ++i)
    source.at(0).push_back(collective_activity(Collective::allreduce, 0, Bytes(64)));
  source.at(0).push_back(collective_activity(Collective::allreduce, other, Bytes(65)));
  source.at(0).push_back(collective_activity(Collective::allreduce, 0, Bytes(0)));
  source.at(0).back().sized = false;
  for (const auto& o : inspect(source).operations) EXPECT_FALSE(o.seldom || o.odd) << o.communicator;
}

/// torch and NCCL's logs call groups by names.
TEST(CommunicatorNames, AreShown) {
  const Folder folder;
  const auto named = [&](const std::string& text) {
    return inspect(*open_source({samples::write(folder / "trace_rank0", text)}))
        .operations.at(0)
        .communicator;
  };
  EXPECT_EQ(named(R"({"pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1, 2]"},)"
                  R"("5":{"name":"5","desc":"TENSOR_MODEL_PARALLEL_GROUP","ranks":"[0, 1]"}},"pg_status":{},)"
                  R"("entries":[{"record_id":1,"process_group":["5",""],"profiling_name":"nccl:all_reduce",)"
                  R"("input_sizes":[[4]],"input_dtypes":["Float"]}]})"),
            "1 TENSOR_MODEL_PARALLEL_GROUP (2 ranks)");
  std::string profile = samples::kineto(0, 4);
  const std::string group = R"("Process Group Name":"0")";
  profile.replace(profile.find(group), group.size(), group + R"(,"Process Group Description":"dp")");
  EXPECT_EQ(named(profile), "1 dp (2 ranks)");
  const std::string at = "n0:10:11 [0] NCCL INFO ";
  EXPECT_EQ(named(at + "comm 0x1 rank 0 nranks 3 cudaDev 0 busId 1000 commId 0xa - Init COMPLETE\n" + at +
                  "comm 0x2 rank 0 nranks 2 cudaDev 0 busId 1000 commId 0xb - Init COMPLETE\n" + at +
                  "AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 4 datatype 7 op 0 root 0 comm 0x2 "
                  "[nranks=2] stream 0x5\n"),
            "1 0xb (2 ranks)");
}

}  // namespace
}  // namespace collcast

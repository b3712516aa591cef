// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "replay/formats/formats.hpp"
#include "replay/source/inspection.hpp"
#include "tests/complaint.hpp"
#include "tests/mutated.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/replay/formats/other_numbers.hpp"
#include "tests/replay/formats/trace_files.hpp"

namespace collcast {
namespace {

using samples::chakra_json;
using samples::deepintrospect;
using samples::deepspeed_calls;
using samples::deepspeed_summary;
using samples::flight_json;
using samples::flight_of;
using samples::goal;
using samples::inspector;
using samples::ipm_banner;
using samples::mpip;
using samples::pickle;
using samples::rccl_record;
using samples::tau_profile;
using testing::all;
using DamagedFiles = testing::TraceFiles;

const std::string execution_trace =
    R"json({"schema":"1.0.2-chakra.0.0.4","pid":1,"nodes":[
{"id":9,"name":"record_param_comms","inputs":{"values":[12,0,0,"wait",[],[],2]},"outputs":{"values":[]}},
{"id":3,"name":"record_param_comms","inputs":{"values":[[[14,15,0,8,4,"cuda:0"]],12,0,0,"all_gather",[],[],2]},"outputs":{"values":[[[[19,20,0,8,4,"cuda:0"],[5,23,0,8,4,"cuda:0"]]]]}}
],"finish_ts":1})json";

/// Rank 0 has calls 4 and 7, rank 1 calls 3, 4, 7: 3 is left out. Allreduces are numbered by themselves.
/// A log that is being written, or whose job was killed.
TEST_F(DamagedFiles, LogsThatEndInTheMiddleOfALineSaySo) {
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

TEST_F(DamagedFiles, ExecutionTracesGiveCollectivesWithSizes) {
  const auto source = open_source({file("et.json", execution_trace)});
  EXPECT_EQ(source->info().format, "pytorch-et");
  EXPECT_EQ(source->ranks(), 2);
  ASSERT_EQ(all(*source, 0).size(), 1u);
  EXPECT_EQ(all(*source, 0)[0].operation, "allgather");
  EXPECT_DOUBLE_EQ(all(*source, 0)[0].message.value, 64);
}

TEST_F(DamagedFiles, ContradictionsBetweenRanksAreTold) {
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

TEST_F(DamagedFiles, WhatIsNoTraceIsNamed) {
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

TEST_F(DamagedFiles, MutatedOnesAreReadOrRefused) {
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

TEST_F(DamagedFiles, OtherNumbersAreReadOrRefused) {
  testing::read_or_refuse_other_numbers(
      {pickle(), flight_json, flight_of({5, 6, 7}, 0), inspector, execution_trace, chakra_json, goal,
       deepspeed_calls, deepspeed_summary, deepintrospect, mpip, ipm_banner, samples::rccl_replay()});
  testing::read_or_refuse_other_numbers({tau_profile()}, "profile.0.0.0");
}

}  // namespace
}  // namespace collcast

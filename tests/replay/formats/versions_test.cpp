// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "replay/formats/formats.hpp"
#include "replay/formats/members.hpp"
#include "replay/formats/protobuf.hpp"
#include "replay/source/inspection.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"
#include "tests/mutated.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/replay/formats/other_numbers.hpp"
#include "tests/replay/formats/samples.hpp"

/// What other versions of the tools write than those of the larger samples.
namespace collcast {
namespace {

using Kind = Activity::Kind;
using testing::all;
using Communicators = std::vector<std::vector<Rank>>;

class Versions : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    return samples::write(folder_ / name, text);
  }
  std::unique_ptr<Source> open(const std::string& name, const std::string& text) {
    return open_source({file(name, text)});
  }
  Folder folder_;
};

/// The first collective of a rank, on whatever stream.
Activity first_collective(const Source& source, Rank rank) {
  for (int stream = 0; stream < source.streams(rank); ++stream)
    for (const Activity& a : all(source, rank, stream))
      if (a.kind == Kind::collective) return a;
  return {};
}

std::string altered(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

/// An event of torch's profiler, us.
std::string event(const std::string& name, const std::string& category, int at, int lasts,
                  const std::string& arguments) {
  return R"({"ph":"X","cat":")" + category + R"(","name":")" + name + R"(","pid":1,"tid":1,"ts":)" +
         std::to_string(at) + R"(,"dur":)" + std::to_string(lasts) + R"(,"args":{)" + arguments + "}}";
}

std::string profile(int rank, const std::string& events) {
  return R"({"schemaVersion":1,"deviceProperties":[],"distributedInfo":{"backend":"nccl","rank":)" +
         std::to_string(rank) + R"(,"world_size":2},"traceEvents":[)" + events + "]}";
}

std::string call(const std::string& collective, int elements, const std::string& more = "") {
  return R"("Collective name":")" + collective + R"(","dtype":"Float","Group size":2,"In msg nelems":)" +
         std::to_string(elements) + R"(,"Out msg nelems":)" + std::to_string(elements) + more;
}

/// Two calls of 10 us, and 30 us between them; torch notes the first twice.
TEST_F(Versions, KinetoOfHostsAlonePlaysTheirCalls) {
  const std::string calls = event("record_param_comms", "cpu_op", 100, 10, call("allreduce", 1000)) + "," +
                            event("nccl:all_reduce", "user_annotation", 101, 8, "") + "," +
                            event("record_param_comms", "cpu_op", 140, 10, call("barrier", 0)) + "," +
                            event("record_param_comms", "cpu_op", 160, 10, call("wait", 0));
  const auto source = open_source({file("a", profile(0, calls)), file("b", profile(1, calls))});
  EXPECT_EQ(source->info().memory, Memory::device);
  EXPECT_EQ(source->info().notes[0].find("no kernels of a GPU were recorded"), 0u);
  const auto activities = all(*source, 1);
  ASSERT_EQ(activities.size(), 4u);
  EXPECT_DOUBLE_EQ(activities[0].message.value, 4000);
  EXPECT_LT(activities[0].duration.value, 0);  // how long the GPUs took nobody says
  EXPECT_EQ(activities[1].kind, Kind::compute);
  EXPECT_NEAR(activities[1].time.value, 30e-6, 1e-12);
  EXPECT_EQ(activities[2].operation, "barrier");
}

/// NCCL has no kernel where a group has one rank.
TEST_F(Versions, KinetoWithoutCommunicationKernelsSaysSo) {
  const auto said = [&](const std::string& kernel) {
    const auto source =
        open("a", altered(samples::kineto(0), "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", kernel));
    return std::ranges::count_if(source->info().notes, [](const std::string& note) {
      return note.starts_with("collectives were called, and no kernel communicates");
    });
  };
  EXPECT_EQ(said("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)"), 0);
  EXPECT_EQ(said("relu"), 1);
}

/// Of three calls one has a kernel, which its number tells; a call within another one is the same call.
TEST_F(Versions, KinetoCallsWithoutAKernelAreCounted) {
  const auto numbered = [](const std::string& collective, int at, int number) {
    return event("record_param_comms", "cpu_op", at, 10,
                 call(collective, 1000, R"(,"External id":)" + std::to_string(number))) +
           ",";
  };
  const std::string calls = numbered("allreduce", 100, 1) + numbered("allgather", 200, 2) +
                            numbered("allgather", 202, 3) + numbered("send", 300, 4);
  const auto losses = [&](const std::string& number) {
    const std::string kernel = event("ncclDevKernel_x", "kernel", 105, 40, R"("External id":)" + number);
    return open("a", profile(0, calls + kernel))->info().losses;
  };
  EXPECT_EQ(losses("1"), (std::vector<Loss>{{"call", 2, "no kernel was recorded that plays it"}}));
  EXPECT_EQ(losses("3"), losses("2"));
}

TEST_F(Versions, KinetoOfGlooIsOfHosts) {
  const std::string calls = event("gloo:all_reduce", "user_annotation", 100, 50,
                                  R"("Input Dims":[[10,100]],"Input type":["float"])");
  const auto source = open_source({file("a", profile(0, calls)), file("b", profile(1, calls))});
  EXPECT_EQ(source->info().memory, Memory::host);
  EXPECT_TRUE(source->info().by_mpi);
  const auto activities = all(*source, 0);
  EXPECT_DOUBLE_EQ(activities[0].message.value, 4000);
  EXPECT_NEAR(activities[0].duration.value, 50e-6, 1e-12);
  const std::string empty =
      testing::complaint([&] { open("c", profile(0, event("aten::mm", "cpu_op", 1, 2, ""))); });
  EXPECT_NE(empty.find("has no kernels of a GPU"), std::string::npos);
}

/// Two threads call at once: the recorded times are those of the whole calls, which are played one after the
/// other.
TEST_F(Versions, KinetoOfHostsKeepsTheTimesOfCallsThatOverlap) {
  const auto reduces = [](int at, int lasts) {
    return event("gloo:all_reduce", "user_annotation", at, lasts,
                 R"("Input Dims":[[10]],"Input type":["float"])");
  };
  const auto source =
      open("a", profile(0, reduces(100, 50) + "," + altered(reduces(120, 50), "\"tid\":1", "\"tid\":2")));
  const auto activities = all(*source, 0);
  ASSERT_GE(activities.size(), 2u);
  EXPECT_NEAR(activities[1].begin.value, 20e-6, 1e-12);
  EXPECT_NEAR(activities[1].duration.value, 50e-6, 1e-12);
  EXPECT_NEAR(activities[1].time.value, 20e-6, 1e-12);  // from 150 to 170
  EXPECT_NEAR(inspect(*source).operations.at(0).total.value, 100e-6, 1e-12);
}

/// Messages of one group begin together; gloo's say no peer.
TEST_F(Versions, KinetoOfHostsKnowsGroups) {
  const auto message = [](const std::string& name, const std::string& end, int at) {
    return event("record_param_comms", "cpu_op", at, 5, call(name, 10, R"(,")" + end + R"( Rank":1)")) + ",";
  };
  const std::string calls = message("send", "Dst", 10) + message("recv", "Src", 20) +
                            event("record_param_comms", "cpu_op", 30, 5, call("coalesced", 0)),
                    gloo = event("gloo:send", "user_annotation", 10, 5, "") + "," +
                           event("gloo:barrier", "user_annotation", 20, 5, "");
  const auto source = open("grouped", profile(0, calls));
  std::vector<Kind> kinds;
  for (const Activity& a : all(*source, 0)) kinds.push_back(a.kind);
  EXPECT_EQ(kinds, (std::vector{Kind::send, Kind::receive, Kind::wait, Kind::record}));
  const auto peerless = open("gloo", profile(0, gloo));
  EXPECT_EQ(first_collective(*peerless, 0).operation, "barrier");
  EXPECT_EQ(peerless->info().losses, (std::vector<Loss>{{"message", 1, "its peer is not said"}}));
}

/// Kernels of Intel's GPUs, whose calls torch names after their library.
TEST_F(Versions, KinetoOfXpus) {
  const std::string calls =
      event("xccl:all_reduce", "user_annotation", 10, 20, R"("Input Dims":[[1024]],"Input type":["float"])") +
      "," + event("urEnqueueKernelLaunch", "xpu_runtime", 12, 3, R"("correlation":1)") + "," +
      event("oneccl_allreduce_kernel", "kernel", 40, 30, R"("correlation":1,"stream":4,"device":0)");
  const auto source = open_source({file("a", profile(0, calls)), file("b", profile(1, calls))});
  EXPECT_DOUBLE_EQ(all(*source, 0)[0].message.value, 4096);
}

/// A tool left out the launches: kernels say which call was theirs.
TEST_F(Versions, KinetoKernelsWithoutTheirLaunches) {
  const std::string calls =
      event("record_param_comms", "cpu_op", 10, 20, R"("External id":77,)" + call("allreduce", 500)) + "," +
      event("ncclDevKernel_Generic_4(x)", "kernel", 40, 30,
            R"("External id":77,"correlation":9,"stream":4,"device":0)");
  const auto source = open_source({file("a", profile(0, calls)), file("b", profile(1, calls))});
  EXPECT_DOUBLE_EQ(all(*source, 0)[0].message.value, 2000);
}

/// A kernel of which Kineto knows no call has its correlation for the call's number.
TEST_F(Versions, KinetoNumbersThatAreNoCalls) {
  const auto sized = [&](int correlation) {
    const auto source =
        open("a", profile(0, event("record_param_comms", "cpu_op", 10, 20,
                                   R"("External id":77,)" + call("allreduce", 500)) +
                                 "," +
                                 event("ncclDevKernel_AllReduce_x(x)", "kernel", 40, 30,
                                       R"("External id":77,"stream":4,"device":0,"correlation":)" +
                                           std::to_string(correlation))));
    return first_collective(*source, 0).sized;
  };
  EXPECT_TRUE(sized(9));
  EXPECT_FALSE(sized(77));
}

TEST_F(Versions, KinetoEventsWithoutWhatIsAroundThem) {
  const std::string whole = samples::kineto(0);
  const auto begin = whole.find('[', whole.find("traceEvents")), end = whole.rfind(']') + 1;
  const auto source = open("events", whole.substr(begin, end - begin));
  EXPECT_EQ(source->info().format, "kineto");
  EXPECT_DOUBLE_EQ(all(*source, 0, 1)[2].message.value, 4e6);
  const std::string old = event("gemm", "Kernel", 0, 9, R"("device":0,"stream":7)");
  EXPECT_EQ(open("old", "[" + old + "]")->info().format, "kineto");  // categories of 2021
}

/// Kernels that communicate without NCCL: how much and among whom is not said, and they are no computation.
TEST_F(Versions, KinetoKernelsApartFromNccl) {
  const auto trace = [](const std::string& name) {
    return event("gemm", "kernel", 0, 10, R"("device":0,"stream":7)") + "," +
           event(name, "kernel", 10, 30, R"("device":0,"stream":7)");
  };
  for (const auto& [name, operation] : std::vector<std::pair<std::string, std::string>>{
           {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)", "allreduce"},
           {"void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<float, 16>(float**)",
            "allreduce"},
           {"void a::allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<(a::Pattern)1>(a::P)",
            "allreduce"},
           {"multimem_all_reduce_kernel", "allreduce"},
           {"void deep_ep::intranode::dispatch<8, 768>(int4*)", "deep_ep::intranode::dispatch"}}) {
    const auto source = open_source({file("a", profile(0, trace(name))), file("b", profile(1, trace(name)))});
    const Activity a = first_collective(*source, 0);
    EXPECT_EQ(a.operation, operation);
    EXPECT_FALSE(a.sized);
    EXPECT_NEAR(a.time.value, 30e-6, 1e-12);
    ASSERT_EQ(source->info().notes.size(), 1u);
    EXPECT_EQ(source->info().notes[0].find("2 communication kernels have no size: they are not NCCL's, as "),
              0u);
    EXPECT_NE(source->info().notes[0].find("They took 60.0 us"), std::string::npos);
    EXPECT_NE(testing::complaint([&] {
                open_trace({folder_ / "a"}, {}, 8);
              }).find("cannot stand for 8 ranks: it has no communication of known size"),
              std::string::npos);
  }
  const auto fused = open("fused", profile(0, trace("triton_poi_fused_add_all_reduce_0")));
  EXPECT_EQ(first_collective(*fused, 0).kind, Kind::compute);
}

std::string kernel(const std::string& name, int at, int lasts, int stream, int correlation) {
  return event(name, "kernel", at, lasts,
               R"("device":0,"stream":)" + std::to_string(stream) + R"(,"correlation":)" +
                   std::to_string(correlation));
}

/// The allreduce begins between the ends of two kernels of the compute stream that overlap: it waits for
/// neither, as in a replay it would wait for both.
TEST_F(Versions, KinetoKernelsOfAStreamMayOverlap) {
  const auto source =
      open("k", profile(0, kernel("gemm", 1000, 8000, 7, 1) + "," + kernel("gemm", 2000, 1000, 7, 2) + "," +
                               kernel("ncclDevKernel_AllReduce_x", 5000, 1000, 20, 3)));
  std::vector<Kind> kinds;
  for (const Activity& a : all(*source, 0, 1)) kinds.push_back(a.kind);
  EXPECT_EQ(kinds, (std::vector{Kind::pause, Kind::collective, Kind::record}));
}

/// However many others it makes before it launches.
TEST_F(Versions, KinetoKernelsBelongToTheCallAroundTheirLaunch) {
  std::string calls = event("record_param_comms", "cpu_op", 1000, 5000, call("allreduce", 250));
  for (int i = 0; i < 100; ++i)
    calls += "," + event("record_param_comms", "cpu_op", 1001 + 10 * i, 5, R"("Collective name":"wait")");
  const auto source = open(
      "k", profile(0, calls + "," + event("cudaLaunchKernel", "cuda_runtime", 4000, 5, R"("correlation":3)") +
                          "," + kernel("ncclDevKernel_AllReduce_x", 5000, 1000, 20, 3)));
  EXPECT_EQ(first_collective(*source, 0).message, Bytes(1000));
}

/// torch 2.1 notes groups among the values of a call only, by addresses that differ between ranks; its
/// annotation has the size.
TEST_F(Versions, KinetoGroupsAmongTheValuesOfACall) {
  const auto called = [](const std::string& collective, int at, const std::string& group, int place) {
    const std::string noted = R"("Concrete Inputs":["","7",")" + group + R"(",")" + std::to_string(place) +
                              R"(","","[]","[]","2"])";
    return event("record_param_comms", "cpu_op", at, 50, noted) + "," +
           event("nccl:" + collective, "user_annotation", at + 5, 40,
                 R"("Input Dims":[[10,100]],"Input type":["float"])") +
           "," +
           event("cudaLaunchKernel", "cuda_runtime", at + 10, 5, R"("correlation":)" + std::to_string(at)) +
           "," + kernel("ncclDevKernel_x", at + 100, 90, 20, at) + "," +
           event("record_param_comms", "cpu_op", at + 60, 5,
                 R"("Concrete Inputs":["7","0","0","","[]","[]","1"])");
  };
  std::vector<std::string> files;
  for (int r = 0; r < 4; ++r) {
    const std::string n = std::to_string(r);
    files.push_back(file("a" + n, altered(profile(r, called("all_reduce", 1000, "9" + n, r % 2) + "," +
                                                         called("all_reduce", 2000, "8" + n, r / 2)),
                                          R"("world_size":2)", R"("world_size":4)")));
  }
  const auto source = open_source(files);
  EXPECT_EQ(source->communicators(), (Communicators{{0, 1, 2, 3}, {0, 1}, {0, 2}, {1, 3}, {2, 3}}));
  EXPECT_EQ(first_collective(*source, 0).message, Bytes(4000));
  EXPECT_EQ(first_collective(*open("b", profile(0, called("broadcast", 1000, "9", 1))), 0).root, 1);
}

TEST_F(Versions, KinetoNotesWhatItTakesForGranted) {
  const auto call_of = [](const std::string& type, int device) {
    return event(
        "ncclDevKernel_AllReduce_Sum(x)", "kernel", 10 * device, 9,
        altered(call("allreduce", 9), "Float", type) + R"(,"stream":7,"device":)" + std::to_string(device));
  };
  const auto source = open("types", profile(0, call_of("Odd", 0) + "," + call_of("ComplexHalf", 1)));
  ASSERT_EQ(source->info().notes.size(), 2u);
  EXPECT_EQ(source->info().notes[0].find("a process has kernels on 2 GPUs: it is one rank"), 0u);
  EXPECT_EQ(source->info().notes[1],
            "1 communication kernels have no size: how large their elements are is not known of type Odd");
}

/// Groups by a number, as of April 2024, which are not consecutive; lists that are no texts.
TEST_F(Versions, KinetoGroupsByNumber) {
  const auto trace = [](int rank) {
    const std::string group = rank % 2 == 0 ? "[0,2]" : "[1,3]";
    return altered(
        altered(samples::kineto(rank, 4), R"("Process Group Name":"0","Process Group Ranks":"[0, 1]")",
                R"("Process Group ID":1)"),
        R"("world_size":4)",
        R"("world_size":4,"pg_config":[{"uid":"0","ranks":[0,1,2,3]},{"uid":"1","ranks":)" + group +
            R"(},{"desc":"nameless","ranks":[0,3]}])");
  };
  std::vector<std::string> files;
  for (int r = 0; r < 4; ++r) files.push_back(file("g" + std::to_string(r), trace(r)));
  EXPECT_EQ(open_source(files)->communicators(), (Communicators{{0, 1, 2, 3}, {0, 2}, {1, 3}}));
  const auto listed = open("listed", altered(samples::kineto(2, 4), R"("[0, 1]")", "[2, 1]"));
  EXPECT_EQ(listed->communicators().back(), (std::vector<Rank>{2, 1}));
}

/// torch says the root of rooted calls, and of others which rank it is; ranks that disagree say nothing.
TEST_F(Versions, KinetoRootsAndOwnRanks) {
  const auto trace = [](const std::string& collective, int rank) {
    return altered(altered(samples::kineto(0), R"("Collective name":"allreduce")",
                           R"("Collective name":")" + collective + R"(","Rank":)" + std::to_string(rank)),
                   R"("distributedInfo":{"backend":"nccl","rank":0,"world_size":2},)", "");
  };
  EXPECT_EQ(all(*open("root", trace("broadcast", 1)), 0, 1)[2].root, 1);
  const auto apart = open_source({file("r0", trace("broadcast", 0)), file("r1", trace("broadcast", 1))});
  EXPECT_EQ(all(*apart, 1, 1)[2].root, 0);
  EXPECT_EQ(apart->info().notes.back().find("ranks say different roots of 1 call"), 0u);
  EXPECT_EQ(open("own", trace("allreduce", 1))->info().recorded_ranks, (std::vector<Rank>{1}));
}

/// One file of rank 3 of 4: its groups, a broadcast's root, a message's peer, unequal parts.
std::string torch_trace(int rank) {
  const std::string r = std::to_string(rank), own = std::to_string(rank / 2),
                    other = std::to_string(1 - rank / 2);
  const std::string group = rank % 2 == 0 ? "[0, 2]" : "[1, 3]";
  const auto node = [](int id, const std::string& values) {
    return R"({"id":)" + std::to_string(id) + R"(,"name":"record_param_comms","inputs":{"values":[)" +
           values + R"(]},"outputs":{"values":[]}})";
  };
  const std::string tensor = R"([[1,2,0,1000,4,"cuda:0"]],5,)", world = R"(["0","default_pg"],)";
  return R"({"schema":"1.1.1-chakra.0.0.4","nodes":[{"id":2,"name":"## process_group:init ##","inputs":{"values":["[)"
         R"({\"pg_name\": \"0\", \"ranks\": [], \"group_size\": 4}, {\"pg_name\": \"7\", \"ranks\": )" +
         group + R"(, \"group_size\": 2}]"]}},)" +
         node(3, tensor + world + r + R"(,"allreduce",[],[],0,1,4)") + "," +
         node(4, tensor + world + R"(2,"broadcast",[],[],0,1,4)") + "," +
         node(5, tensor + R"(["7","tp"],)" + own + R"(,"_reduce_scatter_base",[],[],-1,-1,2)") + "," +
         node(6, tensor + R"(["7","tp"],)" + other + (rank < 2 ? R"(,"send")" : R"(,"recv")") +
                     ",[],[],-1,-1,2") +
         "," + node(7, R"(9,["",""],0,"wait",[],[],-1,-1,1)") + "]}";
}

TEST_F(Versions, ExecutionTracesSayGroupsRootsAndPeers) {
  std::vector<std::string> files;
  for (const int r : {2, 0, 3, 1}) files.push_back(file("et" + std::to_string(9 - r), torch_trace(r)));
  const auto source = open_source(files);
  EXPECT_EQ(source->communicators().size(), 3u);
  const auto calls = all(*source, 3);
  ASSERT_EQ(calls.size(), 4u);
  EXPECT_EQ(calls[1].root, 2);
  EXPECT_EQ(source->communicators()[static_cast<std::size_t>(calls[2].communicator)],
            (std::vector<Rank>{1, 3}));
  EXPECT_EQ(calls[3].kind, Kind::receive);
  EXPECT_EQ(calls[3].from, 0);
  EXPECT_DOUBLE_EQ(calls[3].received_bytes.value, 4000);
  EXPECT_TRUE(source->info().notes.empty());
  const auto alone = open_source({files[2]});
  EXPECT_EQ(alone->ranks(), 4);
  EXPECT_EQ(alone->info().recorded_ranks, (std::vector<Rank>{3}));
}

/// Where nothing but messages says how many ranks there are, there are as many as they name; nobody sends to
/// himself.
TEST_F(Versions, ExecutionTracesOfMessagesAlone) {
  const auto trace = [&](const std::string& name, const std::string& peer) {
    return open(name, R"({"schema":"1.0.1","nodes":[{"id":3,"name":"record_param_comms","inputs":)"
                      R"([[1,2,0,80,4,"cuda:1"],147,94428220485728,)" +
                          peer + R"(,"send",[],[]],"outputs":[]}]})");
  };
  const auto first = trace("et_rank0.json", "2"), second = trace("et_rank1.json", "0");
  EXPECT_EQ(first->ranks(), 3);
  EXPECT_EQ(all(*first, 0).at(0).to, 2);
  EXPECT_EQ(first->info().notes.at(0), "no call says how many ranks there are: as many as messages name, 3");
  EXPECT_EQ(second->info().recorded_ranks, (std::vector<Rank>{1}));
  EXPECT_EQ(all(*second, 1).at(0).to, 0);
  EXPECT_EQ(all(*trace("none", "-1"), 0).at(0).note, "its peer is not said");
}

/// Before schema 1.0.3 a group is a number, and the rank of a broadcast whoever calls it.
TEST_F(Versions, ExecutionTracesOfThePast) {
  const auto source = open("et.json", R"({"schema":"1.0.1","nodes":[
{"id":3,"name":"record_param_comms","inputs":[[1,2,0,80,4,"cuda:1"],147,94428220485728,1,"all_to_allv",[10,70],[40,40]],"outputs":[]},
{"id":4,"name":"record_param_comms","inputs":[[1,2,0,80,4,"cuda:1"],148,94428220485728,1,"broadcast",[],[]],"outputs":[]}]})");
  EXPECT_EQ(source->ranks(), 2);
  EXPECT_EQ(source->info().recorded_ranks, (std::vector<Rank>{1}));
  EXPECT_EQ(all(*source, 1)[1].root, 0);
  EXPECT_EQ(source->info().notes.back().find("1 all-to-alls of unequal parts"), 0u);
  const auto sorted = open("sorted.json", R"({"nodes":[
{"id":3,"inputs":[[1,2,0,80,4,"cuda:1"],148,94428220485728,1,"broadcast",[],[]],"name":"record_param_comms","outputs":[],"rf_id":2}],"schema":"1.0.1"})");
  EXPECT_EQ(sorted->info().format, "pytorch-et");
}

/// Steps that lead out of the world, in 32 bits back into it, are none.
TEST_F(Versions, GroupsOfEqualStepsStayInTheirWorld) {
  EXPECT_EQ(strided_group(1, 3, 3, 8), (std::vector<Rank>{1, 4, 7}));
  EXPECT_TRUE(strided_group(1, 3, 4, 8).empty());
  for (const auto& [first, stride, count] : {std::tuple{-1, 1, 2}, std::tuple{0, 0, 2}, std::tuple{0, 1, 0},
                                             std::tuple{2147483646, 2147483647, 3}})
    EXPECT_TRUE(strided_group(first, stride, count, 8).empty());
  const auto kineto =
      open("k", R"({"schemaVersion":1,"deviceProperties":[],"traceEvents":[)" +
                    event("record_param_comms", "cpu_op", 1, 5,
                          R"("Collective name":"allreduce","dtype":"Float","Group size":4,"Rank":2,)"
                          R"("In msg nelems":8,"Out msg nelems":8,"Global rank start":3,)"
                          R"("Global rank stride":2147483647)") +
                    "]}");
  EXPECT_EQ(kineto->info().recorded_ranks, (std::vector<Rank>{0}));
  const std::string et = R"({"schema":"1.0.2","nodes":[{"id":3,"name":"record_param_comms","inputs":)"
                         R"({"values":[[[1,2,0,80,4,"cuda:1"]],147,["0","default_pg"],4096,"allreduce",)"
                         R"([],[],1,1048576,8192]},"outputs":{"values":[]}}]})";
  EXPECT_EQ(open("et", et)->info().recorded_ranks, (std::vector<Rank>{4096}));
  EXPECT_NE(testing::complaint([&] { open("twice", et + et); }).find("goes on behind the end of its JSON"),
            std::string::npos);
}

std::string nccl_line(int rank, const std::string& text) {
  const std::string r = std::to_string(rank);
  return "n0:10" + r + ":20" + r + " [" + r + "] NCCL INFO " + text + "\n";
}

std::string nccl_call(int rank, const std::string& operation, const std::string& comm, int ranks,
                      const std::string& more = "") {
  return nccl_line(rank, operation +
                             ": opCount 1 sendbuff 0x1 recvbuff 0x2 count 100 datatype 7 op 0 root 0 comm " +
                             comm + " [nranks=" + std::to_string(ranks) + "] stream 0x5" + more);
}

/// Splits have no commId: even and odd ranks of four. The log begins behind much that is none of it.
TEST_F(Versions, NcclCommunicatorsThatWereSplit) {
  for (const std::string count : {"splitCount 1 ", ""}) {
    std::string log(100'000, '\n'), calls;
    for (int r = 0; r < 4; ++r) {
      const std::string n = std::to_string(r), half = std::to_string(r / 2), color = std::to_string(r % 2);
      for (const char* when : {"START", "COMPLETE"})
        log += nccl_line(r, "ncclCommInitRank comm 0xa" + n + " rank " + n +
                                " nranks 4 cudaDev 0 nvmlDev 0 busId 1000 commId 0x99 - Init " + when);
      for (const char* when : {"START", "COMPLETE"})
        log += nccl_line(r, "ncclCommSplit comm 0xb" + n + " rank " + half +
                                " nranks 2 cudaDev 0 nvmlDev 0 busId 1000 parent 0xa" + n + " " + count +
                                "color " + color + " key 0- Init " + when);
      calls += nccl_call(r, "AllReduce", "0xa" + n, 4) + nccl_call(r, "AllGather", "0xb" + n, 2);
    }
    const auto source = open("log", log + calls);
    EXPECT_EQ(source->communicators(), (Communicators{{0, 1, 2, 3}, {0, 2}, {1, 3}}));
    EXPECT_TRUE(source->info().notes.empty());
  }
}

/// Before 2.18 no id says which ranks share a communicator, but each rank says its place in it: pairs of
/// neighbours, and of every other rank. Of a communicator with an id, one rank alone may be recorded.
TEST_F(Versions, NcclGroupsByThePlacesOfTheirRanks) {
  const auto init = [](int rank, const std::string& comm, int place, int ranks, const std::string& id = "") {
    return nccl_line(rank, "comm " + comm + " rank " + std::to_string(place) + " nranks " +
                               std::to_string(ranks) + " cudaDev 0 busId 1000 " + id + "- Init COMPLETE");
  };
  std::string log;
  for (int r = 0; r < 4; ++r)
    log += init(r, "0xa", r, 4) + init(r, "0xb", r % 2, 2) + init(r, "0xc", r / 2, 2) +
           nccl_call(r, "AllReduce", "0xb", 2) + nccl_call(r, "AllGather", "0xc", 2);
  EXPECT_EQ(open("log", log)->communicators(), (Communicators{{0, 1, 2, 3}, {0, 1}, {0, 2}, {1, 3}, {2, 3}}));
  const auto one = open("one", init(3, "0xa", 3, 8, "commId 0x1 ") + init(3, "0xb", 1, 4, "commId 0x2 ") +
                                   nccl_call(3, "AllReduce", "0xb", 4));
  EXPECT_EQ(one->communicators().at(1), (std::vector<Rank>{1, 3, 5, 7}));
}

TEST_F(Versions, NcclCallsThatRayLeavesOutAreCounted) {
  const std::string ray = "\x1b[36m(Worker pid=7)\x1b[0m ",
                    repeated = "\x1b[32m [repeated 4x across cluster]";
  const auto source = open(
      "ray", ray + nccl_call(0, "AllReduce", "0xa", 2) + ray + nccl_call(1, "AllReduce", "0xb", 2, repeated));
  EXPECT_EQ(source->info().losses.at(0).operation, "call");
  EXPECT_EQ(source->info().losses.at(0).count, 3);
}

/// A communicator that was destroyed leaves its address to another one, of the ranks in another order.
TEST_F(Versions, NcclAddressesAreUsedAgain) {
  std::string log;
  for (int r = 0; r < 2; ++r)
    for (const int again : {0, 1})
      log += nccl_line(r, "comm 0xaa rank " + std::to_string(again ? 1 - r : r) +
                              " nranks 2 cudaDev 0 busId 1000 commId 0x" + std::to_string(again) +
                              " - Init COMPLETE") +
             nccl_call(r, "AllReduce", "0xaa", 2);
  EXPECT_EQ(open("log", log)->communicators(), (Communicators{{0, 1}, {1, 0}}));
}

/// RCCL of 2019 wrote the time behind the device.
TEST_F(Versions, NcclLogsWithTimesAndWithoutWhose) {
  const std::string call =
      "NCCL INFO AllReduce: opCount 1 sendbuff 0x1 recvbuff 0x2 count 10 datatype 7 op 0 root 0 comm 0x7 "
      "[nranks=2] stream 0x5\n";
  const auto source = open("l", "node:10:11 [0] 1558545003174220 " + call + "node:10:12 [1] 155854 " + call);
  EXPECT_EQ(source->info().recorded_ranks, (std::vector<Rank>{0, 1}));
  EXPECT_TRUE(source->info().losses.empty());
  EXPECT_NE(testing::complaint([&] {
              open("none", "x " + call);
            }).find("an NCCL log that cannot be read: no line has host, process and thread before it"),
            std::string::npos);
}

/// Without INIT lines nothing says which of two devices is which rank, and they are ranks by their numbers. A
/// call without NCCL's mark is lost.
TEST_F(Versions, NcclLogsThatSayLess) {
  const std::string zero = nccl_call(0, "AllReduce", "0xa", 2), one = nccl_call(1, "AllReduce", "0xb", 2);
  const auto source = open("l", zero + one + zero.substr(zero.find("AllReduce")));
  EXPECT_EQ(
      source->info().notes.at(0),
      "2 devices without INIT lines, or of another job, are ranks by the numbers of their GPUs, hosts in "
      "the order in which they appear: nothing says who is which");
  EXPECT_EQ(source->info().losses.at(0).count, 1);
  const std::string gather = nccl_call(1, "AllGather", "0xb", 2);
  EXPECT_EQ(all(*open("late", gather + zero), 1).at(0).operation, "allgather");
}

TEST_F(Versions, NcclLogsOfOneProcessOrTwoJobsAreRefused) {
  const auto path = [&](const std::string& name, const std::string& text) {
    return samples::write(folder_ / name, text);
  };
  const std::string a = path("a", samples::nccl_log), b = path("b", samples::nccl_log);
  EXPECT_EQ(testing::complaint([&] {
              open_source({a, b});
            }),
            "two files have calls of process 10 on node0, device 0: " + a + " and " + b +
                "; if they are parts of one log, join them");
  const auto init = [](int line, int rank) {
    return nccl_line(line, "comm 0xa rank " + std::to_string(rank) +
                               " nranks 2 cudaDev 0 busId 1000 commId 0x7 - Init COMPLETE") +
           nccl_call(line, "AllReduce", "0xa", 2);
  };
  EXPECT_EQ(testing::complaint([&] {
              open_source({path("c", init(0, 0) + init(1, 1)), path("d", init(2, 1))});
            }),
            "ranks of two different jobs, or one twice: two devices are rank 1 of communicator 0x7");
}

/// Two groups of a job may be alike; two runs use the same GPUs.
TEST_F(Versions, NcclLogsOfTwoRunsAreRefused) {
  const auto pair = [](int process, int bus, const std::string& id) {
    std::string log;
    for (const int rank : {0, 1})
      log +=
          nccl_line(process + rank, "comm 0xa rank " + std::to_string(rank) + " nranks 2 cudaDev 0 busId " +
                                        std::to_string(bus + rank) + " commId " + id + " - Init COMPLETE") +
          nccl_call(process + rank, "AllReduce", "0xa", 2);
    return log;
  };
  EXPECT_EQ(open("groups", pair(0, 1, "0x7") + pair(2, 3, "0x8"))->communicators(),
            (Communicators{{0, 1, 2, 3}, {0, 1}, {2, 3}}));
  EXPECT_EQ(open("again", pair(0, 1, "0x7") + pair(0, 1, "0x8"))->ranks(), 2);
  EXPECT_EQ(testing::complaint([&] { open("runs", pair(0, 1, "0x7") + pair(2, 1, "0x8")); }),
            "ranks of two different jobs: processes 100 and 102 on n0 are rank 0 of 2 on one GPU, in "
            "communicators 0x7 and 0x8 that share no process; name the log of one job");
}

TEST_F(Versions, RcclSaysWhichRankCalls) {
  std::string log;
  for (const int r : {2, 0, 1})
    log +=
        nccl_call(r, r == 2 ? "AllGather" : "AllReduce", "0xa", 3, " task 0 globalrank " + std::to_string(r));
  const auto source = open("log", log);
  EXPECT_EQ(all(*source, 2)[0].operation, "allgather");
}

/// One thread calls for two GPUs, and all lines name the one that it chose last. Whose a communicator is,
/// INIT lines say, or else RCCL's `globalrank`; of a smaller one without either nothing does.
TEST_F(Versions, NcclLogsOfAThreadThatCallsForSeveralRanks) {
  std::string init, calls, calls_of_rccl;
  for (const std::string r : {"0", "1"}) {
    const std::string operation = r == "0" ? "AllGather" : "AllReduce";
    init += nccl_line(0, "ncclCommInitAll comm 0xa" + r + " rank " + r + " nranks 2 cudaDev " + r +
                             " busId " + r + " commId 0x7 - Init COMPLETE");
    calls += nccl_call(0, operation, "0xa" + r, 2);
    calls_of_rccl += nccl_call(0, operation, "0xa" + r, 2, " task 0 globalrank " + r);
  }
  const std::string alone = nccl_call(0, "Broadcast", "0xb", 1);
  const auto of_init = open("log", init + calls + alone), said = open("rccl", calls_of_rccl + alone);
  for (const Source* source : {of_init.get(), said.get()}) {
    EXPECT_EQ(source->info().recorded_ranks, (std::vector<Rank>{0, 1}));
    EXPECT_EQ(all(*source, 0).at(0).operation, "allgather");
    EXPECT_EQ(all(*source, 1).at(0).operation, "allreduce");
  }
  EXPECT_TRUE(of_init->info().losses.empty());
  EXPECT_EQ(said->info().losses,
            (std::vector<Loss>{{"call", 1, "of one of the ranks for which one device is named"}}));
  EXPECT_EQ(said->info().notes.at(0),
            "1 device named for several ranks: their calls are told apart by `globalrank`");
  EXPECT_EQ(open("nothing", calls)->info().notes.back(),
            "1 device named for several communicators of all ranks, and neither INIT lines nor `globalrank` "
            "say whose these are: taken for one rank each");
}

std::string nccl_trace(int rank, const std::string& text) {
  const std::string r = std::to_string(rank);
  return "n0:10" + r + ":20" + r + " NCCL CALL nccl" + text + "\n";
}

/// What NCCL_DEBUG=TRACE with NCCL_DEBUG_SUBSYS=CALL writes for NCCL's replay tool, before 2.14 without the
/// spaces. Of two messages, in one group, each goes both ways.
TEST_F(Versions, NcclTracesOfCalls) {
  std::string log;
  for (int r = 0; r < 4; ++r) {
    const std::string n = std::to_string(r), half = std::to_string(r / 2), color = std::to_string(r % 2),
                      to = ",100,7,0," + std::to_string(1 - r / 2) + ",0xb" + n + ",0x5)";
    log += nccl_trace(r, "GroupStart()");
    log += nccl_trace(r, "CommInitRank(0xa" + n + (r ? ", 4, 0x99, " : ",4,0x99,") + n + ", " + n + ")");
    log += nccl_trace(r, "GroupEnd()");
    log += nccl_trace(r, "CommSplit(0xa" + n + ", " + color + ", 0, 0xb" + n + ", " + half + ", 2)");
    log += nccl_trace(r, "AllReduce(7f80,7f90,1048576,9,0,0,0xa" + n + ",0x5)");
    log += nccl_trace(r, "GroupStart()") + nccl_trace(r, "Send(7f80,0" + to);
    log += nccl_trace(r, "Recv(0,7f80" + to) + nccl_trace(r, "GroupEnd()");
    log += nccl_trace(r, "CommDestroy(0xa" + n + ", " + n + ", 4, " + n + ")");
  }
  const auto source = open("calls.txt", log);
  EXPECT_EQ(source->info().format, "nccl-log");
  EXPECT_EQ(source->communicators(), (Communicators{{0, 1, 2, 3}, {0, 2}, {1, 3}}));
  EXPECT_EQ(source->info().recorded_ranks, (std::vector<Rank>{0, 1, 2, 3}));
  EXPECT_TRUE(source->info().losses.empty());
  const std::vector<Activity> calls = all(*source, 3);
  EXPECT_EQ(calls.at(0).operation, "allreduce");
  EXPECT_EQ(calls.at(0).message.value, 2 * 1048576);
  const auto apart = open("apart.txt", altered(log, "GroupStart()\nn0:100:200 NCCL CALL ncclSend",
                                               "MemFree(0x5)\nn0:100:200 NCCL CALL ncclSend"));
  EXPECT_GT(all(*apart, 0).size(), calls.size());  // a wait behind each message, not one behind both
}

/// With NCCL_DEBUG_SUBSYS=ALL a call has two lines. One for a communicator that was set up before the log
/// began is of nobody knows how many ranks.
TEST_F(Versions, NcclCallsOfTwoLinesAreOne) {
  const std::string begin = nccl_trace(0, "CommInitRank(0xa, 2, 0x99, 0, 0)"),
                    traced = nccl_trace(0, "AllReduce(1,2,100,7,0,0,0xa,0x5)"),
                    strange = nccl_trace(0, "AllReduce(1,2,100,7,0,0,0xc,0x5)"),
                    both = nccl_call(0, "AllReduce", "0xa", 2) + traced;
  EXPECT_EQ(all(*open("both", begin + both + both), 0).size(), 2u);
  const auto source = open("strange", begin + traced + strange);
  EXPECT_EQ(all(*source, 0).size(), 1u);
  EXPECT_EQ(source->info().losses,
            (std::vector<Loss>{{"call", 1, "for a communicator that no ncclCommInitRank sets up"}}));
  EXPECT_NE(testing::complaint([&] {
              open("late", strange);
            }).find("all calls are for communicators that no ncclCommInitRank sets up"),
            std::string::npos);
}

/// A line that was cut says a wrong number of ranks, or none.
TEST_F(Versions, NcclCallsThatAreCutAreLeftOut) {
  const std::string whole = nccl_call(0, "AllReduce", "0xa", 16);
  std::string log = whole;
  for (const char* end : {"comm", " [nranks", "6] stream"}) log += whole.substr(0, whole.find(end)) + "\n";
  const auto source = open("log", log);
  EXPECT_EQ(all(*source, 0).size(), 1u);
  EXPECT_EQ(source->info().losses,
            (std::vector<Loss>{{"log line", 3, "cut before its communicator, or how many ranks this has"}}));
  EXPECT_NE(testing::complaint([&] {
              open("cut", log.substr(whole.size()));
            }).find("an NCCL log of which all calls are cut before their communicator"),
            std::string::npos);
}

/// torch sorts the keys of its JSON: pg_config comes behind all entries.
TEST_F(Versions, FlightRecorderJsonBeginsWithItsEntries) {
  const std::string
      entry =
          R"({"input_dtypes":["Float"],"input_sizes":[[1000]],"output_dtypes":["Float"],"output_sizes":[[1000]],)"
          R"("process_group":["0","default_pg"],"profiling_name":"nccl:all_reduce","record_id":)",
      rest = R"(,"state":"completed","time_created_ns":1000})";
  std::string entries;
  for (int i = 0; i < 1000; ++i) entries += (i ? "," : "") + entry + std::to_string(i) + rest;
  const auto source =
      open("rank_0.json", R"({"entries":[)" + entries +
                              R"(],"pg_config":{"0":{"name":"0","ranks":"[0, 1]"}},"version":"2.5"})");
  EXPECT_EQ(source->info().format, "flight-recorder");
  EXPECT_EQ(source->ranks(), 2);
  EXPECT_EQ(all(*source, 0).size(), 1000u);
}

/// Version 1 is a list of entries, or has groups that are lists; it knows no types.
TEST_F(Versions, FlightRecorderOfVersionOne) {
  const std::string entry =
      R"({"pg_id":0,"seq_id":1,"profiling_name":"nccl:all_reduce","time_created_ns":5,"input_sizes":[[4]],"duration_ms":2.5,"state":"completed"})";
  const auto list = open("rank_0", "[" + entry + "]");
  ASSERT_EQ(all(*list, 0).size(), 1u);
  EXPECT_FALSE(all(*list, 0)[0].sized);
  EXPECT_NEAR(all(*list, 0)[0].time.value, 2.5e-3, 1e-12);
  EXPECT_EQ(list->info().notes[0].find("1 entries have shapes and no types"), 0u);
  const auto grouped =
      open("rank_1", R"({"version":"1.2","pg_config":{"0":[1,3]},"entries":[)" + entry + "]}");
  EXPECT_EQ(grouped->communicators(), (Communicators{{0, 1, 2, 3}, {1, 3}}));
  std::string send = entry;
  send.replace(send.find("all_reduce"), 10, "send 0->1");
  const auto message =
      open("rank_1", R"({"version":"1.2","pg_config":{"0":[1,3]},"entries":[)" + send + "]}");
  EXPECT_EQ(all(*message, 1).at(0).kind, Kind::send);
  EXPECT_FALSE(all(*message, 1).at(0).sized);
  EXPECT_EQ(message->info().notes[0].find("1 entries have shapes and no types"), 0u);
}

std::string with_length(const std::string& message) {
  std::string text;
  protobuf::put_varint(text, message.size());
  return text + message;
}

/// A computation of 5 us, then an allgather of 1000 bytes, as schemas 0.0.1 and 0.0.2 have them.
std::string old_chakra(bool typed) {
  using protobuf::put_field;
  const auto attribute = [](std::string_view name, std::uint64_t value) {
    std::string a;
    put_field(a, 1, name);
    put_field(a, 2, 2);
    put_field(a, 6, value);
    return a;
  };
  std::string metadata, first, second;
  put_field(metadata, 1, std::string_view(attribute("pid", 4)));
  for (auto [node, id, type, name] :
       {std::tuple{&first, 0, 4, "gemm"}, std::tuple{&second, 1, 7, "gather"}}) {
    put_field(*node, 1, static_cast<std::uint64_t>(id));
    put_field(*node, 2, std::string_view(name));
    put_field(*node, 3, static_cast<std::uint64_t>(type));
  }
  put_field(second, 4, std::uint64_t{0});
  if (typed) {
    put_field(first, 11, std::string_view(attribute("runtime", 5)));
    put_field(second, 11, std::string_view(attribute("comm_type", 2)));
    put_field(second, 11, std::string_view(attribute("comm_size", 1000)));
    return with_length(metadata) + with_length(first) + with_length(second);
  }
  put_field(first, 7, 5);
  put_field(second, 13, 3);
  put_field(second, 18, 1000);
  return with_length(first) + with_length(second);
}

TEST_F(Versions, ChakraOfOlderSchemas) {
  for (const bool typed : {false, true}) {
    const auto source = open_source({file("t.0.et", old_chakra(typed)), file("t.1.et", old_chakra(typed))});
    EXPECT_EQ(source->info().format, "chakra");
    EXPECT_NEAR(all(*source, 0)[0].time.value, 5e-6, 1e-12);
    const Activity allgather = first_collective(*source, 0);
    EXPECT_EQ(allgather.operation, "allgather") << typed;
    EXPECT_DOUBLE_EQ(allgather.message.value, 2000);
    EXPECT_LT(allgather.duration.value, 0);  // nobody recorded it
  }
}

/// As chakra_jsonizer prints a trace of torch's, with the groups of its rank 2 of 4.
const std::string printed_chakra = R"json({
  "version": "0.0.4"
}{
  "id": "3", "name": "## process_group:init ##", "type": "METADATA_NODE",
  "inputs": {"values": "['[{\"pg_name\": \"0\", \"ranks\": [], \"group_size\": 4}, {\"pg_name\": \"5\", \"ranks\": [0, 2], \"group_size\": 2}]']"},
  "attr": [{"name": "is_cpu_op", "boolVal": true}]
}{
  "id": "4", "name": "gemm", "type": "COMP_NODE", "attr": [{"name": "num_ops", "int64Val": "1000"}]
}{
  "id": "5", "name": "nccl", "type": "COMM_COLL_NODE", "dataDeps": ["4"], "durationMicros": "7",
  "attr": [{"name": "comm_type", "int64Val": "0"}, {"name": "comm_size", "int64Val": "1000"}, {"name": "pg_name", "stringVal": "5"}]
})json";

TEST_F(Versions, ChakraAsProtobufPrintsIt) {
  const auto source = open("print.2.json", printed_chakra);
  EXPECT_EQ(source->info().format, "chakra");
  EXPECT_EQ(source->communicators(), (Communicators{{0, 1, 2, 3}, {0, 2}}));
  EXPECT_EQ(source->info().recorded_ranks, (std::vector<Rank>{2}));
  EXPECT_EQ(first_collective(*source, 2).communicator, 1);
  EXPECT_EQ(source->info().notes[0].find("1 computations say how many operations"), 0u);
}

/// Writers may keep the names of the schema.
TEST_F(Versions, ChakraInJsonByTheNamesOfItsSchema) {
  const auto in_schema = [](std::string text) {
    for (const auto& [name, own] : std::vector<std::pair<std::string, std::string>>{
             {"Val\"", "_val\""}, {"dataDeps", "data_deps"}, {"durationMicros", "duration_micros"}})
      for (std::size_t at; (at = text.find(name)) != std::string::npos;) text.replace(at, name.size(), own);
    return text;
  };
  const auto source = open("schema.2.json", in_schema(printed_chakra));
  EXPECT_EQ(source->communicators(), (Communicators{{0, 1, 2, 3}, {0, 2}}));
  const Activity collective = first_collective(*source, 2),
                 printed = first_collective(*open("print.2.json", printed_chakra), 2);
  EXPECT_EQ(collective.communicator, 1);
  EXPECT_EQ(collective.message, printed.message);
  EXPECT_EQ(collective.duration, printed.duration);
}

/// A scatter's size is that of a part; nodes that do not say when they began overlap with nothing.
TEST_F(Versions, ChakrasScattersAndNodesWithoutTimes) {
  std::string text = printed_chakra;
  const std::string number = R"("int64Val": "0")";
  text.replace(text.find(number), number.size(), R"("int64Val": "4")");
  const Activity scatter = first_collective(*open("scatter.2.json", text), 2);
  EXPECT_EQ(scatter.collective, Collective::scatter);
  EXPECT_EQ(scatter.message, Bytes(2000));  // two ranks
  EXPECT_LT(scatter.begin, Seconds());
}

TEST_F(Versions, ChakrasCollectivesMayHaveNames) {
  const auto named = [&](const std::string& name) {
    std::string text = printed_chakra;
    const std::string number = R"("int64Val": "0")";
    text.replace(text.find(number), number.size(), R"("stringVal": ")" + name + '"');
    return first_collective(*open("named.2.json", text), 2);
  };
  EXPECT_EQ(named("ALL_GATHER").collective, Collective::allgather);
  EXPECT_EQ(named("REDUCE_SCATTER").collective, Collective::reduce_scatter);
  EXPECT_EQ(named("ALL_TO_ALL").collective, Collective::alltoall);
}

/// A zip archive with these names and texts, as they are.
std::string zipped(const std::vector<std::pair<std::string, std::string>>& files) {
  const auto number = [](std::size_t value, int width) {
    std::string bytes;
    for (int i = 0; i < width; ++i, value >>= 8) bytes += static_cast<char>(value);
    return bytes;
  };
  std::string archive, directory;
  for (const auto& [name, text] : files) {
    const std::string same =
        number(0, 12) + number(text.size(), 4) + number(text.size(), 4) + number(name.size(), 2);
    directory += "PK\1\2" + number(0, 4) + same + number(0, 12) + number(archive.size(), 4) + name;
    archive += "PK\3\4" + number(0, 2) + same + number(0, 2) + name + text;
  }
  return archive + directory + "PK\5\6" + number(0, 8) + number(directory.size(), 4) +
         number(archive.size(), 4) + number(0, 2);
}

TEST_F(Versions, ZipArchivesOfOneFileAreRead) {
  const std::string& log = samples::nccl_log;
  const auto source =
      open("one.zip", zipped({{"logs/", ""}, {"logs/a.log", log}, {"__MACOSX/._a.log", "x"}}));
  EXPECT_EQ(source->info().format, "nccl-log");
  EXPECT_EQ(source->ranks(), 2);
  const std::string two = zipped({{"a", log}, {"b", log}});
  EXPECT_NE(testing::complaint([&] { open("two.zip", two); }).find("is a zip archive of 2 files"),
            std::string::npos);
  const std::string cut = two.substr(0, two.size() - 30);
  EXPECT_NE(testing::complaint([&] { open("cut.zip", cut); }).find("its zip archive is cut short"),
            std::string::npos);
}

TEST_F(Versions, InspectorLinesLaidOutAnew) {
  const std::string line =
      R"({"header":{"id":"0x1","rank":0,"n_ranks":2},
"metadata":{"hostname":"a","pid":1},
"coll_perf":{"coll":"AllReduce","coll_sn":1,"coll_msg_size_bytes":100,"coll_exec_time_us":50}})";
  for (const std::string& text : {line + "\n" + line, "[" + line + ",\n" + line + "]"}) {
    const auto source = open("log", text);
    EXPECT_EQ(all(*source, 0).size(), 2u);
    EXPECT_TRUE(source->info().losses.empty());
  }
}

TEST_F(Versions, TimeIndependentRanksWithALetter) {
  const auto source = open("ti", "p0 init\np1 init\np0 send p1 1e6\np1 recv p0 1e6\n");
  EXPECT_EQ(source->info().format, "ti");
  EXPECT_EQ(all(*source, 0)[0].to, 1);
  EXPECT_DOUBLE_EQ(all(*source, 0)[0].bytes.value, 1e6);
}

TEST_F(Versions, TimeIndependentReceivesOfWhateverComes) {
  const auto first = open("first", "0 send 1 1e6\n1 recv 0\n1 Isend 0 30\n0 recv 1\n");
  EXPECT_DOUBLE_EQ(all(*first, 1)[0].received_bytes.value, 1e6);
  EXPECT_DOUBLE_EQ(all(*first, 0)[1].received_bytes.value, 30);
  const auto source =
      open("ti", "0 init\n1 init\n0 send 1 7 10 1\n0 send 1 7 20 1\n1 recv 0 7 10 1\n1 recv 0 7 -1 1\n");
  EXPECT_DOUBLE_EQ(all(*source, 1)[1].received_bytes.value, 80);
  EXPECT_TRUE(source->info().notes.empty());
}

TEST_F(Versions, MutatedOnesAreReadOrRefused) {
  const std::string hosts = profile(0, event("record_param_comms", "cpu_op", 1, 5, call("allreduce", 9)) +
                                           "," + event("gloo:broadcast", "cpu_op", 8, 5, ""));
  for (const std::string& good : {hosts, torch_trace(3), old_chakra(false), old_chakra(true), printed_chakra,
                                  zipped({{"a/", ""}, {"a/b", samples::horovod}})}) {
    std::mt19937 random(7);
    for (int i = 0; i < 200; ++i) {
      const std::string path = file("t_0", mutated(good, "{}[]\",:0123456789-.PK\x01\x08\x12\x80", random));
      testing::complaint([&] { inspect(*open_source({path})); });
    }
  }
}

TEST_F(Versions, OtherNumbersAreReadOrRefused) {
  testing::read_or_refuse_other_numbers(
      {profile(0, event("record_param_comms", "cpu_op", 1, 5,
                        call("allreduce", 9, R"(,"Rank":1,"Global rank start":0,"Global rank stride":1)")) +
                      "," + event("gloo:broadcast", "cpu_op", 8, 5, "")),
       torch_trace(3), printed_chakra});
}

TEST_F(Versions, WhatIsNotReadIsNamed) {
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"7z\xbc\xaf\x27\x1c", "is a 7z archive"},
           {"PK\x03\x04zipped", "its zip archive is cut short"},
           {"# TYPE nccl_bus_bandwidth_gbs gauge\nnccl_bus_bandwidth_gbs{rank=\"0\"} 3.1\n",
            "for Prometheus"},
           {"<?xml version=\"1.0\"?>\n<ipm>\n<task ipm_version=\"2.0.6\">", "is IPM's log (XML)"},
           {"# darshan log version: 3.41\n# nprocs: 4\nPOSIX\t0\t63\tPOSIX_OPENS\t1\t/a\t/\text4\n",
            "is the text that `darshan-parser` prints"},
           {"=== OTF2-PRINT ===\n=== Events ===\nENTER 0 1000 Region: \"MPI_Send\" <1>\n",
            "is the text that `otf2-print` prints"},
           {R"({"Type":5,"NvtxEvent":{"Type":59,"Timestamp":"1","Text":"ncclAllReduce"}})",
            "is a JSON export of Nsight Systems"},
           {"Time (%),Total Time (ns),Instances,Avg (ns),Name\n50.0,1000,10,100,ncclDevKernel_AllReduce\n",
            "is a table of `nsys stats`"}})
    EXPECT_NE(testing::complaint([&, t = text] { open("other", t); }).find(words), std::string::npos)
        << words;
}

}  // namespace
}  // namespace collcast

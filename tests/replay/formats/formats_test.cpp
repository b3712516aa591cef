// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <set>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/formats.hpp"
#include "replay/formats/names.hpp"
#include "replay/source/by_node.hpp"
#include "replay/source/inspection.hpp"
#include "replay/source/recorded.hpp"
#include "replay/source/scaled.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/replay/formats/samples.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;
using testing::all;
using testing::complaint;
using testing::expect_same;

std::vector<Kind> kinds(const std::vector<Activity>& activities) {
  std::vector<Kind> all;
  for (const Activity& a : activities) all.push_back(a.kind);
  return all;
}

class Files : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    return samples::write(folder_ / name, text);
  }
  std::unique_ptr<Source> open(const std::string& name, const std::string& text) {
    return open_source({file(name, text)});
  }
  Folder folder_;
};

TEST_F(Files, KinetoStreamsKeepKernelsAndWhoWaitsForWhom) {
  const auto source = open_source({file("a.json", samples::kineto(0)), file("b.json", samples::kineto(1))});
  EXPECT_EQ(source->info().format, "kineto");
  EXPECT_EQ(source->ranks(), 2);
  EXPECT_DOUBLE_EQ(source->info().recorded.value, 0.01);
  ASSERT_EQ(source->streams(1), 2);
  // The step begins at 1 ms: 1 ms without a kernel, 2 + 2 ms of gemm, the allreduce from 5 to 7, 1 ms of
  // adam, 3 ms.
  const auto compute = all(*source, 1, 0);
  EXPECT_EQ(kinds(compute), (std::vector{Kind::pause, Kind::compute, Kind::record, Kind::compute, Kind::await,
                                         Kind::compute, Kind::record, Kind::await, Kind::pause}));
  EXPECT_NEAR(compute[0].time.value, 1e-3, 1e-12);
  EXPECT_NEAR(compute[8].time.value, 3e-3, 1e-12);
  const auto comm = all(*source, 1, 1);
  EXPECT_EQ(kinds(comm), (std::vector{Kind::await, Kind::pause, Kind::collective, Kind::record}));
  EXPECT_EQ(comm[2].operation, "allreduce");
  EXPECT_DOUBLE_EQ(comm[2].message.value, 4e6);
  EXPECT_NEAR(comm[2].duration.value, 2e-3, 1e-12);
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

/// The host launches one more kernel before it lets the stream wait: the allreduce ends at 7 ms while the GPU
/// is idle, the kernel begins at 7.5 ms, and adam at 8 ms.
std::string with_a_late_kernel() {
  const std::string
      adam = R"({"ph":"X","cat":"kernel","name":"adam","pid":0,"tid":7,"ts":7000)",
      wait = R"({"ph":"X","cat":"cuda_runtime","name":"cudaStreamWaitEvent","pid":1,"tid":1,"ts":5100)";
  const std::string late = replaced(
      samples::kineto(0), adam,
      R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":7500,"dur":500,"args":{"stream":7,"device":0,"correlation":5}},)"
      "\n" +
          replaced(adam, "7000", "8000"));
  return replaced(
      late, wait,
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":5050,"dur":5,"args":{"correlation":5}},)"
      "\n" +
          wait);
}

TEST_F(Files, KinetoAllreducesAreAwaitedWhereTheHostSaysSo) {
  const auto computing = all(*open("a.json", with_a_late_kernel()), 0);
  EXPECT_EQ(kinds(computing),
            (std::vector{Kind::pause, Kind::compute, Kind::record, Kind::compute, Kind::pause, Kind::compute,
                         Kind::await, Kind::compute, Kind::record, Kind::await, Kind::pause}));
  EXPECT_NEAR(computing[4].time.value, 1.5e-3, 1e-12);
  // A trace without any such call leaves the gap as the only sign.
  std::string silent = with_a_late_kernel();
  for (int calls = 0; calls < 2; ++calls) silent = replaced(silent, "cudaStreamWaitEvent", "cudaEventRecord");
  const auto guessed = all(*open("b.json", silent), 0);
  EXPECT_EQ(guessed[4].kind, Kind::await);
  EXPECT_NEAR(guessed[5].time.value, 0.5e-3, 1e-12);
}

/// A trace of rank 0 that says nothing of the job but that its allreduce is of eight, or of two of its four.
TEST_F(Files, KinetoGroupSizesAreEnough) {
  const std::string rank = samples::kineto(0), members = R"(,"Process Group Ranks":"[0, 1]")",
                    job = R"("distributedInfo":{"backend":"nccl","rank":0,"world_size":2},)";
  const auto eight = open_trace({file("a", replaced(replaced(replaced(rank, job, ""), members, ""),
                                                    R"("Group size":2)", R"("Group size":8)"))});
  EXPECT_EQ(eight.source().ranks(), 8);
  EXPECT_EQ(eight.source().info().notes[0],
            "no file says how many ranks there are: as many as in the largest group, 8");
  const auto four = open_trace({file("b", replaced(samples::kineto(0, 4), members, ""))});
  const Activity pair = all(four.source(), 3, 1)[2];
  EXPECT_EQ(four.source().communicators()[static_cast<std::size_t>(pair.communicator)],
            (std::vector<Rank>{2, 3}));
  EXPECT_EQ(four.source().info().notes[0],
            "groups of 2 ranks, of which the trace has no members, are taken for consecutive ranks");
}

/// torch lists 30 members; of a group at equal distances these and its size tell the others.
TEST_F(Files, KinetoMemberListsThatAreCut) {
  const auto group = [&](const std::string& members, const std::string& size = "32") {
    const std::string text =
        replaced(replaced(samples::kineto(0, 256), R"("Group size":2)", R"("Group size":)" + size),
                 R"("Process Group Ranks":"[0, 1]")", R"("Process Group Ranks":")" + members + '"');
    return open("a", text);
  };
  std::vector<Rank> all;
  for (Rank i = 0; i < 32; ++i) all.push_back(8 * i);
  EXPECT_EQ(group("[0, 8, 16, 24, 32, ...]")->communicators().back(), all);
  const auto uneven = group("[0, 8, 17, ...]");
  EXPECT_EQ(uneven->info().unknown.back(), "members of groups that the trace does not list");
  EXPECT_EQ(group("[0, 200, ...]")->info().unknown.back(), "members of groups that the trace does not list");
}

/// Sizes that do not divide the ranks, a list without the rank itself, and a rank's own place in its group.
TEST_F(Files, KinetoGroupsKeepTheirSize) {
  const auto group = [&](int rank, int world, const std::string& size, const std::string& more = "") {
    const std::string text =
        replaced(samples::kineto(rank, world), R"("Group size":2)", R"("Group size":)" + size + more);
    return open("a", replaced(text, R"(,"Process Group Ranks":"[0, 1]")", ""));
  };
  const auto six = group(1, 16, "6");
  EXPECT_EQ(six->communicators().back(), (std::vector<Rank>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(six->info().notes.at(0),
            "groups of 6 ranks, of which the trace has no members, are taken for consecutive ranks");
  EXPECT_EQ(six->info().unknown.back(), "members of groups that the trace does not list");
  EXPECT_EQ(group(5, 6, "4")->communicators().back(), (std::vector<Rank>{2, 3, 4, 5}));
  EXPECT_EQ(group(4, 8, "2", R"(,"Rank":1)")->communicators().back(), (std::vector<Rank>{0, 4}));
  EXPECT_EQ(group(1, 4, "1")->communicators().back(), (std::vector<Rank>{1}));
  EXPECT_EQ(group(1, 4, "9")->info().notes.at(0),
            "groups of 9 ranks, of which the trace has no members, are taken for all ranks");
  EXPECT_EQ(open("b", samples::kineto(3, 4))->communicators().back(), (std::vector<Rank>{2, 3}));
  // Of five ranks these call it.
  std::vector<std::string> three;
  for (const int r : {0, 2, 3})
    three.push_back(file("c" + std::to_string(r),
                         replaced(replaced(samples::kineto(r, 5), R"(,"Process Group Ranks":"[0, 1]")", ""),
                                  R"("Group size":2)", R"("Group size":3)")));
  EXPECT_EQ(open_source(three)->communicators(),
            (std::vector<std::vector<Rank>>{{0, 1, 2, 3, 4}, {0, 2, 3}}));
}

/// What profilers write and JSON forbids does not lose the kernel that it is in.
TEST_F(Files, KinetoKernelsWithWhatJsonForbids) {
  const std::string fine = samples::kineto(0), gemm = R"("name":"gemm","pid":0,"tid":7,"ts":2000)";
  const std::string odd =
      replaced(replaced(fine, gemm, "\"name\":\"g\xff\x01\\m\xc3\xa9\",\"pid\":0,\"tid\":7,\"ts\":2000"),
               R"("device":0,"correlation":1)",
               R"("device":0,"blocks per SM":inf,"a":-nan,"b":[NaN,-Infinity],"correlation":1)");
  const auto source = open("odd.json", odd);
  EXPECT_TRUE(source->info().losses.empty());
  testing::expect_same(*source, *open("fine.json", fine));
}

/// Threads were texts in 2021, and categories had other names: the host call is the one of its own thread.
TEST_F(Files, KinetoOfThePast) {
  const auto source = open("a.json", R"json({"schemaVersion":1,"deviceProperties":[],"traceEvents":[
{"ph":"X","cat":"Operator","name":"ProfilerStep#3","pid":1,"tid":"100","ts":0,"dur":1000,"args":{}},
{"ph":"X","cat":"Operator","name":"nccl:all_reduce","pid":1,"tid":"100","ts":10,"dur":400,"args":{"Input Dims":[[1000]],"Input type":["float"]}},
{"ph":"X","cat":"Operator","name":"nccl:broadcast","pid":1,"tid":"200","ts":20,"dur":300,"args":{"Input Dims":[[77]],"Input type":["long int"]}},
{"ph":"X","cat":"Operator","name":"nccl:send 0->1","pid":1,"tid":"100","ts":420,"dur":80,"args":{"Input Dims":[[5]],"Input type":["c10::Half"]}},
{"ph":"X","cat":"Operator","name":"gloo:all_reduce","pid":1,"tid":"100","ts":520,"dur":80,"args":{}},
{"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":1,"tid":"100","ts":30,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"hip_runtime","name":"hipExtLaunchKernel","pid":1,"tid":"100","ts":430,"dur":5,"args":{"correlation":2}},
{"ph":"X","cat":"Kernel","name":"mscclKernel_Sum_float_LL(x)","pid":0,"tid":"stream 20","ts":60,"dur":50,"args":{"device":0,"stream":20,"correlation":1}},
{"ph":"X","cat":"Kernel","name":"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(x)","pid":0,"tid":"stream 20","ts":500,"dur":50,"args":{"device":0,"stream":20,"correlation":2}}
],"distributedInfo":{"rank":0,"world_size":2}})json");
  const auto played = all(*source, 0);
  ASSERT_EQ(kinds(played),
            (std::vector{Kind::pause, Kind::collective, Kind::pause, Kind::send, Kind::record, Kind::pause}));
  EXPECT_EQ(played[1].operation, "allreduce");
  EXPECT_DOUBLE_EQ(played[1].message.value, 4000);
  EXPECT_EQ(played[3].to, 1);
  EXPECT_DOUBLE_EQ(played[3].bytes.value, 10);
  ASSERT_EQ(source->info().losses.size(), 1u);
  EXPECT_EQ(source->info().losses[0].count, 1);  // gloo's
  EXPECT_NO_THROW(open_source({folder_ / "a.json"}, {3, 3}));
}

/// Of 2021 too; the kernel's launch is not in the trace.
TEST_F(Files, KinetoNamesInLowerCase) {
  const auto source = open("a.json", R"json({"schemaVersion":1,"deviceProperties":[],"traceEvents":[
{"ph":"X","cat":"Operator","name":"nccl:all_reduce","pid":1,"tid":"100","ts":10,"dur":400,"args":{"external id":4,"Input dims":[[1000,10]],"Input type":["float"]}},
{"ph":"X","cat":"Kernel","name":"ncclKernel_AllReduce_RING_LL_Sum_float(x)","pid":0,"tid":"stream 20","ts":60,"dur":50,"args":{"external id":4,"device":0,"stream":20,"correlation":1}}
],"distributedInfo":{"rank":0,"world_size":2}})json");
  EXPECT_DOUBLE_EQ(all(*source, 0).at(0).message.value, 40'000);
}

/// torch coalesces calls: they launch nothing themselves, and one kernel after them plays them all.
TEST_F(Files, KinetoKernelsOfCoalescedCalls) {
  const auto call = [](int at, const std::string& name, int in, int out, const std::string& more = "") {
    return R"({"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":1,"ts":)" +
           std::to_string(at) + R"(,"dur":3,"args":{"dtype":"Float","Group size":3,"Collective name":")" +
           name + R"(","In msg nelems":)" + std::to_string(in) + R"(,"Out msg nelems":)" +
           std::to_string(out) + more + "}},\n";
  };
  const auto kernel = [](int launch, const std::string& name) {
    const std::string at = std::to_string(launch);
    return R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernelExC","pid":1,"tid":1,"ts":)" + at +
           R"(,"dur":2,"args":{"correlation":)" + at + "}},\n" + R"({"ph":"X","cat":"kernel","name":")" +
           name + R"json((x)","pid":0,"tid":9,"ts":)json" + std::to_string(launch + 10) +
           R"(,"dur":50,"args":{"stream":9,"device":0,"correlation":)" + at + "}},\n";
  };
  const std::string send = "ncclDevKernel_SendRecv", gather = "ncclDevKernel_AllGather_RING_LL";
  const auto source =
      open("a.json", R"json({"schemaVersion":1,"deviceProperties":[],"traceEvents":[)json" +
                         call(1, "allgather", 100, 300) + kernel(2, gather) +  // a call of its own
                         call(100, "send", 500, 500, R"(,"Dst Rank":1)") +
                         call(104, "recv", 200, 200, R"(,"Src Rank":1)") + kernel(110, send) +
                         call(200, "_allgather_base", 100, 300) + call(204, "_allgather_base", 50, 150) +
                         kernel(210, gather) + kernel(300, gather) +  // of no call that is there
                         R"json({"ph":"M"}],"distributedInfo":{"rank":0,"world_size":3}})json");
  std::vector<Activity> played;
  for (const Activity& a : all(*source, 0))
    if (a.kind != Kind::pause && a.kind != Kind::record) played.push_back(a);
  ASSERT_EQ(kinds(played), (std::vector{Kind::collective, Kind::send, Kind::receive, Kind::wait,
                                        Kind::collective, Kind::collective}));
  EXPECT_DOUBLE_EQ(played[0].message.value, 1200);
  EXPECT_DOUBLE_EQ(played[1].bytes.value, 2000);
  EXPECT_DOUBLE_EQ(played[2].received_bytes.value, 800);
  EXPECT_EQ(played[3].requests.size(), 2u);
  EXPECT_NEAR(played[3].duration.value, 50e-6, 1e-12);
  EXPECT_DOUBLE_EQ(played[4].message.value, 1800);  // 300 and 150 floats
  EXPECT_FALSE(played[5].sized);
  EXPECT_EQ(source->info().notes.back().substr(0, 38), "1 communication kernels have no size: ");
}

/// Messages of two streams that are under way at once have requests of their own.
TEST_F(Files, KinetoStreamsShareRequestNumbers) {
  std::string events;
  for (const int stream : {20, 21}) {
    int at = 100 * stream;
    const std::string s = std::to_string(stream);
    for (const auto* call : {R"("send","Dst Rank":1)", R"("recv","Src Rank":1)"})
      events += R"({"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":1,"ts":)" +
                std::to_string(at += 4) +
                R"(,"dur":3,"args":{"dtype":"Float","Group size":2,"In msg nelems":9,"Out msg nelems":9,)" +
                R"("Collective name":)" + call + "}},\n";
    events += R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernelExC","pid":1,"tid":1,"ts":)" +
              std::to_string(at + 4) + R"(,"dur":2,"args":{"correlation":)" + s + "}},\n" +
              R"json({"ph":"X","cat":"kernel","name":"ncclDevKernel_SendRecv(x)","pid":0,"tid":)json" + s +
              R"(,"ts":)" + std::to_string(at + 10) + R"(,"dur":500,"args":{"device":0,"stream":)" + s +
              R"(,"correlation":)" + s + "}},\n";
  }
  const auto source = open("a.json", R"({"schemaVersion":1,"deviceProperties":[],"traceEvents":[)" + events +
                                         R"({"ph":"M"}],"distributedInfo":{"rank":0,"world_size":2}})");
  std::multiset<std::int64_t> requests;
  for (int s = 0; s < source->streams(0); ++s)
    for (const Activity& a : all(*source, 0, s)) requests.insert(a.requests.begin(), a.requests.end());
  EXPECT_EQ(requests, (std::multiset<std::int64_t>{0, 1, 2, 3}));
}

TEST_F(Files, KinetoRanksAreThoseOfTheFilesNames) {
  const auto unsaid = [&](const std::string& name, const std::string& duration) {
    const std::string two = R"("Group size":2,"Process Group Name":"0","Process Group Ranks":"[0, 1]")",
                      text = replaced(samples::kineto(0), "distributedInfo", "distributedINFO");
    return file(name, replaced(replaced(text, two, R"("Process Group Name":"")"), R"("ts":2000,"dur":2000)",
                               R"("ts":2000,"dur":)" + duration));
  };
  std::vector<std::string> files;  // in a shell's order, 10 before 2
  for (const int r : {0, 1, 10, 2, 3, 4, 5, 6, 7, 8, 9})
    files.push_back(unsaid("job_rank" + std::to_string(r) + ".json", std::to_string(1000 + r)));
  const auto named = open_source(files);
  EXPECT_NEAR(all(*named, 10)[1].time.value, 1010e-6, 1e-12);
  EXPECT_EQ(named->info().notes,
            std::vector<std::string>{
                "groups of unknown size, of which the trace has no members, are taken for all ranks"});
  const auto ordered = open_source({unsaid("b.1.json", "900"), unsaid("a.2.json", "800")});
  EXPECT_NEAR(all(*ordered, 0)[1].time.value, 900e-6, 1e-12);
  EXPECT_EQ(ordered->info().notes.at(0),
            "ranks are numbered in the order of files and GPUs: nothing says who is which");
}

/// A second allreduce from 7 to 8 ms makes two buckets of 4 MB, both waited for at the end.
TEST_F(Files, BucketsAreFormedAnew) {
  const std::string
      allreduce =
          R"json({"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)","pid":0,"tid":20,"ts":)json",
      args = R"(,"args":{"stream":20,"device":0,"correlation":3}},)";
  const std::string one = allreduce + "5000,\"dur\":2000" + args;
  const std::string two = one + "\n" + allreduce + "7000,\"dur\":1000" + args;
  const std::string path = file("a.json", replaced(samples::kineto(0), one, two));
  OpenOptions options;
  options.bucket = Bytes(1e9);
  const Trace trace = open_trace({path}, options, 4);
  EXPECT_EQ(trace.source().ranks(), 4);
  std::vector<double> bytes;
  for (const Activity& a : all(trace.source(), 3, 1))
    if (a.kind == Kind::collective) bytes.push_back(a.message.value);
  EXPECT_EQ(bytes, (std::vector<double>{8e6}));
  const std::string timeline = file("t", samples::horovod);
  EXPECT_EQ(complaint([&] { open_trace({timeline}, options); }),
            timeline +
                ": Horovod timelines have tensors, which --fusion puts into buffers; --bucket is for DDP's "
                "gradients");
}

/// Rank 0 of two keeps 1,000 of its 4,000 floats and sends 3,000; rank 1 sends 2,000 of its 4,000.
TEST_F(Files, KinetosSplitSizesAreThoseOfTheAllToAll) {
  const auto rank = [](int r, const std::string& in, const std::string& out, int received) {
    return replaced(replaced(samples::kineto(r), R"("Collective name":"allreduce")",
                             R"("Collective name":"all_to_allv")"),
                    R"("In msg nelems":1000000,"Out msg nelems":1000000)",
                    R"("In split size":")" + in + R"(","Out split size":")" + out +
                        R"(","In msg nelems":4000,"Out msg nelems":)" + std::to_string(received));
  };
  const auto source = open_source({file("a.json", rank(0, "[10, 30]", "[1, 2]", 3000)),
                                   file("b.json", rank(1, "[2, 2]", "[3, 2]", 5000))});
  const Activity first = all(*source, 0, 1)[2], second = all(*source, 1, 1)[2];
  ASSERT_TRUE(first.direct && second.direct);
  EXPECT_EQ(first.counts->sent, (std::vector{Bytes(4000), Bytes(12000)}));
  EXPECT_EQ(first.counts->received, (std::vector{Bytes(4000), Bytes(8000)}));
  EXPECT_EQ(second.counts->sent, (std::vector{Bytes(8000), Bytes(8000)}));
  EXPECT_EQ(second.counts->received, (std::vector{Bytes(12000), Bytes(8000)}));
  // Of one rank alone nobody knows what goes to whom.
  const auto alone = open_source({file("a.json", rank(0, "[10, 30]", "[1, 2]", 3000))});
  EXPECT_FALSE(all(*alone, 0, 1)[2].direct);
  EXPECT_EQ(alone->info().notes.back(),
            "1 all-to-alls of unequal parts are taken as of equal ones: not all of their ranks say theirs");
  // Parts that are equal everywhere, or of another number than the members, are as if nothing were said.
  for (const std::string split : {"[7, 7]", "[1, 2, 3]", "[1, 2, ...]"}) {
    const auto even = open_source(
        {file("a.json", rank(0, split, split, 4000)), file("b.json", rank(1, split, split, 4000))});
    const Activity a = all(*even, 1, 1)[2];
    EXPECT_FALSE(a.direct || a.counts) << split;
    EXPECT_DOUBLE_EQ(a.message.value, 16000);
  }
}

TEST_F(Files, KinetoStepsAreSelected) {
  const std::string path = file("a.json", samples::kineto(0));
  OpenOptions seven{7, 7}, eight{8, 9};
  EXPECT_TRUE(open_source({path}, seven)->info().notes.empty());
  EXPECT_EQ(open_source({path}, OpenOptions{7, 9})->info().notes,
            std::vector<std::string>{"of the steps that --steps asks for, a trace has 7 to 7"});
  EXPECT_EQ(complaint([&] { open_source({path}, eight); }),
            path + ": has steps 7 to 7; --steps asks for 8-9");
}

/// Step 7 is from 1 to 11 ms. Of two kernels without a launch, the one before the first gemm runs in the
/// step, from 1.2 to 1.8 ms, and was launched before the trace began; the one behind it, from 6 to 6.5 ms,
/// was launched with it. The step's kernels begin when the earlier one is done: 0.2 ms before the first gemm.
TEST_F(Files, KinetoKernelsBelongToTheStepThatLaunchedThem) {
  const auto kernel = [](const char* at, const char* lasts) {
    return std::string(R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":)") + at +
           R"(,"dur":)" + lasts + R"(,"args":{"stream":7,"device":0,"correlation":77}},)";
  };
  const std::string first = R"({"ph":"X","cat":"kernel","name":"gemm")";
  const std::string path = file(
      "a.json", replaced(samples::kineto(0), first, kernel("1200", "600") + kernel("6000", "500") + first));
  const auto source = open_source({path}, {7, 7});
  ASSERT_EQ(source->info().losses.size(), 1u);
  const Loss& lost = source->info().losses[0];
  EXPECT_EQ(lost.count, 1);
  EXPECT_EQ(lost.reason, "outside the steps that are looked at");
  // It took 0.6 ms of the file's kernels, which run from 1.2 to 8 ms.
  EXPECT_NEAR(lost.time_s, 0.6e-3, 1e-12);
  EXPECT_NEAR(lost.share, 0.6 / 6.8, 1e-9);
  const auto played = all(*source, 0);
  EXPECT_EQ(played[0].kind, Kind::pause);
  EXPECT_NEAR(played[0].time.value, 0.2e-3, 1e-12);
  EXPECT_NEAR(inspect(*source).compute.value, 5.5e-3, 1e-12);               // 2 + 2 + 0.5 + 1
  EXPECT_NEAR(inspect(*open_source({path})).compute.value, 6.1e-3, 1e-12);  // all of the trace
}

/// Kernels of one allreduce of 2 s: where rank 1 began 250 ms later, both come to it at once. Had it begun 3
/// s later, rank 0 would be through before.
TEST(AcrossRanks, RanksBeginAsFarApartAsRecorded) {
  const auto made = [] {
    auto source = std::make_unique<RecordedSource>(2);
    for (Rank r = 0; r < 2; ++r) {
      Activity a = collective_activity(Collective::allreduce, 0, Bytes(8));
      a.begin = Seconds(5 - 0.25 * r), a.duration = Seconds(2);
      source->at(r) = {a};
    }
    return source;
  };
  auto together = made();
  EXPECT_TRUE(begin_as_recorded(*together, {{0, Seconds(1)}, {1, Seconds(1.25)}}));
  EXPECT_EQ(all(*together, 0).size(), 1u);
  ASSERT_EQ(all(*together, 1).size(), 2u);
  EXPECT_EQ(all(*together, 1)[0].kind, Kind::pause);
  EXPECT_EQ(all(*together, 1)[0].time, Seconds(0.25));
  EXPECT_EQ(all(*together, 0)[0].begin, Seconds(5));
  EXPECT_EQ(all(*together, 1)[1].begin, Seconds(4.75 + 0.25));
  EXPECT_TRUE(together->info().one_clock);
  EXPECT_EQ(together->info().notes.back(), "ranks begin as recorded, up to 250 ms apart");
  auto apart = made();
  EXPECT_FALSE(begin_as_recorded(*apart, {{0, Seconds(1)}, {1, Seconds(4)}}));
  EXPECT_EQ(all(*apart, 1).size(), 1u);
  EXPECT_FALSE(apart->info().one_clock);
  EXPECT_EQ(apart->info().notes.back(), "the ranks' clocks disagree, by 750 ms at least: all begin together");
}

/// Rank 1 comes at 4 s, when ranks 0 and 2 were through at 3 s, whichever of them is looked at last: clocks
/// disagree by a second. A broadcast lets its root go before others come, and says nothing of clocks.
TEST(AcrossRanks, ClocksDisagreeWhereARankIsThroughBeforeAnotherComes) {
  const auto notes = [](Collective c) {
    RecordedSource source(3);
    for (Rank r = 0; r < 3; ++r) {
      Activity a = collective_activity(c, 0, Bytes(8));
      a.begin = Seconds(0), a.duration = Seconds(2);
      source.at(r) = {a};
    }
    EXPECT_FALSE(begin_as_recorded(source, {{0, Seconds(1)}, {1, Seconds(4)}, {2, Seconds(1)}}));
    return source.info().notes;
  };
  EXPECT_EQ(notes(Collective::allreduce),
            std::vector<std::string>{"the ranks' clocks disagree, by 1.00 s at least: all begin together"});
  EXPECT_EQ(notes(Collective::broadcast), std::vector<std::string>());
}

TEST_F(Files, RanksOfOtherJobsAndTwiceTheSameAreRefused) {
  const std::string a = file("a.json", samples::kineto(0)), b = file("b.json", samples::kineto(0)),
                    c = file("c.json", samples::kineto(1, 4));
  EXPECT_EQ(complaint([&] { open_source({a, b}); }), "two files claim rank 0: " + a + " and " + b);
  EXPECT_NE(complaint([&] { open_source({a, c}); }).find("ranks of two different jobs"), std::string::npos);
}

/// They do not turn into others that fit.
TEST_F(Files, KinetoRanksThatNoJobHasAreRefused) {
  for (const auto* n : {"4294967296", "-1", "1e300", "9223372036854775808"}) {
    const std::string path =
        file("a", replaced(samples::kineto(0), R"("rank":0)", R"("rank":)" + std::string(n)));
    EXPECT_EQ(complaint([&] { open_source({path}); }),
              path + ": its distributedInfo has a rank that no job has; up to 1048576 ranks are read");
  }
  const std::string path =
      file("b", replaced(samples::kineto(0), R"("world_size":2)", R"("world_size":4294967298)"));
  EXPECT_NE(complaint([&] { open_source({path}); }).find("has a world_size that no job has"),
            std::string::npos);
}

TEST_F(Files, KinetoRanksAndClocksDoNotDependOnTheFilesOrder) {
  std::string unsaid = samples::kineto(0);
  unsaid.replace(unsaid.find("distributedInfo"), 15, "distributedINFO");
  const std::string none = file("a", unsaid), one = file("b", samples::kineto(1));
  for (const auto& files : {std::vector{none, one}, std::vector{one, none}})
    EXPECT_EQ(open_source(files)->ranks(), 2);
  // The same instants, by clocks that began 4.5 ms apart.
  const auto based = [](std::string text, const std::string& base, int later_us) {
    for (std::size_t at = 0; (at = text.find("\"ts\":", at)) != std::string::npos; at += 5) {
      const int ts = std::stoi(text.substr(at + 5));
      text.replace(at + 5, std::to_string(ts).size(), std::to_string(ts + later_us));
    }
    return text.insert(1, "\"baseTimeNanoseconds\":" + base + ",");
  };
  const auto source = open_source({file("c", based(samples::kineto(0), "1750000000004500000", 0)),
                                   file("d", based(samples::kineto(1), "1750000000000000000", 4500))});
  EXPECT_TRUE(source->info().notes.empty()) << source->info().notes[0];
}

TEST_F(Files, OneRankStandsForAllWhereRanksAreAlike) {
  const auto source = open("a.json", samples::kineto(0));
  EXPECT_EQ(source->info().recorded_ranks, std::vector<Rank>{0});
  const auto more = scaled(*source, 16);
  EXPECT_EQ(more->ranks(), 16);
  EXPECT_EQ(more->communicators()[0].size(), 16u);
  EXPECT_EQ(all(*more, 9, 1).size(), all(*source, 0, 1).size());
  const auto log = open("log", samples::nccl_log);
  EXPECT_NE(complaint([&] { scaled(*log, 4); }).find("sends or receives messages"), std::string::npos);
}

TEST_F(Files, HorovodTimelinesSayWhoWasReadyWhen) {
  const auto source = open("t", samples::horovod);
  EXPECT_EQ(source->info().format, "horovod");
  ASSERT_EQ(source->ranks(), 2);
  EXPECT_NEAR(all(*source, 0)[0].time.value, 1e-6, 1e-12);
  EXPECT_NEAR(all(*source, 1)[0].time.value, 2.001e-3, 1e-12);
  const auto ops = all(*source, 1, 1);
  EXPECT_EQ(kinds(ops), (std::vector{Kind::await, Kind::pause, Kind::collective, Kind::record}));
  EXPECT_NEAR(ops[1].time.value, 100e-6, 1e-12);  // from 3001 to 3101 us
  EXPECT_DOUBLE_EQ(ops[2].message.value, 4000);
  EXPECT_NEAR(ops[2].duration.value, 1e-3, 1e-12);
  ASSERT_EQ(source->info().notes.size(), 1u);
  EXPECT_NE(source->info().notes[0].find("not closed"), std::string::npos);
}

TEST_F(Files, HorovodTimelinesInAnObject) {
  const auto plain = open("t", samples::horovod + "]"),
             wrapped = open("o", R"({"displayTimeUnit":"ms","traceEvents":)" + samples::horovod + "]}");
  EXPECT_EQ(wrapped->info().format, "horovod");
  expect_same(*plain, *wrapped);
}

TEST_F(Files, HorovodsBarrierHasNoEventInside) {
  const auto source = open("t", samples::horovod + R"({"ph":"B","name":"NEGOTIATE_BARRIER","ts":5000,"pid":2},
{"ph":"X","name":"0","ts":5001,"pid":2,"dur":0},
{"ph":"X","name":"1","ts":5002,"pid":2,"dur":0},
{"ph":"E","ts":5003,"pid":2},
{"ph":"B","name":"BARRIER","ts":5004,"pid":2},
{"ph":"E","ts":5204,"pid":2}]
)");
  const auto ops = all(*source, 1, 1);
  ASSERT_EQ(kinds(ops), (std::vector{Kind::await, Kind::pause, Kind::collective, Kind::record, Kind::await,
                                     Kind::pause, Kind::collective, Kind::record}));
  EXPECT_EQ(ops[6].collective, Collective::barrier);
  EXPECT_TRUE(ops[6].sized);
  EXPECT_NEAR(ops[6].duration.value, 200e-6, 1e-12);
  EXPECT_TRUE(source->info().losses.empty());
}

/// Tensors of 4,000 B, which both ranks are ready for at 100, 200 and 1,300 us, moved one by one from 400,
/// 500 and 1,500 us on.
std::string three_tensors() {
  std::string text = "[";
  int pid = 0;
  for (const auto& [ready, moved] : {std::pair{100, 400}, {200, 500}, {1300, 1500}}) {
    const auto event = [&, tensor = ++pid](const char* phase, const char* name, int at,
                                           const char* more = "") {
      text += "{\"ph\":\"" + std::string(phase) + "\",\"name\":\"" + name +
              "\",\"ts\":" + std::to_string(at) + ",\"pid\":" + std::to_string(tensor) + more + "},\n";
    };
    event("B", "NEGOTIATE_ALLREDUCE", ready - 10);
    event("X", "0", ready), event("X", "1", ready);
    event("E", "", ready + 5);
    event("B", "ALLREDUCE", ready + 10);
    event("B", "NCCL_ALLREDUCE", moved);
    event("E", "", moved + 50);
    event("E", "", moved + 60, R"(,"args":{"dtype":"float32","shape":"[10, 100]"})");
  }
  return text;
}

TEST_F(Files, HorovodsTensorsAreFusedAnew) {
  const std::string timeline = file("t", three_tensors());
  const auto moved = [&](double fusion, double cycle) {
    OpenOptions options;
    options.fusion = Bytes(fusion), options.cycle = Seconds(cycle);
    std::vector<double> bytes;
    for (const Activity& a : all(*open_source({timeline}, options), 0, 1))
      if (a.kind == Kind::collective) bytes.push_back(a.message.value);
    return bytes;
  };
  using Sizes = std::vector<double>;
  EXPECT_EQ(moved(-1, 0), (Sizes{4000, 4000, 4000}));
  EXPECT_EQ(moved(7999, 0), (Sizes{4000, 4000, 4000}));
  // Ready by the first's round; the third is what both waited for after the others were done.
  EXPECT_EQ(moved(8000, 0), (Sizes{8000, 4000}));
  EXPECT_EQ(moved(1e9, 0.1), (Sizes{8000, 4000}));
  EXPECT_EQ(moved(1e9, 0.00005), (Sizes{4000, 4000, 4000}));
  EXPECT_EQ(moved(-1, 0.1), (Sizes{4000, 4000, 4000}));  // the largest that was recorded
}

/// Tensors of another type are passed over, and fused after the others of their round.
TEST_F(Files, HorovodsBuffersAreOfOneType) {
  std::string text = three_tensors();
  text.replace(text.find("float32"), 7, "float16");
  OpenOptions options;
  options.fusion = Bytes(1e9), options.cycle = Seconds(0.1);
  std::vector<double> bytes;
  for (const Activity& a : all(*open_source({file("t", text)}, options), 0, 1))
    if (a.kind == Kind::collective) bytes.push_back(a.message.value);
  EXPECT_EQ(bytes, (std::vector<double>{2000, 4000, 4000}));
}

TEST_F(Files, HorovodsRoundsBeginAtTheirTimes) {
  OpenOptions options;
  options.fusion = Bytes(65536), options.cycle = Seconds(1e-3);  // rounds at 90, 1,090 and 2,090 us
  const auto source = open_source({file("t", three_tensors())}, options);
  const auto rounds = all(*source, 1, 2), ready = all(*source, 1, 0);
  EXPECT_EQ(kinds(rounds),
            (std::vector{Kind::await, Kind::pause, Kind::record, Kind::await, Kind::pause, Kind::record}));
  EXPECT_NEAR(rounds[1].time.value, 890e-6, 1e-12);
  EXPECT_NEAR(rounds[4].time.value, 790e-6, 1e-12);
  EXPECT_EQ(rounds[1].operation, waiting_for_ranks);
  // The first operation has the tensors of two that took 60 us each.
  std::vector<double> recorded_us;
  for (const Activity& a : all(*source, 0, 1))
    if (a.kind == Kind::collective) recorded_us.push_back(std::round(1e6 * a.duration.value));
  EXPECT_EQ(recorded_us, (std::vector<double>{120, 60}));
  EXPECT_EQ(kinds(ready), (std::vector{Kind::compute, Kind::record, Kind::compute, Kind::record, Kind::await,
                                       Kind::compute, Kind::record}));
  EXPECT_EQ(ready[4].count, 1);
  EXPECT_NEAR(ready[5].time.value, 740e-6, 1e-12);
  EXPECT_NE(source->info().notes[1].find("fused anew into 2 operations of up to 64 KiB, 3 were recorded"),
            std::string::npos)
      << source->info().notes[1];
  const std::string log = file("log", samples::nccl_log);
  EXPECT_NE(
      complaint([&] { open_source({log}, options); }).find("--fusion and --cycle need a Horovod timeline"),
      std::string::npos);
}

/// Adasum moves what an allreduce does; operations of gloo and oneCCL are in host memory.
TEST_F(Files, HorovodsAdasumAndGloo) {
  std::string text = replaced(samples::horovod, "NEGOTIATE_ALLREDUCE", "NEGOTIATE_ADASUM");
  text = replaced(text, R"("name":"ALLREDUCE")", R"("name":"ADASUM")");
  const auto adasum = open("a", replaced(text, "NCCL_ALLREDUCE", "MPI_ADASUM_ALLREDUCE"));
  const Inspection inspected = inspect(*adasum);
  ASSERT_EQ(inspected.operations.size(), 1u);
  EXPECT_EQ(inspected.operations[0].name, "allreduce");
  EXPECT_DOUBLE_EQ(inspected.operations[0].size.value, 4000);
  EXPECT_TRUE(adasum->info().losses.empty());
  EXPECT_EQ(adasum->info().memory, Memory::device);
  EXPECT_EQ(adasum->info().notes[0],
            "1 operations of Adasum are played as allreduces, without its scalar products");
  for (const std::string library : {"GLOO", "CCL", "MLSL"}) {
    const auto hosts = open("g", replaced(samples::horovod, "NCCL_ALLREDUCE", library + "_ALLREDUCE"));
    EXPECT_EQ(hosts->info().memory, Memory::host);
    EXPECT_TRUE(hosts->info().by_mpi);
  }
  EXPECT_EQ(open("n", samples::horovod)->info().memory, Memory::device);
}

/// One that went through these, in turn, for 250 us each.
std::string hierarchical(const std::vector<std::string>& moves) {
  std::string text = samples::horovod, parts;
  int at = 3101;
  for (const std::string& move : moves) {
    parts += R"({"ph":"B","name":")" + move + R"(","ts":)" + std::to_string(at) + ",\"pid\":1},\n";
    parts += R"({"ph":"E","ts":)" + std::to_string(at + 200) + ",\"pid\":1},\n";
    at += 250;
  }
  const std::string flat =
      "{\"ph\":\"B\",\"name\":\"NCCL_ALLREDUCE\",\"ts\":3101,\"pid\":1},\n{\"ph\":\"E\",\"ts\":4000,\"pid\":"
      "1},\n";
  return replaced(text, flat, parts);
}

/// NCCL reduces within a node, another library may move the rest; what does not divide goes beside.
TEST_F(Files, HorovodsHierarchyIsOfItsNodes) {
  using enum Collective;
  const auto parts = [&](const std::vector<std::string>& moves) {
    std::vector<std::pair<Collective, double>> all_parts;
    const auto source = open("t", hierarchical(moves));
    const Activity a = all(*source, 1, 1)[2];
    EXPECT_EQ(a.collective, allreduce);
    EXPECT_DOUBLE_EQ(a.message.value, 4000);
    EXPECT_EQ(source->info().by_node, a.phases ? 1 : 0);
    if (a.phases)
      for (const Phase& p : *a.phases)
        all_parts.emplace_back(p.collective, std::round(1e6 * p.duration.value));
    return all_parts;
  };
  using Parts = std::vector<std::pair<Collective, double>>;
  EXPECT_EQ(parts({"NCCL_REDUCE", "NCCL_ALLREDUCE", "NCCL_BCAST"}),
            (Parts{{reduce, 250}, {allreduce, 250}, {broadcast, 500}}));
  EXPECT_EQ(parts({"NCCL_REDUCESCATTER", "NCCL_REDUCE", "MPI_ALLREDUCE", "NCCL_ALLGATHER"}),
            (Parts{{reduce_scatter, 500}, {allreduce, 250}, {allgather, 250}}));
  EXPECT_EQ(parts({"NCCL_ALLREDUCE"}), Parts());
  EXPECT_EQ(parts({"NCCL_REDUCE", "NCCL_ALLREDUCE"}), Parts());
}

/// A node's first rank talks to those of other nodes, or each rank to those in its place.
TEST_F(Files, HorovodsHierarchyIsPlayedByNode) {
  using enum Collective;
  const auto played = [&](const std::vector<std::string>& moves, Rank rank, const std::vector<int>& node) {
    const auto two = open("t", hierarchical(moves));
    const auto four = scaled(*two, 4);
    const auto source = by_node(*four, node);
    std::vector<std::tuple<Collective, double, std::vector<Rank>>> all_played;
    if (source)
      for (const Activity& a : all(*source, rank, 1))
        if (a.kind == Kind::collective)
          all_played.emplace_back(a.collective, a.message.value,
                                  source->communicators()[static_cast<std::size_t>(a.communicator)]);
    return all_played;
  };
  using Played = std::vector<std::tuple<Collective, double, std::vector<Rank>>>;
  const std::vector<int> pairs = {0, 0, 1, 1};
  const std::vector<std::string> rooted = {"NCCL_REDUCE", "NCCL_ALLREDUCE", "NCCL_BCAST"};
  const std::vector<std::string> shared = {"NCCL_REDUCESCATTER", "MPI_ALLREDUCE", "NCCL_ALLGATHER"};
  EXPECT_EQ(played(rooted, 2, pairs),
            (Played{{reduce, 4000, {2, 3}}, {allreduce, 4000, {0, 2}}, {broadcast, 4000, {2, 3}}}));
  EXPECT_EQ(played(rooted, 3, pairs), (Played{{reduce, 4000, {2, 3}}, {broadcast, 4000, {2, 3}}}));
  EXPECT_EQ(played(shared, 1, pairs),
            (Played{{reduce_scatter, 4000, {0, 1}}, {allreduce, 2000, {1, 3}}, {allgather, 4000, {0, 1}}}));
  EXPECT_EQ(played(shared, 1, {0, 0, 0, 1}), Played());  // Horovod's is flat there
  EXPECT_EQ(played(shared, 1, {0, 1, 2, 3}), Played());
  EXPECT_EQ(played({"NCCL_ALLREDUCE"}, 1, pairs), Played());
}

TEST_F(Files, HorovodResultsOfReduceScattersAreShares) {
  std::string text = samples::horovod;
  for (std::size_t at = 0; (at = text.find("ALLREDUCE", at)) != std::string::npos; at += 13)
    text.replace(at, 9, "REDUCESCATTER");
  text += R"json({"ph":"B","name":"JOIN","ts":5000,"pid":1},
{"ph":"E","ts":6000,"pid":1},
)json";
  const auto source = open("t", text);
  EXPECT_DOUBLE_EQ(all(*source, 0, 1)[2].message.value, 2 * 4000);
  ASSERT_EQ(source->info().losses.size(), 1u);
  EXPECT_EQ(source->info().losses[0].operation, "JOIN");
}

TEST_F(Files, NcclLogsGiveCallsByRankAndCommunicator) {
  EXPECT_TRUE(complaint([&] {
                open("empty", "node0:10:11 [0] NCCL INFO cudaDriverVersion 12020\n");
              }).ends_with("(a table of nccl-tests is for collcast validate --measurements)"));
  const auto source = open("log", samples::nccl_log);
  EXPECT_EQ(source->info().format, "nccl-log");
  ASSERT_EQ(source->ranks(), 2);
  const auto first = all(*source, 0), second = all(*source, 1);
  EXPECT_EQ(kinds(first), (std::vector{Kind::collective, Kind::send, Kind::wait}));
  EXPECT_EQ(kinds(second), (std::vector{Kind::collective, Kind::receive, Kind::wait}));
  EXPECT_DOUBLE_EQ(first[0].message.value, 2 * 4096);  // two ranks' shares
  EXPECT_DOUBLE_EQ(first[1].bytes.value, 80);
  EXPECT_EQ(second[1].from, 0);
  EXPECT_EQ(source->info().notes[0], "AllGather: 4096 B by ring / Simple, 1 time");
  EXPECT_EQ(source->communicators().size(), 1u);  // that of all ranks is the world
}

TEST_F(Files, TimeIndependentRanksThatEndBeforeOthersAreSaid) {
  const std::string cut = "0 init\n1 init\n0 send 1 0 9 6\n1 recv 0 0 9 6\n0 recv 1 0 9 6\n";
  const auto source = open("t", cut + "0 finalize\n");
  EXPECT_TRUE(source->info().truncated);
  EXPECT_EQ(
      source->info().notes,
      (std::vector<std::string>{"rank 1 ends before finalize, to which others come: its file is cut short"}));
  EXPECT_FALSE(open("t", cut)->info().truncated);  // written by hand, without
}

TEST_F(Files, TimeIndependentTracesAreReadInOneFileOrSeveral) {
  const auto source = open("t", samples::time_independent);
  ASSERT_EQ(source->ranks(), 2);
  const auto first = all(*source, 0);
  EXPECT_EQ(kinds(first),
            (std::vector{Kind::compute, Kind::send, Kind::wait, Kind::collective, Kind::collective}));
  EXPECT_DOUBLE_EQ(first[0].time.value, 1);
  EXPECT_DOUBLE_EQ(first[3].message.value, 40);  // ten ints
  EXPECT_DOUBLE_EQ(first[4].message.value, 3);   // one and two bytes
  EXPECT_EQ(open_source({file("r0", "0 init\n0 barrier\n"), file("r1", "1 init\n1 barrier\n")})->ranks(), 2);
  const std::string hole = file("hole", "0 init\n2 init\n");
  EXPECT_NE(complaint([&] { open_source({hole}); }).find("only 2 ranks have actions"), std::string::npos);
  const std::string bad = file("bad", "0 init\n0 bcast many\n");
  EXPECT_EQ(complaint([&] { open_source({bad}); }),
            bad + ": line 2: bcast has 'many' where a number belongs");
  for (const std::string large : {"1e18", "-1e18", "1e400"}) {
    const std::string beyond = file("beyond", "0 init\n0 compute " + large + "\n");
    EXPECT_EQ(
        complaint([&] { open_source({beyond}); }),
        beyond + ": line 2: compute has '" + large + "', which is out of range: numbers are below 1e18");
  }
  // A pause is no computation.
  const auto pausing = all(*open("sleep", "0 init\n0 sleep 2\n0 compute 1e9\n"), 0);
  EXPECT_EQ(kinds(pausing), (std::vector{Kind::pause, Kind::compute}));
  EXPECT_DOUBLE_EQ(pausing[0].time.value, 2);
  // Without tags, and waiting for the last request, as before SimGrid 3.20.
  const auto old = open("old", "0 init 1\n0 Isend 1 10\n0 wait\n1 init 1\n1 recv 0 10\n");
  ASSERT_EQ(kinds(all(*old, 0)), (std::vector{Kind::send, Kind::wait}));
  EXPECT_DOUBLE_EQ(all(*old, 0)[0].bytes.value, 80);  // ten doubles
  EXPECT_EQ(all(*old, 0)[1].requests, std::vector<std::int64_t>{0});
  const auto tested =
      open("tested", "0 init\n1 init\n0 isend 1 3 9 6\n0 test 0 1 3\n0 wait 0 1 3\n1 recv 0 3 9 6\n");
  EXPECT_EQ(kinds(all(*tested, 0)), (std::vector{Kind::send, Kind::wait}));
  EXPECT_EQ(tested->info().notes.at(0),
            "1 waits and tests are for no message that is open, as after a test, which is taken for a wait: "
            "left out");
  const std::string one = file("one", "0 alltoallv 9 1 2 3 9 1 2 3\n");
  EXPECT_EQ(complaint([&] { open_source({one}); }),
            one + ": line 1: alltoallv has sizes for more ranks than 1; name the files of all ranks");
  // One rank's share says nothing of the whole.
  const std::string share = file("share", "0 init\n0 allgather 100 100 6 6\n0 finalize\n");
  EXPECT_EQ(complaint([&] { open_trace({share}, {}, 8); }),
            share +
                ": cannot stand for 8 ranks: allgather says what one rank gives or gets, not how many are "
                "recorded; name the files of all ranks");
  EXPECT_EQ(open_trace({file("whole", "0 init\n0 allreduce 100 0 6\n")}, {}, 8).source().ranks(), 8);
  const std::string list = file("list", "traces/rank0.txt\ntraces/rank1.txt\n");
  EXPECT_EQ(complaint([&] { open_source({list}); }),
            list + ": is a list of files, as of an SMPI trace; name those");
}

TEST_F(Files, ChakraNodesPlayAfterTheirDependencies) {
  const auto source = open_source({file("x.0.et", samples::chakra()), file("x.1.et", samples::chakra())});
  EXPECT_EQ(source->info().format, "chakra");
  EXPECT_EQ(kinds(all(*source, 1, 0)), (std::vector{Kind::compute, Kind::record}));
  const auto comm = all(*source, 1, 1);
  EXPECT_EQ(kinds(comm), (std::vector{Kind::await, Kind::collective}));
  EXPECT_DOUBLE_EQ(comm[1].message.value, 1000);
  const std::string a = file("y.3.et", samples::chakra()), b = file("z.3.et", samples::chakra());
  EXPECT_NE(complaint([&] { open_source({a, b}); }).find("two files claim rank 3"), std::string::npos);
}

TEST_F(Files, ChakraProcessGroupsAreTheRanksThatUseThem) {
  const auto trace = [](const std::string& group) {
    using namespace protobuf;
    std::string name, node, file = samples::chakra();
    put_field(name, 1, std::string_view("pg_name"));
    put_field(name, 29, std::string_view(group));
    put_field(node, 1, 7);
    put_field(node, 2, std::string_view("allreduce"));
    put_field(node, 3, 7);
    for (const auto& [key, value] : {std::pair{"comm_type", 0}, std::pair{"comm_size", 500}}) {
      std::string a;
      put_field(a, 1, std::string_view(key));
      put_field(a, 9, static_cast<std::uint64_t>(value));
      put_field(node, 10, a);
    }
    put_field(node, 10, name);
    put_varint(file, node.size());
    return file + node;
  };
  std::vector<std::string> files;
  for (const int r : {0, 1, 2, 3})
    files.push_back(file("g." + std::to_string(r) + ".et", trace(r % 2 ? "odd" : "even")));
  const auto source = open_source(files);
  EXPECT_EQ(source->communicators(), (std::vector<std::vector<Rank>>{{0, 1, 2, 3}, {0, 2}, {1, 3}}));
  const auto alone = open_source({files[0], files[1]});
  ASSERT_FALSE(alone->info().notes.empty());
  EXPECT_EQ(alone->info().notes[0].find("2 process groups are used by one rank alone"), 0u);
}

TEST_F(Files, CompressedFilesAreReadAndCutOnesRefused) {
  const std::string path = folder_ / "t.gz";
  gzFile gz = gzopen(path.c_str(), "wb");
  gzwrite(gz, samples::horovod.data(), static_cast<unsigned>(samples::horovod.size()));
  gzclose(gz);
  EXPECT_EQ(open_source({path})->ranks(), 2);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 12);
  EXPECT_EQ(complaint([&] { open_source({path}); }), path + ": its gzip stream is cut short");
}

TEST_F(Files, MarksAndLineEndsOfWindowsAreNoPartOfATrace) {
  for (const std::string& text : {samples::time_independent, samples::horovod, samples::nccl_log}) {
    std::string windows = "\xef\xbb\xbf";
    for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    testing::expect_same(*open("w", windows), *open("t", text));
  }
}

TEST_F(Files, AFileOrARankTwiceIsRefused) {
  const std::string one = file("one", "0 init\n0 compute 5\n1 init\n"), other = file("other", "1 init\n"),
                    log = file("log", samples::nccl_log);
  EXPECT_EQ(complaint([&] {
              open_source({one, other});
            }),
            "two files claim rank 1: " + one + " and " + other);
  EXPECT_EQ(complaint([&] {
              open_source({log, log});
            }),
            log + ": is named twice; the files are those of different ranks");
  // Whatever is in it.
  const std::string none = file("none", "no trace");
  EXPECT_EQ(complaint([&] {
              open_source({none, none});
            }),
            none + ": is named twice; the files are those of different ranks");
}

TEST_F(Files, JsonThatIsCutInItsMiddleIsRefused) {
  const std::string text = samples::kineto(0);
  const std::string path = file("cut", text.substr(0, text.size() - 200));
  EXPECT_EQ(complaint([&] { open_source({path}); }), path + ": the JSON is cut short in its middle");
}

TEST_F(Files, KinetoCountsWhatItDrops) {
  const std::string fine = samples::kineto(0), gemm = R"("name":"gemm","pid":0,"tid":7,"ts":2000,"dur":2000)";
  const auto with = [&](const std::string& times) {
    return open("odd", replaced(fine, gemm, R"("name":"gemm","pid":0,"tid":7,)" + times))->info().losses;
  };
  const std::vector<Loss> one{{"kernel", 1, "without a possible begin and duration, or damaged"}};
  EXPECT_EQ(with(R"("ts":"2000","dur":2000)"), one);
  EXPECT_EQ(with(R"("ts":-2000,"dur":2000)"), one);
  EXPECT_EQ(with(R"("ts":2000,"dur":0)"), one);
  EXPECT_EQ(with(R"("ts":2000,"dur":-5)"), one);
  for (const std::string count : {"70", "\"70\""})
    EXPECT_EQ(open("lost", "{\"DroppedEvents\":" + count + "," + fine.substr(1))->info().losses,
              (std::vector<Loss>{{"event", 70, "lost by the profiler, as it says"}}));
  for (const std::string& behind : {samples::kineto(1), std::string("garbage")}) {
    const std::string path = file("more", fine + "\n" + behind);
    EXPECT_EQ(complaint([&] { open_source({path}); }),
              path + ": goes on behind the end of its JSON; a file has one trace");
  }
}

TEST_F(Files, WhatIsNoTraceIsRefused) {
  EXPECT_TRUE(complaint([&] {
                open("hollow", "");
              }).ends_with("hollow: is empty; expected a trace, as docs/traces.md lists"));
  const std::string text = file("text", "hello\n"), none = folder_ / "none",
                    mixed = file("log", samples::nccl_log), kineto = file("k", samples::kineto(0));
  EXPECT_NE(complaint([&] { open_source({text}); }).find("is of no format that is known: own recordings"),
            std::string::npos);
  EXPECT_EQ(complaint([&] { open_source({none}); }), none + ": cannot be read: No such file or directory");
  EXPECT_NE(complaint([&] {
              open_source({mixed, kineto});
            }).find("the files of one job are of one format"),
            std::string::npos);
  EXPECT_NE(complaint([&] { open_source({mixed}, {1, 2}); }).find("mark no steps"), std::string::npos);
  for (int byte = 1; byte < 256; ++byte) {
    const std::string one = file("byte", std::string(1, static_cast<char>(byte)));
    EXPECT_NE(complaint([&] { open_source({one}); }), "") << byte;
  }
}

TEST_F(Files, InspectionsCountBySizeAndFindLateRanks) {
  const auto source = open_source({file("a.json", samples::kineto(0)), file("b.json", samples::kineto(1))});
  const Inspection i = inspect(*source);
  ASSERT_EQ(i.operations.size(), 1u);
  EXPECT_EQ(i.operations[0].name, "allreduce");
  EXPECT_EQ(i.operations[0].communicator, "world");
  EXPECT_EQ(i.operations[0].count, 2);
  EXPECT_NEAR(i.operations[0].total.value, 4e-3, 1e-12);
  EXPECT_NEAR(i.compute.value, 10e-3, 1e-12);
  ASSERT_EQ(i.of_rank.size(), 2u);
  EXPECT_NEAR(i.of_rank[0].overlap->value, 1e-3, 1e-12);                // from 5 to 6 ms
  EXPECT_EQ(i.of_rank[0].last.value() + i.of_rank[1].last.value(), 0);  // both at once
  EXPECT_TRUE(i.operations[0].waiting);
  const Inspection log = inspect(*open("log", samples::nccl_log));
  ASSERT_EQ(log.pairs.size(), 1u);
  EXPECT_EQ(log.pairs[0].to, 1);
  EXPECT_FALSE(log.of_rank[0].overlap || log.of_rank[0].lateness || log.of_rank[0].last);
  EXPECT_FALSE(log.operations[0].waiting);
  EXPECT_DOUBLE_EQ(log.pairs[0].bytes.value, 80);
}

/// Rank 1's clock began 1 ms after rank 0's, and it comes to the allreduce at 5 ms of it, rank 0 at 5 ms of
/// its own. Without a common clock nobody knows who was late.
TEST_F(Files, LateRanksAreThoseByOneClock) {
  const auto late = [&](const std::string& base) {
    const std::string first =
        replaced(samples::kineto(0), "{\"schema", "{\"baseTimeNanoseconds\":1700000000000000000,\"schema");
    const std::string second =
        replaced(replaced(samples::kineto(1), "{\"schema", "{\"baseTimeNanoseconds\":" + base + ",\"schema"),
                 R"("ts":5000,"dur":2000)", R"("ts":5000,"dur":1000)");
    return inspect(*open_source({file("a.json", first), file("b.json", second)})).of_rank;
  };
  const auto agreed = late("1700000000001000000");
  EXPECT_EQ(agreed[0].lateness, Seconds(0));
  EXPECT_NEAR(agreed[1].lateness.value().value, 1e-3, 1e-9);
  EXPECT_EQ(agreed[1].last, 1);
  // Rank 1 would come at 1,005 ms, when rank 0 has been through since 7 ms.
  const auto disagreed = late("1700000001000000000");
  EXPECT_FALSE(disagreed[0].lateness || disagreed[1].lateness || disagreed[1].last);
  EXPECT_TRUE(disagreed[1].overlap);
}

/// Where one file alone says since when its times are, nobody knows how the clocks compare; where none does,
/// times are since one begin.
TEST_F(Files, KinetoClocksOfWhichSomeSayNoBaseAreNotCompared) {
  const std::string unsaid = samples::kineto(1),
                    said = replaced(samples::kineto(0), "{\"schema", "{\"baseTimeNanoseconds\":17,\"schema");
  const auto mixed = open_source({file("a.json", said), file("b.json", unsaid)});
  EXPECT_FALSE(mixed->info().one_clock);
  EXPECT_EQ(mixed->info().notes.at(0),
            "1 of 2 files say since when their times are (baseTimeNanoseconds): all ranks begin together");
  EXPECT_TRUE(open_source({file("c.json", samples::kineto(0)), file("d.json", unsaid)})->info().one_clock);
}

/// 2^63 elements are no size of an allreduce, 10^30 us no duration of a kernel.
TEST_F(Files, ImpossibleSizesAndTimesAreUnknownAndCounted) {
  const auto huge = open("a.json", replaced(samples::kineto(0), R"("In msg nelems":1000000)",
                                            R"("In msg nelems":9223372036854775807)"));
  EXPECT_FALSE(all(*huge, 0, 1)[2].sized);
  EXPECT_EQ(all(*huge, 0, 1)[2].message, Bytes(0));
  EXPECT_EQ(huge->info().losses,
            (std::vector<Loss>{{"size", 1, "impossible (above 1 PiB): taken as unknown"}}));
  const auto endless =
      open("b.json", replaced(samples::kineto(0), R"("ts":2000,"dur":2000)", R"("ts":2000,"dur":1e30)"));
  EXPECT_NEAR(inspect(*endless).compute.value, 3e-3, 1e-12);  // 5 ms without the first kernel's 2
  EXPECT_EQ(endless->info().losses,
            (std::vector<Loss>{{"kernel", 1, "without a possible begin and duration, or damaged"}}));
  const auto log = open("log", replaced(samples::nccl_log, "count 1024", "count 9223372036854775807"));
  EXPECT_FALSE(all(*log, 0)[0].sized);
  EXPECT_TRUE(all(*log, 1)[0].sized);
}

/// An allreduce of 2 s, to which rank 0 comes at 0 and rank 1 at 3 s: rank 0 waits for 3 s. Beneath it rank 0
/// computes from 1 to 2 and, on another stream, from 1.5 to 4 s: 3 s overlap, whatever goes on twice.
TEST(Inspections, SayWhoCameLateAndWhoWaited) {
  RecordedSource source(2);
  for (Rank r = 0; r < 2; ++r) {
    Activity a = collective_activity(Collective::allreduce, 0, Bytes(8));
    a.begin = Seconds(3 * r), a.duration = Seconds(5 - 3 * r), a.time = Seconds(2);
    source.at(r) = {a};
  }
  source.info().one_clock = true;
  for (const auto& [stream, begin, end] : {std::tuple{1, 1.0, 2.0}, {2, 1.5, 4.0}}) {
    Activity a;
    a.kind = Kind::compute, a.begin = Seconds(begin), a.time = a.duration = Seconds(end - begin);
    source.at(0, stream) = {a};
  }
  const Inspection i = inspect(source);
  ASSERT_EQ(i.of_rank.size(), 2u);
  EXPECT_EQ(i.of_rank[0].overlap, Seconds(3));
  EXPECT_EQ(i.of_rank[0].lateness, Seconds(0));
  EXPECT_EQ(i.of_rank[0].last, 0);
  EXPECT_EQ(i.of_rank[1].lateness, Seconds(3));
  EXPECT_EQ(i.of_rank[1].last, 1);
  ASSERT_EQ(i.operations.size(), 1u);
  EXPECT_EQ(i.operations[0].waiting, Seconds(3));
  EXPECT_EQ(i.operations[0].total, Seconds(5 + 2));
}

/// The shortest of some ranks' durations may have waiting in it, and so has the mean of several calls.
TEST(Inspections, OfSomeRanksOrOfSumsDoNotSayWhoWaited) {
  RecordedSource source(3);
  for (Rank r = 0; r < 3; ++r) {
    Activity a = collective_activity(Collective::allreduce, 0, Bytes(8));
    a.duration = a.time = Seconds(2);
    source.at(r) = {a};
  }
  EXPECT_EQ(inspect(source).operations.at(0).waiting, Seconds(0));
  source.info().recorded_ranks = {0, 1};
  EXPECT_FALSE(inspect(source).operations.at(0).waiting);
  source.info().recorded_ranks = {};
  source.info().ordered = false;
  EXPECT_FALSE(inspect(source).operations.at(0).waiting);
}

TEST(Inspections, KeepThePairsOfMostBytes) {
  RecordedSource source(102);
  for (Rank from = 0; from < 102; ++from)
    for (Rank to = 0; to < 102; ++to) {
      Activity& a = source.at(from).emplace_back();
      a.kind = Kind::send;
      a.to = to, a.bytes = Bytes(from);
    }
  const Inspection i = inspect(source);
  ASSERT_EQ(i.pairs.size(), 10'000u);
  EXPECT_EQ(i.pairs[0].from, 101);
  EXPECT_EQ(i.more_pairs, 404);
}

}  // namespace
}  // namespace collcast

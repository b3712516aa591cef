// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "replay/formats/formats.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/replay/formats/binary_samples.hpp"
#include "tests/replay/formats/other_numbers.hpp"
#include "tests/replay/formats/samples.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;
using testing::all;

class Dumpi : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& content) {
    return samples::write(folder_ / name, content);
  }
  Folder folder_;
};

/// Rank `rank` of 2: 1 ms after its begin a message of 10 ints to or from the other, which takes 2 ms; an
/// all-to-all of other sizes for each.
std::string dumpi_text(int rank) {
  const std::string me = std::to_string(rank), other = std::to_string(1 - rank),
                    comm = "MPI_Comm comm=2 (MPI_COMM_WORLD)\n";
  auto call = [](const std::string& name, const std::string& arguments, int enter_us, int leave_us) {
    auto at = [](int us) {
      return " at walltime 1296777956." + std::to_string(1000000 + us).substr(1) +
             "000, cputime 0.1 seconds in thread 0.\n";
    };
    return name + " entering" + at(enter_us) + arguments + name + " returning" + at(leave_us);
  };
  return "version=1.0.0\n" + call("MPI_Init", "int argc=1\nstring argv[1]=[\"./mpi\"]\n", 0, 10) +
         call("MPI_Comm_rank", comm + "int rank=" + me + "\n", 10, 10) +
         call("MPI_Comm_size", comm + "int size=2\n", 10, 10) +
         call(rank == 0 ? "MPI_Isend" : "MPI_Irecv",
              "int count=10\nMPI_Datatype datatype=9 (MPI_INT)\nint " +
                  std::string(rank == 0 ? "dest=" : "source=") + other + "\nint tag=1337\n" + comm +
                  "MPI_Request request=[7]\n",
              1010, 1020) +
         call("MPI_Wait", "MPI_Request request=[7]\nMPI_Status status=<IGNORED>\n", 1020, 3010) +
         call("MPI_Alltoallv",
              "int sendcounts=[1, 2]\nMPI_Datatype sendtype=28 (user-defined-datatype)\nint recvcounts=[1, " +
                  std::string(rank == 0 ? "1" : "2") +
                  "]\nMPI_Datatype recvtype=28 (user-defined-datatype)\n" + comm,
              3010, 3020) +
         call("MPI_Bcast",
              "int count=1\nMPI_Datatype datatype=9 (MPI_INT)\nint root=0\nMPI_Comm comm=5 "
              "(user-defined-comm)\n",
              3020, 3030) +
         "MPI_Send called 0 times and ignored 3 times\nDatatype 28 (user-defined-datatype) has size 100\n";
}

TEST_F(Dumpi, TextsGiveCallsTimesAndSizes) {
  const auto source = open_source({file("a", dumpi_text(0)), file("b", dumpi_text(1))});
  EXPECT_EQ(source->info().format, "dumpi");
  ASSERT_EQ(source->ranks(), 2);
  EXPECT_NEAR(source->info().recorded.value, 3.02e-3, 1e-12);  // from the end of MPI_Init
  const auto calls = all(*source, 1);
  ASSERT_EQ(calls.size(), 5u);
  EXPECT_EQ(calls[0].kind, Kind::compute);
  EXPECT_NEAR(calls[0].time.value, 1e-3, 1e-12);
  EXPECT_EQ(calls[1].kind, Kind::receive);
  EXPECT_DOUBLE_EQ(calls[1].received_bytes.value, 40);
  EXPECT_EQ(calls[2].kind, Kind::wait);
  EXPECT_NEAR(calls[2].duration.value, 1.99e-3, 1e-12);
  EXPECT_EQ(calls[3].operation, "alltoall");
  EXPECT_DOUBLE_EQ(calls[3].message.value, 300);
  EXPECT_EQ(calls[4].note, "its communicator's members are not followed");
  EXPECT_EQ(source->info().losses,
            (std::vector<Loss>{{"call", 6, "left out by DUMPI when it was recorded"}}));
  const std::string twice = file("c", dumpi_text(0));
  EXPECT_NE(testing::complaint([&] {
              open_source({twice, file("d", dumpi_text(0))});
            }).find("two files claim rank 0"),
            std::string::npos);
}

TEST_F(Dumpi, RanksBeginAtTheEndOfTheirInitWhateverTheirClocks) {
  std::string late = dumpi_text(1);
  for (std::size_t at = 0; (at = late.find("1296777956.", at)) != std::string::npos; ++at)
    late.replace(at, 10, "1296778016");  // 60 s later
  const auto source = open_source({file("a", dumpi_text(0)), file("b", late)});
  EXPECT_NEAR(all(*source, 1)[0].time.value, 1e-3, 1e-12);
  EXPECT_NEAR(source->info().recorded.value, 3.02e-3, 1e-12);
  ASSERT_EQ(source->info().notes.size(), 1u);
  EXPECT_EQ(
      source->info().notes[0],
      "ranks leave MPI_Init up to 60.0 s apart by their clocks, which is not played: each begins there");
}

TEST_F(Dumpi, BinaryTracesAreTheSameSource) {
  const auto text = open_source({file("a", dumpi_text(0)), file("b", dumpi_text(1))});
  const auto binary =
      open_source({file("t-0.bin", samples::dumpi_binary(0)), file("t-1.bin", samples::dumpi_binary(1))});
  testing::expect_same(*text, *binary);
}

TEST_F(Dumpi, TheListOfFilesSaysHowManyRanksThereAre) {
  const std::string meta = file("t.meta", "hostname=a\nnumprocs=3\nfileprefix=t\n");
  EXPECT_EQ(open_source({meta, file("t-0.bin", samples::dumpi_binary(0))})->ranks(), 3);
  EXPECT_EQ(testing::complaint([&] { open_source({meta}); }),
            meta + ": lists the files of a DUMPI trace; name those of its ranks, PREFIX-0000.bin and on");
}

using samples::whole;

std::string ints(const std::vector<int>& all) {
  std::string text = whole(all.size(), 4, true);
  for (const int n : all) text += whole(static_cast<std::uint64_t>(n), 4, true);
  return text;
}
std::string letters(const std::string& word) {
  return whole(word.size(), 4, true) + word;
}
std::string handle(int n) {
  return whole(static_cast<std::uint64_t>(n), 2, true);
}
std::string number(int n) {
  return whole(static_cast<std::uint64_t>(n), 4, true);
}

/// Calls of which the length follows from their arguments alone, each before a barrier.
TEST_F(Dumpi, EveryFormOfAnArgumentIsRead) {
  const std::string barrier = samples::dumpi_call(52, 0, 0, handle(2));
  const std::vector<std::string> calls = {
      samples::dumpi_call(20, 0, 0,
                          number(2) + ints({5, 6}) + number(1) + ints({1}) + number(1) + std::string(14, 'x'),
                          0x4f),  // Waitsome, a status
      samples::dumpi_call(78, 0, 0,
                          handle(3) + number(2) + number(2) + ints({0, 3, 1}) + ints({4, 8, 2}) +
                              handle(4)),  // Group_range_incl
      samples::dumpi_call(
          99, 0, 0,
          handle(2) + number(2) + ints({2, 2}) + ints({0, 0}) + number(0) + handle(4)),  // Cart_create
      samples::dumpi_call(114, 0, 0, letters("node1") + number(5)),                      // Get_processor_name
      samples::dumpi_call(135, 0, 0,
                          number(1) + number(0) + handle(2) + handle(4)),  // Comm_spawn, not at the root
      samples::dumpi_call(135, 0, 0,
                          number(0) + number(0) + handle(2) + handle(4) + letters("a") + number(2) +
                              letters("b") + letters("c") + number(1) + handle(0) + ints({0})),
      samples::dumpi_call(
          40, 0, 0, number(1) + ints({1}) + ints({0}) + number(1) + handle(9) + handle(28)),  // Type_struct
      samples::dumpi_call(55, 0, 0,
                          number(1) + number(2) + number(1) + handle(9) + number(0) + handle(2) +
                              handle(9)),  // Gatherv, not at the root
      samples::dumpi_call(240, 0, 0,
                          handle(1) + whole(1, 8, true) + handle(9) + handle(9) + letters("native") +
                              handle(0)),                 // File_set_view
      samples::dumpi_call(291, 0, 0, whole(7, 8, true)),  // entry of a function that is not MPI's
      samples::dumpi_call(122, 0, 0, whole(1, 1, true) + std::string(16, 'c'), 0xc8),  // Wtime, one counter
  };
  for (const std::string& call : calls) {
    const auto source =
        open_source({file("t-0.bin", samples::dumpi_file(barrier + call + barrier, {1, 0, 0}))});
    int barriers = 0;
    for (const Activity& a : all(*source, 0)) barriers += a.operation == "barrier";
    EXPECT_EQ(barriers, 2);
  }
}

/// Of a stencil's rank at the edge: no message, and nothing to wait for.
TEST_F(Dumpi, WhatIsSentToNobodyIsNoMessage) {
  const std::string isend =
      samples::dumpi_call(8, 0, 0, number(1) + handle(9) + number(-2) + number(0) + handle(2) + number(7));
  const std::string wait = samples::dumpi_call(13, 0, 0, number(7)),
                    barrier = samples::dumpi_call(52, 0, 0, handle(2));
  const auto calls =
      all(*open_source({file("t-0.bin", samples::dumpi_file(isend + wait + barrier, {1, 0, 0}))}), 0);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].operation, "barrier");
}

/// Mistakes of DUMPI's first versions: statuses without tag, arguments' number written twice.
TEST_F(Dumpi, OlderVersionsAreReadAsTheyWrote) {
  const std::string barrier = samples::dumpi_call(52, 0, 0, handle(2));
  const std::string init = samples::dumpi_call(124, 0, 0, number(1) + number(1) + letters("./a"));
  const std::string recv = samples::dumpi_call(
      1, 0, 0, number(1) + handle(9) + number(0) + number(0) + handle(2) + number(1) + std::string(10, 'x'),
      0x4f);
  const auto source = open_source({file("t-0.bin", samples::dumpi_file(init + recv + barrier, {0, 6, 1}))});
  EXPECT_EQ(all(*source, 0).back().operation, "barrier");
}

TEST_F(Dumpi, DamagedTracesAreRefusedByOneLine) {
  const std::string good = samples::dumpi_binary(0), path = folder_ / "t-0.bin";
  const auto bad = [&](const std::string& content) {
    return testing::complaint([&] { open_source({file("t-0.bin", content)}); });
  };
  EXPECT_EQ(bad(good.substr(0, good.size() - 100)),
            path + ": a DUMPI trace that is cut short: the list of its parts, at its end, is not there");
  EXPECT_EQ(bad("\xff\xaa\xdd"
                "DUMPI"),
            path + ": a DUMPI trace that is cut short: the list of its parts, at its end, is not there");
  EXPECT_EQ(bad(samples::dumpi_file(handle(999), {1, 0, 0})),
            path + ": the DUMPI trace is damaged or cut short at byte 18");
  EXPECT_EQ(bad(samples::dumpi_file(samples::dumpi_call(20, 0, 0, number(2) + number(1 << 30)), {1, 0, 0})),
            path + ": the DUMPI trace is damaged or cut short at byte 53");
  EXPECT_EQ(bad(samples::dumpi_file("", {1, 0, 0})),
            path + ": a DUMPI trace without calls of which the end is there");
}

/// Rank `rank` of 2, clocks 50 s apart: 1 ms of computation, 10 ints to or from the other, an allreduce of 5
/// doubles on a communicator of both, a gather of unequal shares.
std::string allprof_text(int rank) {
  const std::string other = std::to_string(1 - rank), of = "," + std::to_string(rank) + ",2";
  const auto at = [rank](double us) { return std::to_string(5e7 * rank + 1e9 + us); };
  const std::string begun = rank == 0 ? "MPI_Isend" : "MPI_Irecv";
  return "# htor's PMPI Tracer 0.9 Output File\n# clockdiff: 50.000000 s (relative to rank 0)\n\n"
         "MPI_Init:-:140:141:" +
         at(0) + "\n" + begun + ":" + at(1000) + ":77:10:1,4,4:" + other + ":3:91" + of +
         ":8000:" + at(1010) + "\n" + begun + ":" + at(1010) + ":77:1:1,4,4:" + other + ":4:91" + of +
         ":8008:" + at(1020) + "\nMPI_Waitall:" + at(1020) + ":2:8000:9000:" + at(1500) +
         "\nMPI_Allreduce:" + at(1500) + ":5:6:5:11,8,8:3:92" + of + ":" + at(1600) +
         "\nMPI_Gatherv:" + at(1600) + ":5:" + std::to_string(rank + 1) +
         ":1,4,4:6:700:1,2:701:0,1:1,4,4:0:91" + of + ":" + at(1700) + "\nMPI_Waitany:" + at(1700) +
         ":1:8000:3:4:" + at(1710) + "\n# Finalize clockdiff: 50.0\nMPI_Finalize:" + at(1800) + ":-\n";
}

TEST_F(Dumpi, LiballprofsLinesAreCallsLikeItsOwn) {
  const auto source = open_source(
      {file("pmpi-trace-rank-0.txt", allprof_text(0)), file("pmpi-trace-rank-1.txt", allprof_text(1))});
  EXPECT_EQ(source->info().format, "liballprof");
  EXPECT_EQ(source->ranks(), 2);
  const auto zero = all(*source, 0), one = all(*source, 1);
  ASSERT_EQ(zero.size(), one.size());
  ASSERT_GE(zero.size(), 6u);
  EXPECT_EQ(zero[0].kind, Kind::compute);
  EXPECT_DOUBLE_EQ(zero[0].time.value, 1e-3);
  EXPECT_DOUBLE_EQ(one[0].time.value, 1e-3);  // not the 50 s between the clocks
  EXPECT_EQ(zero[1].kind, Kind::send);
  EXPECT_EQ(zero[1].bytes, Bytes(40));
  EXPECT_EQ(one[1].kind, Kind::receive);
  EXPECT_EQ(one[2].received_bytes, Bytes(4));
  EXPECT_EQ(zero[3].kind, Kind::wait);
  EXPECT_EQ(zero[3].requests.size(), 2u);
  EXPECT_EQ(zero[4].collective, Collective::allreduce);
  EXPECT_EQ(zero[4].communicator, 0);  // a communicator of both in their order
  EXPECT_EQ(zero[4].message, Bytes(40));
  EXPECT_EQ(zero[5].collective, Collective::gather);
  for (const Activity& gather : {zero[5], one[5]}) {  // the root's sizes are those of all
    EXPECT_TRUE(gather.sized);
    EXPECT_EQ(gather.message, Bytes(12));
    EXPECT_EQ(gather.counts->shares, (std::vector{Bytes(4), Bytes(8)}));
  }
  ASSERT_EQ(source->info().losses.size(), 1u);
  EXPECT_EQ(source->info().losses[0], (Loss{"wait or test", 2, "what was done is not recorded"}));
}

TEST_F(Dumpi, RanksThatEndBeforeOthersAreSaid) {
  const std::string whole = allprof_text(1);
  const auto source =
      open_source({file("pmpi-trace-rank-0.txt", allprof_text(0)),
                   file("pmpi-trace-rank-1.txt", whole.substr(0, whole.find("MPI_Waitany")))});
  EXPECT_TRUE(source->info().truncated);
  EXPECT_EQ(source->info().notes.back(),
            "rank 1 ends before MPI_Finalize, to which others come: its file is cut short");
}

TEST_F(Dumpi, OtherNumbersAreReadOrRefused) {
  testing::read_or_refuse_other_numbers({dumpi_text(0), allprof_text(1)});
}

TEST_F(Dumpi, LiballprofWithoutCountsOrWithDamage) {
  // As of MPICH's mpi.h, where counts are arrays: their addresses alone.
  const std::string bare = "MPI_Init:-:1:2:100\nMPI_Gatherv:200:5:1:1,4,4:6:700:701:1,4,4:0:91,0,1:300\n";
  const auto source = open_source({file("t-0.txt", bare)});
  EXPECT_FALSE(all(*source, 0).back().sized);
  const auto says = [&](const std::string& line) {
    return testing::complaint([&] { open_source({file("t-0.txt", "MPI_Init:-:1:2:100\n" + line + "\n")}); });
  };
  EXPECT_NE(says("MPI_Barrier:200:91,0,1").find("line 2: has no time where one belongs"), std::string::npos);
  EXPECT_NE(says("MPI_Send:200:5:300").find("line 2: MPI_Send has 1 arguments, not 6"), std::string::npos);
  EXPECT_NE(says("hello").find("line 2: is no call of liballprof"), std::string::npos);
  EXPECT_NE(says("MPI_Barrier:50:91,0,1:60").find("begins before the first call"), std::string::npos);
}

}  // namespace
}  // namespace collcast

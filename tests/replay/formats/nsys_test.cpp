// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "replay/formats/formats.hpp"
#include "replay/source/inspection.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"
#include "tests/mutated.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/replay/formats/samples.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;
using testing::all;

std::string write_sqlite(const std::string& path, const std::string& sql) {
  sqlite3* file = nullptr;
  char* error = nullptr;
  sqlite3_open(path.c_str(), &file);
  sqlite3_exec(file, sql.c_str(), nullptr, nullptr, &error);
  EXPECT_EQ(error, nullptr) << error;
  sqlite3_free(error);
  sqlite3_close(file);
  return path;
}

const std::string kernels =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES (1,'gemm'),(2,'ncclDevKernel_AllReduce_Sum_f32_RING_LL'),"
    "(3,'cudaLaunchKernel_v7000'),(4,'ncclAllReduce'),(5,'cudaStreamWaitEvent_v3020'),(6,'ncclCommInitRank');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,"
    " correlationId INTEGER, globalPid INTEGER, shortName INTEGER);";

/// One GPU of a process: gemm from 1 to 3 ms, an allreduce of 4 MB from 3 to 5 ms, which gemm from 5 to 6 ms
/// awaits; the size is in JSON, or in a blob.
std::string gpu(std::int64_t process, int rank, bool blob) {
  const std::string pid = std::to_string(process << 24), thread = std::to_string((process << 24) + 9);
  std::string sql = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000000,3000000,0,7,1," + pid +
                    ",1),(3000000,5000000,0,20,2," + pid + ",2),(5000000,6000000,0,7,3," + pid + ",1);";
  sql += "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (500000," + thread + ",1,3),(700000," + thread +
         ",2,3),(800000," + thread + ",99,5),(900000," + thread + ",3,3);";
  sql += "INSERT INTO NVTX_EVENTS (start,end,globalTid,text,textId,jsonText) VALUES (1,2," + thread +
         ",NULL,6,'{\"NCCL communicator ID\":77,\"No. of ranks\":2,\"Rank\":" + std::to_string(rank) +
         ",\"CUDA device\":0}'),(400000,6500000," + thread + ",'step 3',NULL,NULL);";
  const std::string head = "x'010000000000000005000001000000001000000000000000300000000000000";
  sql += "INSERT INTO NVTX_EVENTS (start,end,globalTid,textId,jsonText,binaryData) VALUES (690000,710000," +
         thread + ",4," +
         (blob ? "NULL," + head + "0" + "4d00000000000000" + "00093d0000000000'"
               : "'{\"NCCL communicator ID\":\"77\",\"Message size [bytes]\":\"4,000,000\"}',NULL") +
         ");";
  return sql;
}

std::string tables() {
  return kernels +
         "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, globalTid INTEGER, correlationId INTEGER,"
         " nameId INTEGER);"
         "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, text TEXT, textId INTEGER,"
         " jsonText TEXT, binaryData TEXT);"
         "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (schemaId INTEGER, type INTEGER, name TEXT, offset "
         "INTEGER);"
         "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (16777221,18,'NCCL communicator ID',NULL),"
         "(16777221,22,'Message size [bytes]',8);";
}
std::string two_gpus() {
  return tables() + gpu(5, 1, false) + gpu(6, 0, true);
}

/// A process of two GPUs: in one group it lets both add up 4 MB, from 3 to 5 ms.
std::string one_process() {
  const std::string pid = std::to_string(5 << 24), thread = std::to_string((5 << 24) + 9);
  std::string sql = tables() + "INSERT INTO StringIds VALUES (7,'ncclGroupStart'),(8,'ncclGroupEnd');";
  const auto range = [&](int begin, int end, int name, const std::string& json) {
    sql += "INSERT INTO NVTX_EVENTS (start,end,globalTid,textId,jsonText) VALUES (" + std::to_string(begin) +
           "," + std::to_string(end) + "," + thread + "," + std::to_string(name) + ",'" + json + "');";
  };
  range(100000, 100010, 7, "");
  for (const int g : {0, 1}) {
    const std::string gpu = std::to_string(g);
    range(1 + g, 2 + g, 6,
          R"({"NCCL communicator ID":77,"No. of ranks":2,"Rank":)" + gpu + R"(,"CUDA device":)" + gpu + "}");
    range(100020 + 10 * g, 100025 + 10 * g, 4,
          R"({"NCCL communicator ID":77,"Message size [bytes]":4000000})");
    sql += "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (3000000,5000000," + gpu + ",20,1" + gpu + "," +
           pid + ",2);";
    sql += "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10005" + gpu + "," + thread + ",1" + gpu + ",3);";
  }
  range(100045, 100060, 8, "");
  return sql;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Nsys, GpusAreRanksWithStreamsAndNcclsPayloads) {
  const Folder folder;
  const std::string path = write_sqlite(folder / "a?b.sqlite", two_gpus());
  const auto source = open_source({path});
  EXPECT_EQ(source->info().format, "nsys");
  ASSERT_EQ(source->ranks(), 2);
  for (const Rank r : {0, 1}) {
    ASSERT_EQ(source->streams(r), 2);
    const auto comm = all(*source, r, 1);
    const auto allreduce = std::ranges::find(comm, Kind::collective, &Activity::kind);
    ASSERT_NE(allreduce, comm.end());
    EXPECT_EQ(allreduce->operation, "allreduce");
    EXPECT_TRUE(allreduce->sized);
    EXPECT_DOUBLE_EQ(allreduce->message.value, 4e6);
    EXPECT_NEAR(allreduce->duration.value, 2e-3, 1e-12);
    const auto compute = all(*source, r, 0);
    // From 0.4 ms, where the step begins: 0.6 ms without a kernel, 2 ms, 1 ms after the allreduce, 0.5 ms.
    EXPECT_NEAR(compute[0].time.value, 0.6e-3, 1e-12);
    EXPECT_EQ(std::ranges::count(compute, Kind::await, &Activity::kind), 2);
    EXPECT_NEAR(compute.back().time.value, 0.5e-3, 1e-12);
  }
  EXPECT_TRUE(source->info().notes.empty());
  EXPECT_NO_THROW(open_source({path}, {3, 3}));
  EXPECT_EQ(testing::complaint([&] {
              open_source({path}, {4, 5});
            }),
            path + ": has steps 3 to 3; --steps asks for 4-5");
}

/// Before NCCL 2.23 a broadcast's size is "Bytes", and no payload names the communicator.
TEST(Nsys, BroadcastsHaveBytesAndARoot) {
  const Folder folder;
  std::string sql = two_gpus() +
                    "UPDATE StringIds SET value = 'ncclDevKernel_Broadcast_RING_LL' WHERE id = 2;"
                    "UPDATE StringIds SET value = 'ncclBroadcast' WHERE id = 4;"
                    "UPDATE NVTX_EVENTS SET binaryData = NULL,"
                    " jsonText = '{\"Bytes\":1000,\"Root\":1}' WHERE textId = 4;";
  const auto source = open_source({write_sqlite(folder / "b.sqlite", sql)});
  const auto comm = all(*source, 0, 1);
  const auto broadcast = std::ranges::find(comm, Kind::collective, &Activity::kind);
  ASSERT_NE(broadcast, comm.end());
  EXPECT_DOUBLE_EQ(broadcast->message.value, 1000);
  EXPECT_EQ(broadcast->root, 1);
}

TEST(Nsys, AGroupOverTheGpusOfAProcessIsOneCallOfEach) {
  const Folder folder;
  const auto source = open_source({write_sqlite(folder / "a", one_process())});
  ASSERT_EQ(source->ranks(), 2);
  for (const Rank r : {0, 1}) {
    std::vector<Activity> calls = all(*source, r);
    std::erase_if(calls, [](const Activity& a) { return a.kind != Kind::collective; });
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_TRUE(calls[0].sized);
    EXPECT_DOUBLE_EQ(calls[0].message.value, 4e6);
    EXPECT_EQ(calls[0].collective, Collective::allreduce);
  }
}

std::string nvtx(int process, int at, const std::string& name, const std::string& fields) {
  const std::string thread = std::to_string((process << 24) + 9);
  return "INSERT INTO NVTX_EVENTS (start,end,globalTid,text,jsonText) VALUES (" + std::to_string(at) + "," +
         std::to_string(at + 10) + "," + thread + ",'" + name + "','{" + fields + "}');";
}

/// A payload about a communicator of so many ranks, of which this is one.
std::string made(int id, int ranks, int rank, const std::string& more = "") {
  return R"("NCCL communicator ID":)" + std::to_string(id) + R"(,"No. of ranks":)" + std::to_string(ranks) +
         R"(,"Rank":)" + std::to_string(rank) + more;
}

/// A GPU of a process, which gathers 1000 B of each rank of a communicator.
std::string gathers(int process, int id) {
  const std::string pid = std::to_string(process << 24), thread = std::to_string((process << 24) + 9);
  return "INSERT OR IGNORE INTO StringIds VALUES (9,'ncclDevKernel_AllGather_RING_LL');"
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (3000000,5000000,0,20,1," +
         pid + ",9);INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (500005," + thread + ",1,3);" +
         nvtx(process, 500000, "ncclAllGather",
              R"("NCCL communicator ID":)" + std::to_string(id) + R"(,"Message size [bytes]":1000)");
}

using NcclGroups = std::vector<std::vector<Rank>>;

Activity first_call(const Source& source, Rank rank) {
  const auto calls = all(source, rank);
  const auto call = std::ranges::find(calls, Kind::collective, &Activity::kind);
  return call == calls.end() ? Activity() : *call;
}

/// Those of the parent, as NCCL 2.28 does, or their own; keys turn the order round.
TEST(Nsys, SplitsSayTheirSizeAndRankOrThoseOfTheParent) {
  const Folder folder;
  for (const bool parents : {false, true}) {
    std::string sql = tables();
    for (int r = 0; r < 4; ++r) {
      const std::string split =
          R"(,"Parent NCCL communicator ID":77,"Color":0,"Key":)" + std::to_string(9 - r);
      sql += gathers(5 + r, 88 + r / 2) + nvtx(5 + r, 10, "ncclCommInitRankConfig", made(77, 4, r));
      sql += nvtx(5 + r, 30, "ncclCommSplit",
                  parents ? made(88 + r / 2, 4, r, split) : made(88 + r / 2, 2, 1 - r % 2, split));
    }
    const auto source = open_source({write_sqlite(folder / std::to_string(parents), sql)});
    EXPECT_EQ(source->communicators(), (NcclGroups{{0, 1, 2, 3}, {1, 0}, {3, 2}}));
    EXPECT_DOUBLE_EQ(first_call(*source, 2).message.value, 2000);
    EXPECT_TRUE(source->info().notes.empty());
  }
}

TEST(Nsys, CommunicatorsMadeBeforeTheTraceAreThoseWhoCallThem) {
  const Folder folder;
  std::string sql = tables();
  for (int r = 0; r < 4; ++r) sql += gathers(5 + r, 88 + r / 2);
  sql += "INSERT INTO StringIds VALUES (10,'ncclDevKernel_SendRecv');";
  for (const auto& [process, name] : {std::pair(7, "ncclSend"), std::pair(8, "ncclRecv")}) {
    const std::string pid = std::to_string(process << 24), thread = std::to_string((process << 24) + 9);
    sql += "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (6000000,7000000,0,20,2," + pid +
           ",10);INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (600005," + thread + ",2,3);" +
           nvtx(process, 600000, name,
                R"("NCCL communicator ID":89,"Message size [bytes]":50,"Peer rank":)" +
                    std::to_string(8 - process));
  }
  const auto source = open_source({write_sqlite(folder / "a", sql)});
  EXPECT_EQ(source->communicators(), (NcclGroups{{0, 1, 2, 3}, {0, 1}, {2, 3}}));
  EXPECT_DOUBLE_EQ(first_call(*source, 0).message.value, 2000);
  const auto calls = all(*source, 2);
  const auto send = std::ranges::find(calls, Kind::send, &Activity::kind);
  ASSERT_NE(send, calls.end());
  EXPECT_EQ(send->communicator, 2);
  EXPECT_EQ(send->to, 1);
  EXPECT_EQ(
      source->info().notes.at(1),
      "groups of unknown size, of which the trace has no members, are taken for the ranks that call them");
  EXPECT_EQ(source->info().unknown.back(), "members of groups that the trace does not list");
}

TEST(Nsys, OneRankSaysTheSizesOfItsCommunicators) {
  const Folder folder;
  const auto one = [&](int world, int rank, int own, int called = 88) {
    return open_source(
        {write_sqlite(folder / std::to_string(world + 10 * rank + 1000 * called),
                      tables() + gathers(5, called) + nvtx(5, 10, "ncclCommInitRank", made(77, world, rank)) +
                          nvtx(5, 30, "ncclCommGrow", made(88, 2, own)))});
  };
  const auto near = one(4, 0, 0);
  EXPECT_EQ(near->communicators(), (NcclGroups{{0, 1, 2, 3}, {0, 1}}));
  EXPECT_DOUBLE_EQ(first_call(*near, 0).message.value, 2000);
  EXPECT_EQ(near->info().notes.at(0),
            "groups of 2 ranks, of which the trace has no members, are taken for consecutive ranks");
  const auto apart = one(8, 4, 1);
  EXPECT_EQ(apart->communicators().back(), (std::vector<Rank>{0, 4}));
  EXPECT_EQ(apart->info().notes.at(0),
            "groups of 2 ranks, of which the trace has no members, are taken for ranks of equal distance");
  const auto unknown = one(4, 3, 1, 99);
  EXPECT_EQ(unknown->communicators().size(), 1u);
  EXPECT_EQ(unknown->info().notes.at(0),
            "groups of unknown size, of which the trace has no members, are taken for all ranks");
}

TEST(Nsys, GpusThatHaveNothingToDoWithNcclAreLeftOut) {
  const Folder folder;
  std::string sql = tables();
  for (int r = 0; r < 2; ++r)
    sql += gathers(5 + r, 77) + nvtx(5 + r, 10, "ncclCommInitRank", made(77, 2, 1 - r));
  sql += "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,2,0,7,1," + std::to_string(4 << 24) + ",1);";
  const auto source = open_source({write_sqlite(folder / "a", sql)});
  EXPECT_EQ(source->ranks(), 2);
  EXPECT_DOUBLE_EQ(first_call(*source, 0).message.value, 2000);
  EXPECT_EQ(source->info().notes,
            (std::vector<std::string>{"1 GPU without a communicator of NCCL, which others make, left out"}));
}

TEST(Nsys, WhatTheProfilerLostIsCounted) {
  const Folder folder;
  const auto source = open_source({write_sqlite(
      folder / "a", two_gpus() +
                        "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT);"
                        "INSERT INTO DIAGNOSTIC_EVENT VALUES (1,3,'Not all CUDA events might have been "
                        "collected. 12 events were lost'),(1,1,'Profiling has started.'),(2,3,'Not all NVTX "
                        "events might have been collected.');")});
  EXPECT_EQ(source->info().losses, (std::vector<Loss>{{"event", 13, "lost by the profiler, as it says"}}));
}

TEST(Nsys, AFileTwiceIsRefused) {
  const Folder folder;
  const std::string a = write_sqlite(folder / "a", two_gpus()), b = write_sqlite(folder / "b", two_gpus());
  EXPECT_EQ(testing::complaint([&] {
              open_source({a, b});
            }),
            "two files claim GPU 0 of process 5: " + a + " and " + b);
}

TEST(Nsys, TablesThatAreMissingAreSaid) {
  const Folder folder;
  const std::string bare = write_sqlite(
      folder / "bare",
      kernels + "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0,9,0,1,1,0,1),(9,20,0,1,2,0,2);");
  const auto source = open_source({bare});
  EXPECT_EQ(all(*source, 0)[1].kind, Kind::collective);
  EXPECT_FALSE(all(*source, 0)[1].sized);
  EXPECT_NE(source->info().notes.at(0).find("1 communication kernels have no size"), std::string::npos);
  const std::string other = write_sqlite(folder / "other", "CREATE TABLE points (x INTEGER);");
  EXPECT_NE(testing::complaint([&] { open_source({other}); }).find("without the tables of nsys"),
            std::string::npos);
  const std::string none = write_sqlite(folder / "none", kernels);
  EXPECT_EQ(testing::complaint([&] { open_source({none}); }),
            none + ": has no kernels of a GPU; profile with --trace=cuda,nvtx");
  const std::string mpi =
      "CREATE TABLE MPI_P2P_EVENTS (start INTEGER, end INTEGER); INSERT INTO MPI_P2P_EVENTS VALUES "
      "(1000000000,3000000000),(4000000000,4500000000);";
  const std::string without = write_sqlite(folder / "mpi", kernels + mpi);
  EXPECT_EQ(
      testing::complaint([&] { open_source({without}); }),
      without + ": has no kernels of a GPU; profile with --trace=cuda,nvtx (its calls of MPI are not read)");
  const auto beside = open_source({write_sqlite(folder / "beside", two_gpus() + mpi)});
  EXPECT_EQ(beside->info().losses.at(0).operation, "MPI call");
  EXPECT_EQ(beside->info().losses.at(0).count, 2);
  EXPECT_DOUBLE_EQ(beside->info().losses.at(0).time_s, 2.5);
  const std::string cut = samples::write(folder / "cut", bytes_of(bare).substr(0, 5000));
  EXPECT_NE(testing::complaint([&] { open_source({cut}); }).find("the SQLite file is damaged: "),
            std::string::npos);
}

/// Rows that SQLite does not take as well, are left out.
TEST(Nsys, OtherNumbersAreReadOrRefused) {
  const Folder folder;
  std::mt19937 random(76);
  for (int i = 0; i < testing::all_or_one_in(4, 100); ++i) {
    const std::string path = folder / std::to_string(i);
    sqlite3* file = nullptr;
    sqlite3_open(path.c_str(), &file);
    sqlite3_exec(file, ("PRAGMA synchronous=OFF;" + tables()).c_str(), nullptr, nullptr, nullptr);
    for (const std::string& rows : {gpu(5, 1, false), gpu(6, 0, true)})
      sqlite3_exec(file, misnumbered(rows, random).c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(file);
    testing::complaint([&] { inspect(*open_source({path})); });
  }
}

TEST(Nsys, MutatedFilesAreReadOrRefused) {
  const Folder folder;
  const std::string good = bytes_of(write_sqlite(folder / "good", "PRAGMA page_size=512;" + two_gpus()));
  std::mt19937 random(75);
  for (int i = 0; i < 200; ++i) {
    const std::string path =
        samples::write(folder / "t", mutated(good, std::string("\0\1\2\x7f\x80\xff", 6) + "nccl09", random));
    testing::complaint([&] { inspect(*open_source({path})); });
  }
}

}  // namespace
}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
// Archives that libotf2 writes.
#include <gtest/gtest.h>
#include <otf2/otf2.h>

#include <array>
#include <cstdarg>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

#include "replay/formats/formats.hpp"
#include "replay/formats/tar.hpp"
#include "replay/source/inspection.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"
#include "tests/mutated.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/replay/formats/samples.hpp"
#include "tests/sanitized.hpp"
#include "tests/shared_data.hpp"

/// libotf2 leaves memory behind where an archive does not open.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libopen-trace-format2";
}

namespace collcast {
namespace {

using Kind = Activity::Kind;
using testing::all;

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

/// Regions of the archive, and their strings.
constexpr std::array<std::pair<const char*, bool>, 7> regions = {{{"main", false},
                                                                  {"MPI_Isend", true},
                                                                  {"MPI_Irecv", true},
                                                                  {"MPI_Waitall", true},
                                                                  {"MPI_Sendrecv", true},
                                                                  {"MPI_Allreduce", true},
                                                                  {"MPI_Put", true}}};
enum Region : OTF2_RegionRef { in_main, in_isend, in_irecv, in_waitall, in_sendrecv, in_allreduce, in_put };

/// Numbers as they are given, or one in `every` senseless.
class Numbers {
 public:
  std::uint32_t every = 0;
  std::mt19937 random{20261128};

  template <class T>
  T operator()(T number) {
    constexpr std::uint64_t odd[] = {
        0, 1, 2, 3, 1u << 31, UINT32_MAX - 1, UINT32_MAX, 1ull << 40, 1ull << 63, UINT64_MAX - 1, UINT64_MAX};
    return every > 0 && random() % every == 0 ? static_cast<T>(odd[random() % std::size(odd)]) : number;
  }
} numbers;

/// Two ranks on locations 10 and 20, a clock of 1 MHz that begins at 100; rank 0 of communicator 1 is rank 1.
void write_definitions(OTF2_Archive* archive) {
  OTF2_GlobalDefWriter* const w = OTF2_Archive_GetGlobalDefWriter(archive);
  OTF2_GlobalDefWriter_WriteClockProperties(w, numbers(1'000'000ul), numbers(100ul), 1000,
                                            OTF2_UNDEFINED_TIMESTAMP);
  for (std::uint32_t i = 0; i < regions.size(); ++i) {
    OTF2_GlobalDefWriter_WriteString(w, i, regions[i].first);
    OTF2_GlobalDefWriter_WriteRegion(w, i, numbers(i), i, 0, OTF2_REGION_ROLE_UNKNOWN,
                                     regions[i].second ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER,
                                     OTF2_REGION_FLAG_NONE, 0, 0, 0);
  }
  OTF2_GlobalDefWriter_WriteString(w, 99, "");
  OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 0, 99, 99, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (const std::uint64_t rank : {0, 1}) {
    OTF2_GlobalDefWriter_WriteLocationGroup(w, static_cast<std::uint32_t>(rank), 99,
                                            OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation(w, 10 * (rank + 1), 99, OTF2_LOCATION_TYPE_CPU_THREAD, 0,
                                       static_cast<std::uint32_t>(rank));
  }
  OTF2_GlobalDefWriter_WriteLocation(w, 30, 99, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 1);  // another thread
  const std::uint64_t locations[] = {numbers(10ul), numbers(20ul)}, world[] = {numbers(0ul), numbers(1ul)},
                      reversed[] = {numbers(1ul), numbers(0ul)};
  OTF2_GlobalDefWriter_WriteGroup(w, 0, 99, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, 2, locations);
  OTF2_GlobalDefWriter_WriteGroup(w, 1, 99, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, 2, world);
  OTF2_GlobalDefWriter_WriteGroup(w, 2, 99, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, 2, reversed);
  OTF2_GlobalDefWriter_WriteComm(w, 0, 99, numbers(1u), OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
  OTF2_GlobalDefWriter_WriteComm(w, 1, 99, numbers(2u), numbers(0u), OTF2_COMM_FLAG_NONE);
  OTF2_Archive_CloseGlobalDefWriter(archive, w);
}

/// Calls of 10 us each.
class Calls {
 public:
  Calls(OTF2_Archive* archive, std::uint32_t rank)
      : archive_(archive), writer_(OTF2_Archive_GetEvtWriter(archive, 10 * (rank + 1))) {}
  ~Calls() { OTF2_Archive_CloseEvtWriter(archive_, writer_); }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  OTF2_EvtWriter* writer() const { return writer_; }
  void call(OTF2_RegionRef region, auto&& inside) {
    OTF2_EvtWriter_Enter(writer_, nullptr, numbers(now), numbers(region));
    inside(now + 5);
    OTF2_EvtWriter_Leave(writer_, nullptr, numbers(now + 10), numbers(region));
    now += 10;
  }
  std::uint64_t now = 100;

 private:
  OTF2_Archive* archive_;
  OTF2_EvtWriter* writer_;
};

/// An exchange whose receive is asked for there and waited for later.
void write_late_receive(OTF2_Archive* archive, std::uint32_t rank) {
  Calls calls(archive, rank);
  OTF2_EvtWriter* const w = calls.writer();
  calls.call(in_sendrecv, [&](auto t) {
    OTF2_EvtWriter_MpiSend(w, nullptr, t, 1 - rank, 0, 4, 8);
    OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, t + 1, 9);
  });
  calls.call(in_waitall, [&](auto t) { OTF2_EvtWriter_MpiIrecv(w, nullptr, t, 1 - rank, 0, 4, 8, 9); });
}

/// 5 us in main, then, 10 us each: to rank 1 a message of 40 B while one of 80 B comes from it; both awaited;
/// an exchange of 8 B in the reversed communicator; an allreduce of 24 B; an MPI_Put.
void write_events(OTF2_Archive* archive, std::uint32_t rank) {
  Calls calls(archive, rank);
  OTF2_EvtWriter* const w = calls.writer();
  OTF2_EvtWriter_Enter(w, nullptr, calls.now, in_main);
  calls.now += 5;
  calls.call(in_irecv, [&](auto t) { OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, t, numbers(7ul)); });
  calls.call(in_isend, [&](auto t) {
    OTF2_EvtWriter_MpiIsend(w, nullptr, t, numbers(1 - rank), numbers(0u), numbers(3u),
                            numbers(rank == 0 ? 40ul : 80ul), numbers(8ul));
  });
  calls.call(in_waitall, [&](auto t) {
    OTF2_EvtWriter_MpiIrecv(w, nullptr, t, numbers(1 - rank), numbers(0u), numbers(3u),
                            numbers(rank == 0 ? 80ul : 40ul), numbers(7ul));
    OTF2_EvtWriter_MpiIsendComplete(w, nullptr, t + 1, numbers(8ul));
  });
  calls.call(in_sendrecv, [&](auto t) {
    OTF2_EvtWriter_MpiSend(w, nullptr, t, numbers(rank), numbers(1u), numbers(4u), numbers(8ul));
    OTF2_EvtWriter_MpiRecv(w, nullptr, t + 1, numbers(rank), numbers(1u), numbers(4u), numbers(8ul));
  });
  calls.call(in_allreduce, [&](auto t) {
    OTF2_EvtWriter_MpiCollectiveBegin(w, nullptr, t);
    OTF2_EvtWriter_MpiCollectiveEnd(
        w, nullptr, t + 1, numbers(OTF2_CollectiveOp{OTF2_COLLECTIVE_OP_ALLREDUCE}), numbers(0u),
        numbers(std::uint32_t{OTF2_COLLECTIVE_ROOT_NONE}), numbers(48ul), numbers(48ul));
  });
  calls.call(in_put, [](auto) {});
  OTF2_EvtWriter_Leave(w, nullptr, calls.now, in_main);
}

class Otf2 : public ::testing::Test {
 protected:
  explicit Otf2(void (*events)(OTF2_Archive*, std::uint32_t) = write_events) { write(events); }
  void write(void (*events)(OTF2_Archive*, std::uint32_t)) const {
    OTF2_FlushCallbacks callbacks{};
    callbacks.otf2_pre_flush = flush;
    OTF2_Archive* const archive = OTF2_Archive_Open(folder_.path().c_str(), "a", OTF2_FILEMODE_WRITE, 1 << 20,
                                                    4 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    OTF2_Archive_SetFlushCallbacks(archive, &callbacks, nullptr);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    for (const std::uint32_t rank : {0u, 1u}) events(archive, rank);
    OTF2_Archive_CloseEvtFiles(archive);
    OTF2_Archive_OpenDefFiles(archive);
    for (const OTF2_LocationRef l : {10, 20})
      OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, l));
    OTF2_Archive_CloseDefFiles(archive);
    write_definitions(archive);
    OTF2_Archive_Close(archive);
  }
  static std::string content(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  Folder folder_;
  std::string anchor_ = folder_ / "a.otf2";
};

TEST_F(Otf2, ArchivesGiveCallsOfEachRank) {
  const auto source = open_source({anchor_});
  EXPECT_EQ(source->info().format, "otf2");
  ASSERT_EQ(source->ranks(), 2);
  EXPECT_DOUBLE_EQ(source->info().recorded.value, 65e-6);
  EXPECT_EQ(source->communicators(), (std::vector<std::vector<Rank>>{{0, 1}, {1, 0}}));
  EXPECT_EQ(source->info().notes,
            (std::vector<std::string>{"1 locations of other threads and of devices are not read"}));
  for (const Rank r : {0, 1}) {
    const auto calls = all(*source, r);
    ASSERT_EQ(calls.size(), 7u);
    EXPECT_EQ(calls[0].kind, Kind::compute);
    EXPECT_NEAR(calls[0].time.value, 5e-6, 1e-15);
    EXPECT_EQ(calls[1].kind, Kind::receive);
    EXPECT_EQ(calls[1].from, 1 - r);
    EXPECT_EQ(calls[1].received_tag, 3);
    EXPECT_DOUBLE_EQ(calls[1].received_bytes.value, r == 0 ? 80 : 40);
    EXPECT_NEAR(calls[1].begin.value, 5e-6, 1e-15);
    EXPECT_NEAR(calls[1].duration.value, 10e-6, 1e-15);
    EXPECT_EQ(calls[2].kind, Kind::send);
    EXPECT_DOUBLE_EQ(calls[2].bytes.value, r == 0 ? 40 : 80);
    EXPECT_EQ(calls[3].kind, Kind::wait);
    EXPECT_EQ(calls[3].requests, (std::vector<std::int64_t>{calls[1].request, calls[2].request}));
    EXPECT_EQ(calls[4].kind, Kind::exchange);
    EXPECT_EQ(calls[4].communicator, 1);
    EXPECT_EQ(calls[4].to, r);
    EXPECT_EQ(calls[5].operation, "allreduce");
    EXPECT_DOUBLE_EQ(calls[5].message.value, 24);
    EXPECT_EQ(calls[6].call, "MPI_Put");
    EXPECT_EQ(calls[6].note, "is a call that is not played");
  }
}

class Otf2LateReceive : public Otf2 {
 protected:
  Otf2LateReceive() : Otf2(write_late_receive) {}
};

/// Who sends it is known later: until then it stays where it was asked for.
TEST_F(Otf2LateReceive, IsNoExchange) {
  const auto source = open_source({anchor_});
  for (const Rank r : {0, 1}) {
    const auto calls = all(*source, r);
    ASSERT_EQ(calls.size(), 3u);
    EXPECT_EQ(calls[0].kind, Kind::send);
    EXPECT_EQ(calls[1].kind, Kind::receive);
    EXPECT_EQ(calls[1].call, "MPI_Sendrecv");
    EXPECT_EQ(calls[1].from, 1 - r);
    EXPECT_EQ(calls[2].kind, Kind::wait);
    EXPECT_EQ(calls[2].requests, (std::vector<std::int64_t>{calls[1].request}));
  }
}

TEST_F(Otf2, MissingAndDamagedFilesAreRefusedByOneLine) {
  const auto complaint = [&] { return testing::complaint([&] { open_source({anchor_}); }); };
  const std::string begin =
      anchor_ + ": the OTF2 archive is damaged, or not all of its files are beside it: ";
  const std::string events = folder_ / "a/20.evt", good = content(events), good_anchor = content(anchor_);
  samples::write(events, good);
  EXPECT_EQ(complaint(), "");
  for (const std::size_t left : {std::size_t{0}, std::size_t{30}, good.size() - 1}) {
    samples::write(events, good.substr(0, left));
    EXPECT_EQ(complaint(), begin + events + " is cut short");
  }
  samples::write(events, good);
  std::string anchor = content(anchor_);
  anchor[anchor.find("\0\0\0\0", 46, 4) + 3] =
      '\x80';  // machine, creator and description are not given: 2^31 properties
  samples::write(anchor_, anchor);
  EXPECT_EQ(complaint(),
            anchor_ + ": the OTF2 archive is damaged: its anchor has not the properties that it says");
  samples::write(anchor_, good_anchor);
  std::filesystem::remove(folder_ / "a.def");
  EXPECT_TRUE(complaint().starts_with(begin)) << complaint();
  EXPECT_EQ(testing::complaint([&] {
              open_source({anchor_, folder_ / "a/../a.otf2"});
            }),
            folder_ / "a/../a.otf2" +
                std::string(": an OTF2 archive has all ranks behind its anchor file; ") + anchor_ +
                " is one already");
}

/// Whatever stands in its files: read, or one InputError.
TEST_F(Otf2, MutatedArchivesAreReadOrRefused) {
  std::mt19937 random(20261123);
  for (const std::string name : {"a.otf2", "a.def", "a/10.evt", "a/20.def"}) {
    const std::string path = folder_ / name, good = content(path);
    for (int i = 0; i < 25; ++i) {
      samples::write(path, mutated(good, std::string("\0\1\2\x0c\x0e\x12\x7f\x80\xff", 9), random));
      const std::string line = testing::complaint([&] { inspect(*open_source({anchor_})); });
      EXPECT_EQ(line.find('\n'), std::string::npos);
    }
    samples::write(path, good);
  }
}

/// Whatever the numbers in it, which libotf2 takes: read and scaled, or one line.
TEST_F(Otf2, OtherNumbersAreReadOrRefused) {
  const OTF2_ErrorCallback before =
      OTF2_Error_RegisterCallback([](void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                                     const char*, va_list) { return code; },
                                  nullptr);
  for (int i = 0; i < testing::all_or_one_in(4, 100); ++i) {
    for (const char* name : {"a", "a.otf2", "a.def"}) std::filesystem::remove_all(folder_ / name);
    numbers.every = 4u << (i % 4);
    write(write_events);
    numbers.every = 0;
    for (const Rank ranks : {0, 64}) {
      const std::string line =
          testing::complaint([&] { inspect(open_trace({anchor_}, {}, ranks).source()); });
      EXPECT_EQ(line.find('\n'), std::string::npos) << line;
      EXPECT_TRUE(line.empty() || line.find(anchor_) != std::string::npos) << line;
    }
  }
  OTF2_Error_RegisterCallback(before, nullptr);
}

/// Of Score-P: ping-pong of 16 KiB to 2 MiB, 8 messages each way.
TEST(Published, Otf2ArchivesOfPingPong) {
  for (const auto* name : {"ping-pong-otf2", "ping-pong-otf2-papi"}) {
    const auto packed = shared_data("traces/more/otf2/pipit_" + std::string(name) + ".tar.gz");
    if (!std::filesystem::exists(packed)) GTEST_SKIP() << packed << " is not there (COLLCAST_DATA names it)";
    const Folder folder;
    std::filesystem::create_directory(folder / "traces");
    for (Tar tar(packed.string()); tar.next();)
      samples::write(folder / (tar.name().starts_with("traces.") ? "" : "traces/") + tar.name(),
                     tar.text(1 << 20));
    const auto source = open_source({folder / "traces.otf2"});
    EXPECT_EQ(source->ranks(), 2);
    const Inspection i = inspect(*source);
    std::int64_t sends = 0;
    for (const auto& o : i.operations) sends += o.name == "send" ? o.count : 0;
    EXPECT_EQ(sends, 16);
    ASSERT_EQ(i.pairs.size(), 2u);
    EXPECT_DOUBLE_EQ(i.pairs[0].bytes.value, (4 << 20) - (1 << 14));
  }
}

}  // namespace
}  // namespace collcast

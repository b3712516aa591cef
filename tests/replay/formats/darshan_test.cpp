// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "replay/formats/formats.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/replay/formats/binary_samples.hpp"
#include "tests/replay/formats/samples.hpp"

#ifdef COLLCAST_BZIP2
#include <bzlib.h>
#endif

namespace collcast {
namespace {

using samples::darshan_versions;
using testing::all;

class Darshan : public ::testing::Test {
 protected:
  std::unique_ptr<Source> open(const std::string& content) {
    return open_source({samples::write(path_, content)});
  }
  std::string refusal(const std::string& content) {
    const std::string line = testing::complaint([&] { open(content); });
    return line.starts_with(path_ + ": ") ? line.substr(path_.size() + 2) : line;
  }
  Folder folder_;
  std::string path_ = folder_ / "a.darshan";
};

std::string unpacked(std::string_view text) {
  return std::string(text);
}

/// What samples::darshan says.
void expect_sample(const Source& source, bool messages) {
  EXPECT_EQ(source.info().format, "darshan");
  EXPECT_FALSE(source.info().ordered);
  EXPECT_EQ(source.ranks(), 2);
  ASSERT_EQ(source.info().recorded_ranks, (std::vector<Rank>{0, 1}));
  EXPECT_EQ(source.info().notes[0], "job 42: ./ior -a");
  const bool says = source.info().unknown.back().starts_with("messages and collectives: the log has none");
  EXPECT_EQ(says, !messages);
  std::map<std::string_view, Activity> of_0, of_1;
  for (const Activity& a : all(source, 0)) of_0[a.operation] = a;
  for (const Activity& a : all(source, 1)) of_1[a.operation] = a;
  EXPECT_EQ(of_0.size(), messages ? 2u : 1u);
  EXPECT_EQ(of_1.size(), messages ? 4u : 2u);
  EXPECT_EQ(of_0["POSIX write"].times, 4);
  EXPECT_DOUBLE_EQ(of_0["POSIX write"].message.value, 1000);
  EXPECT_DOUBLE_EQ(of_0["POSIX write"].duration.value, 0.5);
  EXPECT_EQ(of_1["POSIX read"].times, 2);
  EXPECT_DOUBLE_EQ(of_1["POSIX read"].duration.value, 0.25);
  EXPECT_EQ(of_1["STDIO write"].times, 3);
  if (!messages) return;
  EXPECT_DOUBLE_EQ(of_0["MPI_Allreduce"].message.value, 800);
  EXPECT_DOUBLE_EQ(of_0["MPI_Allreduce"].duration.value, 0.01);
  EXPECT_DOUBLE_EQ(of_1["MPI_Allreduce"].duration.value, 0.03);
  EXPECT_EQ(of_1["MPI_Barrier"].times, 2);
  EXPECT_DOUBLE_EQ(of_1["MPI_Barrier"].duration.value, 0.25);
}

TEST_F(Darshan, VersionsOfAnyByteOrderAndPackingAreTheSame) {
  for (const auto& v : darshan_versions)
    for (const bool big : {false, true}) {
      const auto packed = open(samples::darshan(v, big)), plain = open(samples::darshan(v, big, 2, unpacked));
      for (const auto* source : {packed.get(), plain.get()}) {
        expect_sample(*source, v.apmpi > 0);
        EXPECT_DOUBLE_EQ(source->info().recorded.value, v.nanoseconds ? 1.5 : 2);
        EXPECT_EQ(source->info().losses[0],
                  (Loss{"POSIX", 1, "of which not all records fitted into Darshan's memory"}));
      }
    }
}

TEST_F(Darshan, LogsPackedByBzip2AreReadWhereItWasThere) {
#ifdef COLLCAST_BZIP2
  const auto pack = [](std::string_view text) {
    auto size = static_cast<unsigned>(text.size() + text.size() / 100 + 600);
    std::string packed(size, '\0');
    BZ2_bzBuffToBuffCompress(packed.data(), &size, const_cast<char*>(text.data()),
                             static_cast<unsigned>(text.size()), 1, 0, 0);
    packed.resize(size);
    return packed;
  };
  expect_sample(*open(samples::darshan(darshan_versions[1], false, 1, pack)), true);
#else
  EXPECT_EQ(refusal(samples::darshan(darshan_versions[1], false, 1)),
            "a Darshan log that is packed by bzip2, which this program was built without; darshan-convert "
            "packs it by zlib");
#endif
}

TEST_F(Darshan, WhatIsNotReadIsListed) {
  const auto source =
      open(samples::darshan_log(darshan_versions[2], false, 0, samples::zipped, 2,
                                {{1, {3, "x"}}, {3, {1, "x"}}, {40, {1, "x"}}, {14, {2, "x"}}}));
  const std::vector<Loss> losses = {{"POSIX", 1, "of which not all records fitted into Darshan's memory"},
                                    {"POSIX", 1, "a part of the log of version 3, which is not read"},
                                    {"H5F", 1, "a part of the log that is not read"},
                                    {"APMPI", 1, "a part of the log of version 2, which is not read"},
                                    {"module 40", 1, "a part of the log that is not read"}};
  EXPECT_EQ(source->info().losses, losses);
}

TEST_F(Darshan, WhatCannotBeReadIsRefusedByOneLine) {
  const auto& v = darshan_versions[1];
  const std::string good = samples::darshan(v, false);
  const auto log = [&](std::uint64_t processes, const std::string& posix) {
    return samples::darshan_log(v, false, 0, samples::zipped, processes, {{1, {4, posix}}});
  };
  EXPECT_EQ(refusal("3.99" + good.substr(4)),
            "a Darshan log of version '3.99'; 3.10 to 3.21 and 3.41 are read (Darshan 3.1 to 3.5)");
  EXPECT_EQ(refusal("2.05" + good.substr(4)).substr(0, 31), "a Darshan log of version '2.05'");
  EXPECT_EQ(refusal(good.substr(0, 300)), "a Darshan log that is cut short in its head");
  EXPECT_EQ(refusal(good.substr(0, 364)), "a Darshan log that is cut short: its job is beyond its end");
  EXPECT_EQ(refusal(good.substr(0, good.size() - 9)),
            "a Darshan log that is cut short: its APMPI is beyond its end");
  EXPECT_EQ(refusal(log(0, "")), "a Darshan log of 0 processes; from 1 to 1048576 are read");
  EXPECT_EQ(refusal(log(2, std::string(703, '\0'))), "a Darshan log whose POSIX is damaged");
  EXPECT_EQ(refusal(log(2, samples::darshan_record(false, 2, 69, 17, {{4, 1}}, {}))),
            "a Darshan log whose POSIX has rank 2 of 2");
  EXPECT_EQ(refusal(log(2, samples::darshan_record(false, 1, 69, 17, {{4, 1ull << 60}}, {}))),
            "a Darshan log whose 'POSIX write' has a value that none can have");
  std::string packing = good;
  packing[16] = 3;
  EXPECT_EQ(refusal(packing), "a Darshan log whose packing 3 is none of 0 (zlib), 1 (bzip2) and 2 (none)");
  std::string job = good;
  job[400] ^= 0x55;
  EXPECT_EQ(refusal(job), "a Darshan log whose job is damaged");
  const std::string other = samples::write(folder_ / "b.darshan", good);
  samples::write(path_, good);
  EXPECT_EQ(testing::complaint([&] {
              open_source({path_, other});
            }),
            other + ": a Darshan log has all ranks in one file; " + path_ + " is one already");
}

/// A job of 3 MiB, and 100,000 records of ranks, out of a few kB.
TEST_F(Darshan, WhatUnfoldsIsBounded) {
  const auto& v = darshan_versions[1];
  EXPECT_EQ(
      refusal(samples::darshan_log(
          v, false, 0, [](std::string_view) { return samples::zipped(std::string(3 << 20, '\0')); }, 2, {})),
      "a Darshan log whose job is damaged");
  std::string records(48, 'h');
  std::map<std::size_t, std::uint64_t> counts;
  for (std::size_t i = 0; i < 396; ++i) counts[i] = 1;
  const std::string record =
      samples::darshan_record(false, 0, 396, 222, counts, {}) + std::string(8 * 18 + 128, '\0');
  for (std::uint64_t r = 0; r < 4000; ++r)
    records += record.substr(0, 8) + samples::whole(r, 8, false) + record.substr(16);
  EXPECT_EQ(
      refusal(samples::darshan_log(v, false, 0, samples::zipped, 4000, {{13, {1, records}}})).substr(0, 67),
      "has more operations of ranks than a file of its size is read with, ");
}

}  // namespace
}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "replay/formats/formats.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/replay/formats/binary_samples.hpp"
#include "tests/replay/formats/samples.hpp"

namespace collcast {
namespace {

using testing::all;

class Cube : public ::testing::Test {
 protected:
  std::unique_ptr<Source> open(const std::string& content) {
    return open_source({samples::write(folder_ / "profile.cubex", content)});
  }
  std::string refusal(const std::string& content) {
    return testing::complaint([&] { open(content); });
  }
  /// The anchor with other words in it.
  static std::string anchor(const std::string& words, const std::string& others) {
    std::string text = samples::cube_anchor;
    return text.replace(text.find(words), words.size(), others);
  }
  Folder folder_;
};

TEST_F(Cube, RowsOfAnyByteOrderPlainOrPackedAreTheSame) {
  for (const bool big : {false, true})
    for (const bool packed : {false, true}) {
      const auto source = open(samples::cubex(big, packed));
      EXPECT_EQ(source->info().format, "cube");
      EXPECT_FALSE(source->info().ordered);
      ASSERT_EQ(source->ranks(), 2);
      for (const Rank r : {0, 1}) {
        const auto calls = all(*source, r);
        ASSERT_EQ(calls.size(), 2u);
        EXPECT_EQ(calls[0].operation, "MPI_Send");
        EXPECT_EQ(calls[0].times, r == 0 ? 10 : 4);
        EXPECT_DOUBLE_EQ(calls[0].duration.value, r == 0 ? 0.1 : 0.125);
        EXPECT_DOUBLE_EQ(calls[0].message.value, 100);
        EXPECT_EQ(calls[1].operation, "MPI_Allreduce");
        EXPECT_EQ(calls[1].times, 1);
        EXPECT_DOUBLE_EQ(calls[1].duration.value, r == 0 ? 0.5 : 0.75);
        EXPECT_DOUBLE_EQ(calls[1].message.value, 16);
      }
    }
}

/// TAU's statistics hold a sum, of which the call's own is here 1 s on rank 0; the first metric has no size.
TEST_F(Cube, AnExclusiveTimeCountsWhatACallCalls) {
  const auto atomic = [](double sum) {
    return samples::whole(1, 4, false) + samples::real(0, false) + samples::real(0, false) +
           samples::real(sum, false) + samples::real(0, false);
  };
  const std::string text = R"(<cube><metrics>
<metric id="0" type="SIMPLE"><uniq_name>visits</uniq_name><dtype>INT32</dtype></metric>
<metric id="5" type="EXCLUSIVE"><uniq_name>time</uniq_name><dtype>TAU_ATOMIC</dtype></metric></metrics><program>
<region id="1"><name>MPI_File_open</name></region><region id="2"><name>open</name></region>
<cnode id="1" calleeId="1"><cnode id="0" calleeId="2"/></cnode></program>
<system><machine><node><process Id="0"><rank>3</rank><thread Id="0"/></process></node></machine></system></cube>)";
  const auto source = open(samples::tar({{"anchor.xml", text},
                                         {"0.index", samples::cube_index({1}, true)},
                                         {"0.data", "CUBEX.DATA" + samples::whole(7, 4, true)},
                                         {"5.index", samples::cube_index({}, false)},
                                         {"5.data", "CUBEX.DATA" + atomic(1) + atomic(0.75)}}));
  EXPECT_EQ(source->ranks(), 4);
  EXPECT_EQ(source->info().recorded_ranks, std::vector<Rank>{3});
  const auto calls = all(*source, 3);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].times, 7);
  EXPECT_DOUBLE_EQ(calls[0].duration.value, 0.25);
  EXPECT_FALSE(calls[0].sized);
}

TEST_F(Cube, WhatCannotBeReadIsRefusedByOneLine) {
  const std::string good = samples::cubex(false, true), path = folder_ / "profile.cubex";
  const auto bad = [&](const std::string& content) {
    const std::string line = refusal(content);
    return line.starts_with(path + ": ") ? line.substr(path.size() + 2) : line;
  };
  EXPECT_EQ(bad(samples::tar({{"0.index", ""}})),
            "a CUBE profile without anchor.xml, which says what its numbers are");
  EXPECT_EQ(bad(good.substr(0, good.size() - 1500)), "its tar archive is cut short in 'anchor.xml'");
  EXPECT_EQ(bad(samples::cubex(false, true, "<cube")),
            "its anchor.xml is damaged: Error parsing start element tag at byte 4");
  EXPECT_EQ(bad(samples::cubex(false, true, anchor("UINT64", "HISTOGRAM(3)"))),
            "its metric visits is of the type 'HISTOGRAM(3)', which is none of numbers");
  EXPECT_EQ(bad(samples::cubex(false, true, anchor("visits", "calls"))),
            "a CUBE profile without the metric visits: nothing says how often MPI was called");
  EXPECT_EQ(bad(samples::cubex(false, true, anchor("<metric id=\"0\"", "<metric id=\"9\""))),
            "a CUBE profile without data of the metric visits");
  EXPECT_EQ(bad(samples::cubex(false, true, anchor("<rank>1", "<rank>-1"))),
            "its anchor.xml has a location without a process that has a rank");
  EXPECT_EQ(bad(samples::cubex(false, true, anchor("<location Id=\"2\"/>", ""))),
            "0.data in it is damaged: its packed rows are not where it says");
  EXPECT_EQ(bad(samples::cubex(false, false, anchor("<location Id=\"2\"/>", ""))),
            "0.data in it is longer than its index says");
  const std::string row(24, '\xff');
  EXPECT_EQ(bad(samples::tar({{"0.index", samples::cube_index({2}, false)},
                              {"0.data", "CUBEX.DATA" + row},
                              {"anchor.xml", samples::cube_anchor}})),
            "its metric visits of MPI_Send has a value below 0 or above 1e15");
  EXPECT_EQ(bad(samples::tar(
                {{"0.index", samples::cube_index({2, 4}, false)}, {"anchor.xml", samples::cube_anchor}})),
            "0.index in it has row 4, where rows ascend to 3");
  EXPECT_EQ(bad(samples::tar(
                {{"0.index", samples::cube_index({2}, false) + "x"}, {"anchor.xml", samples::cube_anchor}})),
            "0.index in it has not the 1 rows that it says");
  EXPECT_EQ(bad(samples::tar({{"0.index", "CUBEX.INDEX"}, {"anchor.xml", samples::cube_anchor}})),
            "0.index in it is no index of rows");
  EXPECT_EQ(bad(samples::tar({{"a.txt", "1.index"}})),
            "is a tar archive; unpack it, and name the files in it");
  samples::write(folder_ / "other", good);
  EXPECT_EQ(testing::complaint([&] {
              open_source({folder_ / "other", samples::write(path, good)});
            }),
            path + ": a CUBE profile has all ranks in one file; " + std::string(folder_ / "other") +
                " is one already");
}

/// A packed row of 300 kB, where a row has 24 bytes: what it unfolds to is not made.
TEST_F(Cube, PackedRowsUnfoldToARowAtMost) {
  const std::string bomb = samples::zipped(std::string(300'000, '\0'));
  const std::string data = "ZCUBEX.DATA" + samples::whole(1, 8, false) + samples::whole(0, 8, false) +
                           samples::whole(0, 8, false) + samples::whole(bomb.size(), 8, false) + bomb;
  EXPECT_NE(refusal(samples::tar({{"0.index", samples::cube_index({2}, false)},
                                  {"0.data", data},
                                  {"anchor.xml", samples::cube_anchor}}))
                .find("0.data in it is damaged"),
            std::string::npos);
}

}  // namespace
}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "engines/smpi/smpi.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/error.hpp"
#include "tests/folder.hpp"

namespace collcast::smpi {
namespace {

/// 1 ms, 1 MB/s, and 1 us per reduced byte.
const UniformFabric fabric(AlphaBetaGamma{Seconds(1e-3), SecondsPerByte(1e-6), SecondsPerByte(1e-6)}, 2);

/// Rank 0 sends a block of 1000 B, which rank 1 reduces; then the other way, to be stored.
const Schedule there_and_back{2, 1, 2, [](std::int64_t s, Step& step) {
                                if (s == 0)
                                  step.send(0, 1, {0}, Combine::reduce);
                                else
                                  step.send(1, 0, {0});
                              }};
const Layout block = Layout::equal(Bytes(1000), 1);

TEST(Smpi, TracesHaveTheSchedulesMessages) {
  const auto text = traces(there_and_back, block, fabric);
  ASSERT_EQ(text.size(), 2u);
  EXPECT_EQ(text[0], "0 init\n0 isend 1 0 1000\n0 waitall\n0 irecv 1 0 1000\n0 waitall\n0 finalize\n");
  EXPECT_EQ(
      text[1],
      "1 init\n1 irecv 0 0 1000\n1 waitall\n1 compute 1000000\n1 isend 0 0 1000\n1 waitall\n1 finalize\n");
}

TEST(Smpi, PlatformHasALinkForEachPortAndALatencyForEachPair) {
  const std::string xml = platform_xml(fabric);
  for (const char* words :
       {"<host id=\"h1\"", "bandwidth=\"1000000Bps\"", "id=\"a0-1\"", "latency=\"0.001s\"",
        "<route src=\"h1\" dst=\"h0\" symmetrical=\"NO\"><link_ctn id=\"a1-0\"/>"})
    EXPECT_NE(xml.find(words), std::string::npos) << words << "\n" << xml;
}

TEST(Smpi, SaysTheSumOfTheMessages) {
  if (!available()) GTEST_SKIP() << "there is no smpirun";
  const Folder folder;
  const std::string in = folder / "a folder";
  std::filesystem::create_directory(in);
  const double time = simulate(there_and_back, block, fabric, settings()[0], in).value;
  EXPECT_NEAR(time, 2 * (1e-3 + 1e-3) + 1e-3, 1e-4);  // two messages and a reduction; SMPI adds a header
  EXPECT_GT(simulate(there_and_back, block, fabric, settings()[1], in).value, 1.5 * time);
}

TEST(Smpi, KnowsNoMulticast) {
  const Schedule multicast{2, 1, 1, [](std::int64_t, Step& step) { step.multicast(0, {0, 2}, {0}); }};
  EXPECT_THROW(traces(multicast, block, fabric), InputError);
}

}  // namespace
}  // namespace collcast::smpi

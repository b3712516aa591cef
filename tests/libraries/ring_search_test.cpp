// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/ring_search.hpp"

#include <map>
#include <set>

#include "support/json.hpp"
#include "tests/platforms/support.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace testing;
using Shape = ChannelShape;
using Reach = ChannelReach;

Channels rings(const std::string& platform, Reach reach, int minor, Shape shape = Shape::ring,
               Gpu gpu = Gpu::volta) {
  return find_channels(read_blueprint(load_platform(platform)), shape, reach, nccl_speeds(minor, gpu));
}

/// How often a channel goes from GPU a to GPU b.
std::map<std::pair<int, int>, int> steps(const Channels& c, bool closed) {
  std::map<std::pair<int, int>, int> taken;
  for (const Channels::Channel& channel : c.channels)
    for (std::size_t i = 0; i + (closed ? 0 : 1) < channel.gpus.size(); ++i)
      ++taken[{channel.gpus[i], channel.gpus[(i + 1) % channel.gpus.size()]}];
  return taken;
}

void expect_each_gpu_once(const Channels& c, std::size_t gpus) {
  for (const Channels::Channel& channel : c.channels) {
    EXPECT_EQ(channel.gpus.size(), gpus);
    EXPECT_EQ(std::set<int>(channel.gpus.begin(), channel.gpus.end()).size(), gpus);
  }
}

TEST(RingSearch, Dgx1vHasSixRingsThatShareNoLink) {
  // The links of the cube mesh, as nvidia-smi shows them.
  const int links[8][8] = {{0, 1, 1, 2, 2, 0, 0, 0}, {1, 0, 2, 1, 0, 2, 0, 0}, {1, 2, 0, 2, 0, 0, 1, 0},
                           {2, 1, 2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 1, 1, 2}, {0, 2, 0, 0, 1, 0, 2, 1},
                           {0, 0, 1, 0, 1, 2, 0, 2}, {0, 0, 0, 1, 2, 1, 2, 0}};
  for (const auto& [minor, speed] : {std::pair(8, 21.0), {12, 22.0}, {18, 20.0}}) {
    const Channels c = rings("dgx-1v", Reach::node, minor);
    ASSERT_EQ(c.channels.size(), 6u) << minor;
    EXPECT_NEAR(c.bandwidth.value, speed * 1e9, 1);
    EXPECT_TRUE(c.nvlink);
    expect_each_gpu_once(c, 8);
    // 6 rings of 8 edges on 48 directed links: every link is used once, none twice.
    int used = 0;
    for (const auto& [step, times] : steps(c, true)) {
      EXPECT_EQ(times, links[step.first][step.second]) << step.first << " to " << step.second;
      used += times;
    }
    EXPECT_EQ(used, 48);
  }
}

/// Of a rack's 72 GPUs 32 take a share of the sum: NCCL_MAX_NVLS_ARITY.
TEST(RingSearch, SwitchesHaveSoManyHeads) {
  const Blueprint rack = read_blueprint(load_platform("gb200-nvl72"));
  for (const Reach reach : {Reach::node, Reach::network}) {
    const Channels c = find_switch_channels(rack, reach, nccl_speeds(28, Gpu::blackwell));
    EXPECT_EQ(c.channels.size(), 32u);
    EXPECT_EQ(c.bandwidth.value, reach == Reach::node ? 20e9 : 22e9);
  }
}

/// NCCL goes by the kind of a link, 10 GB/s for one between sockets, as long as a platform's measurement may
/// be one of that.
TEST(RingSearch, ANameDoesNotHideAnotherLink) {
  const auto speed = [](const std::string& name, double GBps) {
    Json json = load_platform("hkbu-v100").json();
    Json& node = json["node"];
    Json kind = node["link_kinds"]["sockets"];
    kind["bandwidth_GBps"]["value"] = GBps;
    node["link_kinds"].erase("sockets");
    node["link_kinds"][name] = kind;
    for (Json& l : node["links"])
      if (l["kind"] == "sockets") l["kind"] = name;
    const Description d("own", "own.json", json);
    return find_channels(read_blueprint(d), Shape::ring, Reach::node, nccl_speeds(18, Gpu::volta)).bandwidth;
  };
  EXPECT_EQ(speed("upi", 5), speed("mine", 5));
  EXPECT_EQ(speed("upi", 22), speed("mine", 22));
  EXPECT_EQ(speed("upi", 9), speed("mine", 10));
}

TEST(RingSearch, AbciVUsesAllOfItsMesh) {
  const Channels c = rings("abci-v", Reach::node, 8);
  ASSERT_EQ(c.channels.size(), 6u);
  EXPECT_NEAR(c.bandwidth.value, 21e9, 1);
  expect_each_gpu_once(c, 4);
  for (const auto& [step, times] : steps(c, true)) EXPECT_EQ(times, 2);
}

TEST(RingSearch, Dgx2SplitsWhatItsSwitchesCarry) {
  // 6 x 22 GB/s out of each GPU: three rings of 44 GB/s, split in two.
  const Channels c = rings("dgx-2", Reach::node, 12);
  EXPECT_EQ(c.channels.size(), 6u);
  EXPECT_NEAR(c.bandwidth.value, 22e9, 1);
  expect_each_gpu_once(c, 16);
}

TEST(RingSearch, SummitIsLimitedByTheXBus) {
  // 32 GB/s each way between the sockets, which every ring crosses: one ring of 30, split.
  const Channels c = rings("summit", Reach::node, 18);
  EXPECT_EQ(c.channels.size(), 2u);
  EXPECT_NEAR(c.bandwidth.value, 15e9, 1);
  EXPECT_FALSE(c.nvlink);
  expect_each_gpu_once(c, 6);
}

TEST(RingSearch, BetweenNodesEachAdapterCarriesARing) {
  for (const auto& [platform, nics, gpus] :
       {std::tuple("abci-v", 2u, 4u), {"dgx-1v", 4u, 8u}, {"dgx-2", 8u, 16u}, {"edr-cluster", 1u, 1u}}) {
    const Channels c = rings(platform, Reach::network, 12);
    ASSERT_EQ(c.channels.size(), nics) << platform;
    EXPECT_NEAR(c.bandwidth.value, 12e9, 1) << platform;  // PCIe gen3 x16
    expect_each_gpu_once(c, gpus);
    std::set<int> used;
    for (const Channels::Channel& channel : c.channels) used.insert(channel.nic);
    EXPECT_EQ(used.size(), nics);
  }
  // In by one GPU of the adapter's PCIe switch, out by the other.
  const Channels::Channel first = rings("dgx-1v", Reach::network, 12).channels[0];
  EXPECT_EQ(std::set<int>({first.gpus.front(), first.gpus.back()}), std::set<int>({0, 1}));
}

/// Logs of NCCL: 12 channels of 30 GB/s on one node of H100; 16, twice those found, on three
/// (NVIDIA/nccl issue 1453).
TEST(RingSearch, HopperHasSpeedsOfItsOwn) {
  const Channels one = rings("dgx-h100", Reach::node, 18, Shape::ring, Gpu::hopper);
  EXPECT_EQ(one.channels.size(), 12u);
  EXPECT_NEAR(one.bandwidth.value, 30e9, 1);
  const Channels more = rings("dgx-h100", Reach::network, 18, Shape::ring, Gpu::hopper);
  EXPECT_EQ(more.channels.size(), 8u);
  std::set<int> used;
  for (const Channels::Channel& channel : more.channels) used.insert(channel.nic);
  EXPECT_EQ(used.size(), 8u);
}

TEST(RingSearch, TreesAreChainsThatAreUsedBothWays) {
  const Channels c = rings("dgx-1v", Reach::node, 18, Shape::tree);
  EXPECT_EQ(c.channels.size(), 3u);
  EXPECT_NEAR(c.bandwidth.value, 20e9, 1);
  expect_each_gpu_once(c, 8);
}

TEST(RingSearch, OneGpuHasNoRingOfItsOwn) {
  EXPECT_TRUE(rings("edr-cluster", Reach::node, 18).channels.empty());
  EXPECT_TRUE(rings("flat", Reach::network, 18).channels.empty());
  EXPECT_TRUE(rings("localhost", Reach::node, 18).channels.empty());
}

TEST(RingSearch, EndsOnEveryPlatformWithEachGpuOncePerChannel) {
  testing::EachOrOneIn tried(13);
  for (const std::string& name : shipped_platforms()) {
    const std::size_t gpus = read_blueprint(load_platform(name)).ranks_on.size();
    for (Shape shape : {Shape::ring, Shape::tree})
      for (Reach reach : {Reach::node, Reach::network}) {
        if (!tried()) continue;
        SCOPED_TRACE(name);
        expect_each_gpu_once(rings(name, reach, 18, shape), gpus);
      }
  }
}

}  // namespace
}  // namespace collcast

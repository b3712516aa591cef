// SPDX-License-Identifier: Apache-2.0
#include "libraries/situation.hpp"

#include <gtest/gtest.h>

#include "platforms/description/load.hpp"
#include "platforms/description/parts.hpp"
#include "support/json.hpp"
#include "tests/complaint.hpp"

namespace collcast {
namespace {

using collcast::testing::complaint;

Situation of(const std::string& platform, Rank ranks, const std::string& policy) {
  return situation(load_platform(platform), ranks, policy);
}

TEST(Situation, OneNodeHasTheRingsOfItsNvlinks) {
  const Situation s = of("dgx-1v", 8, "nccl-2.18");
  EXPECT_EQ(s.nodes, 1);
  EXPECT_EQ(s.channels, 6);
  EXPECT_NEAR(s.intra_bandwidth.value, 20e9, 1);
  EXPECT_EQ(s.link, NodeLink::nvlink);
  EXPECT_EQ(s.gpu, Gpu::volta);
  EXPECT_EQ(s.cpu, Cpu::intel);
  EXPECT_TRUE(s.gpudirect);
  EXPECT_NEAR(of("dgx-1v", 8, "nccl-2.12").intra_bandwidth.value, 22e9, 1);
}

TEST(Situation, GpusAreKnownByTheirGenerations) {
  EXPECT_EQ(of("dgx-h100", 8, "nccl-2.21").gpu, Gpu::hopper);
  EXPECT_EQ(of("dgx-h200", 8, "nccl-2.21").gpu, Gpu::hopper);
  // NCCL has no constants of Turing's: it takes Volta's, without LL128.
  EXPECT_EQ(of("rtx2080ti-cluster", 8, "nccl-2.8").gpu, Gpu::pascal);
}

std::string refusal(const Description& platform, const std::string& policy) {
  return complaint([&] { situation(platform, 2, policy); });
}

TEST(Situation, WhatNcclDoesNotKnowIsRefused) {
  EXPECT_EQ(
      refusal(load_platform("frontier"), "nccl-2.18"),
      "nccl-2.18 does not support the cdna2 GPU MI250X-GCD; it supports those of NVIDIA, rccl-2.26 this one");
  EXPECT_EQ(refusal(load_platform("dgx-b200"), "rccl-2.26"),
            "rccl-2.26 does not support the blackwell GPU B200-180GB; it supports CDNA 2 and 3 of AMD, "
            "nccl-2.28 this one");
  EXPECT_EQ(refusal(load_platform("tpu-v4"), "nccl-2.18"),
            "nccl-2.18 does not support the GPU TPU-v4; it supports those of NVIDIA");
  EXPECT_EQ(refusal(load_platform("frontera"), "nccl-2.18"),
            "nccl-2.18 needs GPUs, and the ranks of frontera sit on cpu0; the policies of MPI libraries, "
            "such as mpich, do not");
  Description own = load_platform("edr-cluster");
  Json json = own.json();
  json["devices"]["own"] = json["devices"]["V100-PCIe-16GB"];
  json["devices"]["own"].erase("generation");
  json["node"]["vertices"]["gpu0"]["device"] = "own";
  own = Description("own", "own.json", json);
  EXPECT_EQ(refusal(own, "nccl-2.18"),
            "nccl-2.18 needs the generation of the GPU own, which the platform does not give; give "
            "devices.own.generation in its file, or --set devices.own.generation=volta");
  EXPECT_EQ(refusal(own, "mpich"), "");
  set(own, "devices.own.generation=hopper");
  EXPECT_EQ(situation(own, 2, "nccl-2.18").gpu, Gpu::hopper);
}

/// No GPU that is shipped is of an unknown generation.
TEST(Situation, AllShippedGpusHaveAGeneration) {
  for (const std::string& name : shipped_platforms()) {
    const Description d = load_platform(name);
    for (const Json& v : d.json()["node"]["vertices"])
      EXPECT_TRUE(v["kind"] != "gpu" ||
                  d.json()["devices"][v["device"].get<std::string>()].contains("generation"))
          << name;
  }
  for (const auto& [name, device] : shared_parts()["devices"].items())
    EXPECT_TRUE(!device.contains("copy_engines") || device.contains("generation")) << name;
}

TEST(Situation, TheNetworkLimitsSeveralNodes) {
  const Situation s = of("abci-v", 8, "nccl-2.8");
  EXPECT_EQ(s.nodes, 2);
  EXPECT_EQ(s.channels, 2);
  EXPECT_NEAR(s.inter_bandwidth.value, 12e9, 1);
  EXPECT_EQ(s.link, NodeLink::nvlink);
}

TEST(Situation, AdaptersReadGpuMemoryAtTheirOwnPace) {
  const Situation s = of("abci-a", 16, "nccl-2.8");
  EXPECT_NEAR(s.rail_bandwidth.value, 24e9, 1);
  EXPECT_NEAR(s.gpudirect_bandwidth.value, 9.74e9, 1);
}

/// Of EFA, 2 * 6.9 + 0.5 us; NCCL's constants hold one of them.
TEST(Situation, ANetworkMayTakeLongerThanInfiniband) {
  EXPECT_EQ(of("abci-v", 8, "nccl-2.8").network_latency, Seconds(0));
  EXPECT_NEAR(of("p4d", 16, "nccl-2.7:algo=Ring").network_latency.value, 13.3e-6, 1e-12);
}

TEST(Situation, OnlyTheGpusInUseCount) {
  // Two GPUs of ABCI V: two NVLinks between them.
  const Situation s = of("abci-v", 2, "nccl-2.18");
  EXPECT_EQ(s.channels * s.intra_bandwidth.value, 40e9);
}

TEST(Situation, SocketsBetweenGpuAndAdapter) {
  const Situation s = of("summit", 12, "nccl-2.18");
  EXPECT_FALSE(s.gpudirect);
  EXPECT_EQ(s.cpu, Cpu::power);
}

/// NCCL's release notes of 2.27.3. Summit's GPUs reach their processors by NVLink, not by NVLink-C2C.
TEST(Situation, CardsOfTheProcessorThatC2cJoinsAreNear) {
  for (const char* platform : {"alps", "jupiter"}) {
    EXPECT_FALSE(of(platform, 8, "nccl-2.26").gpudirect) << platform;
    EXPECT_TRUE(of(platform, 8, "nccl-2.27").gpudirect) << platform;
  }
  EXPECT_TRUE(of("gb200-nvl72", 144, "nccl-2.28").gpudirect);
  EXPECT_FALSE(of("summit", 12, "nccl-2.30").gpudirect);
}

/// NVIDIA/nccl issue 1197, an H100 node with 2.19: 8 channels of 40 GB/s.
TEST(Situation, SwitchesThatMulticastAndReduceHaveChannels) {
  const Situation s = of("dgx-h100", 8, "nccl-2.19");
  EXPECT_EQ(s.switch_channels, 8);
  EXPECT_EQ(s.switch_bandwidth.value, 40e9);
  EXPECT_EQ(of("dgx-h100", 16, "nccl-2.19").switch_bandwidth.value, 45e9);
  EXPECT_EQ(of("dgx-h100", 2, "nccl-2.19").switch_channels, 0);
  EXPECT_EQ(of("dgx-a100", 8, "nccl-2.19").switch_channels, 0);
}

TEST(Situation, OneRankHasNoPeers) {
  EXPECT_EQ(of("abci-v", 1, "nccl-2.18").channels, 1);
  EXPECT_EQ(of("flat", 4, "mpich").channels, 1);
  EXPECT_NEAR(of("flat", 4, "mpich").inter_bandwidth.value, 12.5e9, 1);
}

}  // namespace
}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
// How MVAPICH2-GDR moves GPU memory: single messages by hand, on every engine.
#include <gtest/gtest.h>

#include "engines/simulated.hpp"
#include "forecast/library.hpp"
#include "platforms/description/load.hpp"
#include "tests/complaint.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace literals;
using testing::complaint;

std::vector<const char*> readings() {
  std::vector<const char*> all = {"path", "contention"};
  if (can_simulate()) all.push_back("simgrid");
  return all;
}

/// One message from the first GPU of the first node to the first of the second, or to the second of the
/// first.
Prediction sent(const std::string& platform, const std::string& transport, bool same_node, Bytes bytes,
                const char* reading, const char* name = "flat") {
  Placement two(Placement::listed);
  two.lines = {{0, 0, -1, 0}, {1, same_node ? 0 : 1, -1, same_node ? 1 : 0}};
  const Forecaster forecaster(load_platform(platform), 2, two, Memory::device, 0, parse_transport(transport));
  return forecaster.predict(algorithm(Collective::broadcast, name), {.ranks = 2, .message = bytes},
                            engine(reading));
}

double us(const std::string& transport, bool same_node, Bytes bytes, const char* reading, const char* name) {
  const Prediction p = sent("icpp17-cluster", transport, same_node, bytes, reading, name);
  EXPECT_EQ(p.transport, transport);
  return p.time.value * 1e6;
}

void expect(const std::string& transport, bool same_node, Bytes bytes, double expected,
            const char* name = "flat") {
  for (const char* reading : readings())
    EXPECT_NEAR(us(transport, same_node, bytes, reading, name), expected, 1e-5)
        << transport << ' ' << reading;
}

// icpp17-cluster: PCIe 12 GB/s and 0.3 us a link, of which 2 from a GPU to its processor and to the other
// GPU, 3 to the card, 1 from the processor to the card; the network 11.5 GB/s, 0.15 us at either end, 0.09 us
// the switch. Cards read GPU memory at 3.4 GB/s and write it at 6.4. Posting costs 0.335 us at either end, a
// copy 1.59 us of the processor and 7.41 us, a rendezvous (above 8 KiB) 2.5 us.
constexpr double card_to_card = 0.15 + 0.09 + 0.15, copying = 7.41 + 2 * 0.3;
constexpr const char* gdr = "mvapich2-gdr";

TEST(Gdr, UpToItsLimitCardsReadAndWriteGpuMemory) {
  expect(gdr, false, 8_KiB, 0.335 + 3 * 0.3 + card_to_card + 3 * 0.3 + 8192 / 3400.0 + 0.335);
}

/// The sender's copy, and the message, which the receiver's card writes into the GPU.
TEST(Gdr, AboveItTheSenderStages) {
  const double copied = 1.59 + copying + 65536 / 12e3;
  expect(gdr, false, 64_KiB, 2.5 + copied + 0.335 + 0.3 + card_to_card + 3 * 0.3 + 65536 / 6400.0 + 0.335);
}

/// Four blocks of 256 KiB: the first is copied, sent and copied; three more follow at the network's pace.
TEST(Gdr, LargeMessagesAreStagedInBlocksOnBothSides) {
  const double copy = 262144 / 12e3, sent = 262144 / 11.5e3;
  const double first =
      1.59 + copying + copy + 0.335 + 0.3 + card_to_card + 0.3 + sent + 0.335 + 1.59 + copying + copy;
  expect(gdr, false, 1_MiB, 2.5 + first + 3 * sent);
}

/// Two blocks of 256 KiB and one of 128: after the second block's copy into the GPU there is the third's, of
/// half the size.
TEST(Gdr, TheLastBlockMayBeSmaller) {
  const double copy = 262144 / 12e3, sent = 262144 / 11.5e3;
  const double first =
      1.59 + copying + copy + 0.335 + 0.3 + card_to_card + 0.3 + sent + 0.335 + 1.59 + copying + copy;
  expect(gdr, false, 640_KiB, 2.5 + first + sent + copy / 2);
}

/// From GPU to GPU over the PCIe switch.
TEST(Gdr, WithinANodeLargeMessagesAreOneCopy) {
  expect(gdr, true, 1_MiB, 2.5 + 1.59 + copying + 1048576 / 12e3);
}

/// The sender's processor reads GPU memory, the receiver's writes it; between them 0.18 + 0.1 + 0.06 us of
/// shared memory at 10 GB/s.
TEST(Gdr, WithinANodeSmallMessagesAreTheProcessors) {
  const double out = 1.04 + 1024 / 590.0, in = 0.06 + 1024 / 10850.0;
  expect(gdr, true, 1_KiB, out + 0.18 + 0.1 + 1024 / 10e3 + 0.06 + in);
}

TEST(Gdr, SettingsMoveTheLimits) {
  expect("mvapich2-gdr:gpudirect_limit=1048576", false, 1_MiB,
         2.5 + 0.335 + 6 * 0.3 + card_to_card + 1048576 / 3400.0 + 0.335);
  const double copied = 1.59 + copying + 8192 / 12e3;
  expect("mvapich2-gdr:use_gpudirect_rdma=0,gdrcopy_limit=0", false, 8_KiB,
         copied + 0.335 + 2 * 0.3 + card_to_card + 8192 / 11.5e3 + 0.335 + copied);
}

/// Where nothing contends, the players find the critical path (law 3).
TEST(Gdr, enginesAgree) {
  testing::EachOrOneIn tried(3);
  for (const char* name : {"ring", "recursive-doubling", "rabenseifner"})
    for (const Bytes message : {64_B, 32_KiB, 128_KiB, 1_MiB, 4_MiB}) {
      if (!tried()) continue;
      const Forecaster forecaster(load_platform("edr-cluster"), 4, Placement::block, Memory::device, 0,
                                  parse_transport(gdr));
      const auto time = [&](const char* reading) {
        return forecaster
            .predict(algorithm(Collective::allreduce, name), {.ranks = 4, .message = message},
                     engine(reading))
            .time;
      };
      for (const char* reading : readings())
        EXPECT_NEAR(time(reading) / time("path"), 1, 1e-6) << name << ' ' << reading << message.value;
    }
}

/// 64 packets of 4096 B with headers of 74 B, 0.1 us each, that the card reads from the GPU. By default the
/// receiver's card writes them into host memory, from where they are copied.
TEST(Gdr, AMulticastMayEndInHostMemory) {
  const double sent = 0.335 + 3 * 0.3 + card_to_card + 64 * (0.1 + 4170 / 3400.0) + 0.335;
  expect("mvapich2-gdr:gpudirect_mcast_recv_type=2", false, 256_KiB, sent + 3 * 0.3, "multicast");
  expect(gdr, false, 256_KiB, sent + 0.3 + 1.59 + copying + 262144 / 12e3, "multicast");
}

/// The same of single messages of every size on other machines, whose cards and processors sit elsewhere.
TEST(Gdr, enginesAgreeOnOtherMachines) {
  testing::EachOrOneIn tried(10);
  for (const char* platform : {"abci-a", "abci-v", "azure-ndv2", "dgx-1v", "dgx-a100", "dgx-h100", "frontier",
                               "hkbu-v100", "p4d", "rtx2080ti-cluster", "summit"})
    for (const bool same_node : {true, false}) {
      if (!tried()) continue;
      for (const Bytes message : {8_B, 8_KiB, 16_KiB, 64_KiB, 300_KiB, 4_MiB}) {
        const auto time = [&](const char* reading) {
          return sent(platform, gdr, same_node, message, reading).time;
        };
        EXPECT_NEAR(time("contention") / time("path"), 1, 1e-6)
            << platform << ' ' << same_node << message.value;
      }
    }
}

/// Chu et al., ICPP 2017: a multicast of M bytes takes M / U packets of U bytes, each an overhead and its
/// time at B_G, at which the card reads GPU memory; streamed, chunks of C bytes are copied first, and the
/// card reads the host's memory at B_H, no faster than receivers' cards write. Here U = 4096 B with 74 B of
/// header, the overhead 0.1 us, B_G = 3.4 GB/s, 6.4 GB/s to write, PCIe 12 GB/s, C = 256 KiB; what the
/// formula leaves out (latency, posting) is less than 2 %.
TEST(Gdr, StreamingMulticastBeatsThatOfGpuMemoryAsIn2017) {
  const std::string setting = "mvapich2-gdr:use_mcast=1,mcast_bcast_max_msg=1GiB,gpudirect_mcast_recv_type=2";
  const Description cluster = load_platform("icpp17-cluster");
  const auto ms = [&](const std::string& policy, std::string_view picked) {
    const auto f = Library(policy, cluster, 32)
                       .predict(Collective::broadcast, {.ranks = 32, .message = 64_MiB}, engine("path"));
    EXPECT_EQ(f.choice.algorithm->name, picked);
    return f.prediction.time.value * 1e3;
  };
  const double packets = 67108864 / 4096.0;
  const double straight = packets * (0.1e-3 + 4170 / 3.4e6);
  const double streamed = 262144 / 12e6 + packets * (0.1e-3 + 4170 / 6.4e6);
  EXPECT_NEAR(ms(setting + ",gpudirect_mcast_pipeline=0", "multicast") / straight, 1, 0.02);
  EXPECT_NEAR(ms(setting, "multicast-streaming") / streamed, 1, 0.02);
}

/// Two nodes of edr-cluster: a copy to host memory over one link of PCIe, a message from there (a
/// rendezvous), a copy back. Above the limit the message is GPU memory's: a block copied, sent and copied,
/// and more blocks at the network's pace.
TEST(Gdr, CollectivesAreStagedAsAWholeUpToTheirLimits) {
  const Library library("mvapich2-gdr", load_platform("edr-cluster"), 2);
  const auto broadcast = [&](Bytes bytes, double us, const char* name) {
    for (const char* reading : readings()) {
      const auto f = library.predict(Collective::broadcast, {.ranks = 2, .message = bytes}, engine(reading));
      EXPECT_EQ(f.choice.algorithm->name, name);
      EXPECT_NEAR(f.prediction.time.value * 1e6, us, 1e-5) << reading;
    }
  };
  const auto copied = [](double bytes) { return 1.59 + 7.41 + 0.3 + bytes / 12e3; };
  const auto message = [](double bytes) { return 0.335 + 0.3 + card_to_card + 0.3 + bytes / 11.5e3 + 0.335; };
  broadcast(64_KiB, copied(65536) + 2.5 + message(65536) + copied(65536), "knomial in host memory");
  broadcast(2_MiB, copied(2097152) + 2.5 + message(2097152) + copied(2097152), "knomial in host memory");
  broadcast(4_MiB, 2.5 + 2 * copied(262144) + message(262144) + 15 * 262144 / 11.5e3, "knomial");
  const double by_processor = 1.04 + 1024 / 590.0 + 0.06 + 1024 / 10850.0;
  broadcast(1_KiB, by_processor + message(1024), "knomial in host memory");
}

TEST(Gdr, WhatAMachineCannotRunIsRefused) {
  const auto refusal = [](const char* platform, const char* policy) {
    return complaint([&] {
      Library(policy, load_platform(platform), 16)
          .predict(Collective::broadcast, {.ranks = 16, .message = 1_KiB}, engine("path"));
    });
  };
  EXPECT_EQ(refusal("frontera", gdr),
            "mvapich2-gdr needs GPUs, and the ranks of frontera sit on cpu0; mvapich2-2.3 does not");
  EXPECT_EQ(refusal("p4d", "mvapich2-gdr:use_mcast=1,mcast_num_nodes_threshold=2"),
            "multicast-streaming needs a network that multicasts (multicast), which p4d does not have; "
            "`--platform flat` has all");
}

/// A policy brings the transport along; a forced one replaces it.
TEST(Gdr, ThePolicySendsByIt) {
  const Description d = load_platform("abci-v");
  const Call call{.ranks = 16, .message = 4_MiB, .ranks_per_node = 4};
  const auto of = [&](const char* policy, const std::optional<Transport>& forced) {
    return Library(policy, d, 16, Placement::block, Memory::device, forced)
        .predict(Collective::allreduce, call, engine("path"))
        .prediction;
  };
  EXPECT_EQ(of(gdr, {}).transport, gdr);
  EXPECT_EQ(of("mvapich2-2.3", {}).transport, "mpi");
  EXPECT_EQ(of(gdr, parse_transport("mpi")).transport, "mpi");
  EXPECT_EQ(of("mvapich2-2.3", parse_transport(gdr)).time, of(gdr, {}).time);
  EXPECT_EQ(of("mvapich2-2.3", {}).time, of(gdr, parse_transport("mpi")).time);
}

}  // namespace
}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
// A job played message by message against collectives as single operations.
#include "workloads/job/source.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "forecast/group.hpp"
#include "platforms/description/load.hpp"
#include "replay/application/replay.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "tests/complaint.hpp"
#include "workloads/applications/application.hpp"
#include "workloads/job/player.hpp"
#include "workloads/job/read.hpp"
#include "workloads/training/training.hpp"

namespace collcast::workloads {
namespace {

Seconds by_messages(const Job& job, const Description& platform, const std::string& engine,
                    const std::string& policy = "openmpi-4.0") {
  ReplayOptions options;
  options.engine = &playing_engine(engine);
  options.policy = policy;
  options.memory = Memory::device;  // as prices have it
  const auto source = source_of(job);
  return replay_time(*source, platform, options);
}

PriceOf prices(GroupForecaster& forecaster) {
  return cached([&forecaster](const GroupCall& call) {
    const auto a = call.control ? forecaster.predict_control(call.collective, call.group, call.bytes)
                                : forecaster.predict(call.collective, call.group, call.bytes, call.algorithm);
    Price p{a.time, a.low, a.high, a.limited_by};
    p.load = a.load, p.between_nodes = forecaster.nodes(call.group) > 1;
    if (call.collective == Collective::sendrecv)
      if (const auto wire = forecaster.departure(call.group, call.bytes))
        p.departure = {wire->overhead, wire->gap + wire->occupation(call.bytes)};
    return p;
  });
}

Seconds by_price(const Job& job, const Description& platform, const std::string& policy = "openmpi-4.0") {
  GroupForecaster forecaster(platform, policy);
  return play(job, prices(forecaster)).time;
}

/// A message and a broadcast leave together, the message first as it stands first: 1 ms of computation, 8 ms
/// at 12.5 MB/s and 2.02 ms of latency later its receiver computes for 5 ms, while the broadcast's bytes come
/// for another 8 ms. The other way round the computation would end 5 ms later.
TEST(JobSource, StreamsSendInTheOrderOfTheJob) {
  const Job job = parse_job(R"({"name": "two", "dimensions": {"stage": 2}, "roles_along": "stage", "roles": [
    {"name": "a", "do": [{"do": "compute", "name": "f", "time_s": 0.001},
      {"do": "send", "to": "b", "bytes": 100000, "after": ["f"]},
      {"do": "broadcast", "bytes": 100000, "group": "stage", "algorithm": "flat", "stream": "compute"}]},
    {"name": "b", "do": [{"do": "receive", "from": "a", "bytes": 100000, "name": "r"},
      {"do": "compute", "time_s": 0.005, "after": ["r"]},
      {"do": "broadcast", "bytes": 100000, "group": "stage", "algorithm": "flat", "stream": "compute"}]}]})",
                            "two.json", 0);
  for (const char* engine : {"path", "contention"})
    EXPECT_NEAR(by_messages(job, load_platform("testbed"), engine).value, 0.01902, 1e-4) << engine;
}

/// Jobs whose ranks have one thing under way at a time, or things that share no link: to rounding.
TEST(JobSource, AgreesWithPricesWhereNothingIsShared) {
  const Description testbed = load_platform("testbed");
  int played = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(COLLCAST_SOURCE_DIR "/validation/jobs/testbed-8x100")) {
    const std::string file = entry.path();
    if (!file.ends_with(".json")) continue;
    const Job job = parse_job(read_file(file), file, 0);
    const Seconds priced = by_price(job, testbed);
    for (const char* engine : {"path", "contention"})
      EXPECT_NEAR(by_messages(job, testbed, engine) / priced, 1, 1e-9) << file << ", " << engine;
    ++played;
  }
  EXPECT_GE(played, 6);
}

/// A barrier costs what prices make of it, and holds back those who come first: 1 s.
TEST(JobSource, BarriersAgreeWithPrices) {
  const auto stage = [](const char* seconds) {
    return std::string(R"({"do": [{"do": "compute", "name": "c", "time_s": )") + seconds +
           R"(}, {"do": "barrier", "name": "b", "after": ["c"]},
              {"do": "compute", "time_s": 1, "after": ["b"]}]})";
  };
  const Job job = parse_job(R"({"name": "met", "dimensions": {"data": 4, "stage": 2}, "roles_along": "stage",
    "roles": [)" + stage("1") + "," +
                                stage("0") + "]}",
                            "met.json", 0);
  for (const char* platform : {"testbed", "edr-cluster"}) {
    const Seconds priced = by_price(job, load_platform(platform));
    EXPECT_GT(priced, Seconds(2.000001)) << platform;
    for (const char* engine : {"path", "contention"})
      EXPECT_NEAR(by_messages(job, load_platform(platform), engine) / priced, 1, 1e-9)
          << platform << ", " << engine;
  }
}

/// A message between each stage and the next, the sixth and the seventh of which lie on two nodes: to
/// rounding.
TEST(JobSource, MessagesTakeThePricesOfTheirPlaces) {
  std::string roles;
  for (int stage = 0; stage < 12; ++stage) {
    const auto message = [&](const char* what, const char* whom, int other) {
      return std::string(R"({"do": ")") + what + R"(", ")" + whom + R"(": "s)" + std::to_string(other) +
             R"(", "bytes": 4e7, "name": ")" + what + R"(", "stream": "compute"})";
    };
    roles += std::string(stage > 0 ? "," : "") + R"({"name": "s)" + std::to_string(stage) + R"(", "do": [)" +
             (stage > 0 ? message("receive", "from", stage - 1) : "") + (stage > 0 && stage < 11 ? "," : "") +
             (stage < 11 ? message("send", "to", stage + 1) : "") + "]}";
  }
  const Job job = parse_job(
      R"({"name": "stages", "dimensions": {"stage": 12}, "roles_along": "stage", "roles": [)" + roles + "]}",
      "stages.json", 0);
  const Description summit = load_platform("summit");
  EXPECT_NEAR(by_messages(job, summit, "path", "mpich") / by_price(job, summit, "mpich"), 1, 1e-4);
}

/// The alltoalls of all groups meet on the links of a torus and at nodes of several ranks: prices play them
/// at once, and only leave out that ranks begin at different times.
TEST(JobSource, GroupsThatMeetTakeTheirPricesToAFewPercent) {
  for (const auto& [platform, ranks] : {std::pair{"fugaku", 64}, {"frontera", 56}, {"aurora", 24}}) {
    const Job job = application_job("p3dfft:n=256,compute=1ms", ranks, {});
    const Description d = load_platform(platform);
    EXPECT_NEAR(by_messages(job, d, "contention", "openmpi-4.0") / by_price(job, d, "openmpi-4.0"), 1, .1)
        << platform;
  }
}

/// NCCL's collectives are single operations in both; groups of 4 ranks do not divide Summit's nodes of 6, and
/// their messages meet at the nodes' cards.
TEST(JobSource, NcclsCollectivesTakeTheirPricesOnEveryEngine) {
  const Description summit = load_platform("summit");
  for (const char* what : {"p3dfft:n=256,grid=2x12,compute=1ms", "kmeans:points=1e8,compute=1ms"}) {
    const Job job = application_job(what, 24, {});
    const Seconds priced = by_price(job, summit, "nccl-2.8");
    for (const char* engine : {"path", "contention"})
      EXPECT_NEAR(by_messages(job, summit, engine, "nccl-2.8") / priced, 1, 1e-9) << what << ", " << engine;
  }
  const Job across = application_job("p3dfft:n=256,grid=4x6,compute=1ms", 24, {});
  const Seconds slowest = by_price(across, summit, "nccl-2.8");
  EXPECT_NEAR(by_messages(across, summit, "contention", "nccl-2.8") / slowest, 1, .15);
}

/// One GPU and one port a node, and steps that have one collective under way at a time: what the messages
/// make of a step is what prices make of it. Ranks that enter reduce-scatters and allgathers back to back at
/// different times overtake each other, which prices leave out.
TEST(JobSource, TrainingStepsAgreeWithPricesOnIdleNetworks) {
  const Description cluster = load_platform("edr-cluster");
  Training t;
  t.model = load_model("resnet50");
  t.processor = processor(cluster, t.precision);
  t.batch = 32;
  for (const auto& [framework, bound] :
       {std::pair("ddp", 1e-9), {"horovod:cycle=3.5ms", 1e-9}, {"one", 1e-9}, {"zero1", 0.01}})
    for (const Rank ranks : {10, 16, 33, 64}) {
      t.framework = parse_framework(framework);
      t.ranks = ranks;
      GroupForecaster forecaster(cluster, "openmpi-4.0");
      const PriceOf price = prices(forecaster);
      const Job job = training_job(t), plain = without_coordinator(job, price);
      const Seconds priced = play(job, price).time;
      EXPECT_GT(priced, 1.005 * computation(job)) << framework;  // something is exposed
      EXPECT_NEAR(play(plain, price).time / priced, 1, 1e-12) << framework << " on " << ranks;
      EXPECT_NEAR(by_messages(plain, cluster, "path") / priced, 1, bound) << framework << " on " << ranks;
    }
}

/// Keys and values go around rings of nodes, on a stream of their own.
TEST(JobSource, RingsAgreeWithPricesOnIdleNetworks) {
  const Description cluster = load_platform("edr-cluster");
  Training t;
  t.model = load_model("llama:layers=2,hidden=256,heads=4,kv-heads=2,sequence=1024,vocabulary=1000");
  t.processor = processor(cluster, t.precision);
  t.ranks = 8;
  for (const char* framework : {"one:cp=2", "one:cp=4", "one:cp=8", "one:cp=4,recompute=1"}) {
    t.framework = parse_framework(framework);
    GroupForecaster forecaster(cluster, "openmpi-4.0");
    const PriceOf price = prices(forecaster);
    const Job job = training_job(t);
    const Seconds priced = play(job, price).time;
    EXPECT_GT(priced, computation(job)) << framework;
    EXPECT_NEAR(by_messages(job, cluster, "path") / priced, 1, 1e-9) << framework;
  }
}

/// Allreduces of activations, of pairs of nodes, and of gradients, of every second node, leave through the
/// same ports where buckets go beneath the backward pass: prices that share them are off by 6 % at most (by
/// 12 % without). With one bucket behind it they take turns.
TEST(JobSource, StepsShareLinksAsMessagesDo) {
  const Description cluster = load_platform("edr-cluster");
  const auto ratio = [&](const char* framework) {
    Training t;
    t.model = load_model("bert-large");
    t.processor = processor(cluster, t.precision);
    t.batch = 8;
    t.framework = parse_framework(framework);
    t.ranks = 8;
    const Job job = training_job(t);
    return by_messages(job, cluster, "contention") / by_price(job, cluster);
  };
  EXPECT_NEAR(ratio("ddp:tp=2"), 1, 0.06);
  EXPECT_NEAR(ratio("ddp:tp=2,first=2GB,bucket=2GB"), 1, 1e-9);
}

TEST(JobSource, RefusesMessagesOfTwoSizes) {
  const auto sized = [](const char* bytes) {
    return parse_job(R"({"name": "two", "dimensions": {"stage": 2}, "roles_along": "stage", "roles": [
      {"name": "a", "do": [{"do": "send", "to": "b", "bytes": 100}]},
      {"name": "b", "do": [{"do": "receive", "from": "a", "bytes": )" +
                         std::string(bytes) + "}]}]}",
                     "two.json", 0);
  };
  EXPECT_EQ(testing::complaint([&] { source_of(sized("100")); }), "");
  EXPECT_EQ(
      testing::complaint([&] { source_of(sized("8")); }),
      "job two: 'send' of a (send, 100 B) and 'receive' of b (receive, 8 B) meet, and have to be alike");
}

TEST(JobSource, SaysWhatOnlyPricesKnow) {
  const auto refuses = [](const Job& job) {
    try {
      source_of(job);
    } catch (const InputError& e) {
      return std::string(e.what()).find("message by message") != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refuses(application_job("p3dfft:n=64,mode=offload,compute=1ms", 4, {})));
  Job slowed = application_job("p3dfft:n=64,compute=1ms", 4, {});
  EXPECT_FALSE(refuses(slowed));
  slowed.slowdown = 0.1;
  EXPECT_TRUE(refuses(slowed));
}

}  // namespace
}  // namespace collcast::workloads

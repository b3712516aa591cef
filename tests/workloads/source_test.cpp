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
#include "workloads/applications/application.hpp"
#include "workloads/job/player.hpp"
#include "workloads/job/read.hpp"

namespace collcast::workloads {
namespace {

Seconds by_messages(const Job& job, const Description& platform, const std::string& engine,
                    const std::string& policy = "openmpi-4.0") {
  ReplayOptions options;
  options.engine = &playing_engine(engine);
  options.policy = policy;
  const auto source = source_of(job);
  return replay_time(*source, platform, options);
}

Seconds by_price(const Job& job, const Description& platform, const std::string& policy = "openmpi-4.0") {
  GroupForecaster forecaster(platform, policy);
  const auto price = cached([&](const GroupCall& call) {
    const auto a = forecaster.predict(call.collective, call.group, call.bytes, call.algorithm);
    Price p{a.time, a.low, a.high, a.limited_by};
    if (call.collective == Collective::sendrecv)
      if (const auto wire = forecaster.departure(call.group, call.bytes))
        p.departure = {wire->overhead, wire->gap + wire->occupation(call.bytes)};
    return p;
  });
  return play(job, price).time;
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
  EXPECT_GT(by_messages(across, summit, "contention", "nccl-2.8"), by_price(across, summit, "nccl-2.8"));
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

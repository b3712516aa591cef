// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/layouts.hpp"

#include <gtest/gtest.h>

#include <set>

#include "platforms/description/load.hpp"
#include "tests/complaint.hpp"
#include "tests/sanitized.hpp"
#include "workloads/playing/training_text.hpp"
#include "workloads/training/step.hpp"

namespace collcast::workloads {
namespace {

using collcast::testing::complaint;

Training step(const std::string& model, Rank ranks, const std::string& batch) {
  TrainingText text;
  text.model = model, text.global_batch = batch, text.precision = "amp";
  Training t = described(text, load_platform("dgx-a100"));
  t.ranks = ranks;
  return t;
}

Price free_of_charge(const GroupCall&) {
  return {};
}

/// Each is on all ranks, fits, and takes at least as long as its bound, with messages that take no time.
TEST(Layouts, AreOnAllRanksAndFit) {
  Training t = step("gpt:layers=8,hidden=1024,heads=16,sequence=1024", 16, "64");
  std::set<std::string> names;
  int pipelines = 0;
  testing::EachOrOneIn forecast(8);
  for (const char* framework : {"ddp", "zero1", "fsdp"})
    for (const Layout& l : layouts(t, framework, 8).fit) {
      EXPECT_EQ(l.data * l.tensor * l.pipeline, 16) << l.framework;
      EXPECT_LE(l.tensor, 8);
      EXPECT_TRUE(names.insert(l.framework).second) << l.framework;
      t.framework = parse_framework(l.framework);
      EXPECT_EQ(t.framework.tensor, l.tensor);
      EXPECT_EQ(t.framework.pipeline, l.pipeline);
      EXPECT_EQ(l.memory, memory_need(t).sum());
      EXPECT_LE(l.memory, t.processor.memory);
      EXPECT_EQ(l.samples, 64);
      if (forecast()) {
        EXPECT_LE(l.least_step.value, forecast_step(t, free_of_charge).time.value * (1 + 1e-9))
            << l.framework;
      }
      pipelines += l.pipeline > 1;
      EXPECT_TRUE(l.pipeline == 1 || !l.framework.starts_with("fsdp"));
    }
  EXPECT_GT(pipelines, 8);
  EXPECT_TRUE(names.contains("fsdp"));
  EXPECT_TRUE(names.contains("ddp:tp=2,sequence=1,pp=4,micro-batches=16")) << names.size();
  EXPECT_TRUE(names.contains("ddp:tp=2,sequence=1,pp=4,micro-batches=16,interleave=2")) << names.size();
}

/// 8 experts and 16 replicas: any common divisor of both.
TEST(Layouts, ShareExpertsOut) {
  const Training t = step("llama:layers=4,hidden=1024,heads=16,sequence=1024,experts=8,top=2", 16, "64");
  const auto sharers = [&](const char* framework) {
    std::set<int> all;
    for (const Layout& l : layouts(t, framework, 1).fit)
      if (l.pipeline == 1) all.insert(l.expert);
    return all;
  };
  EXPECT_EQ(sharers("ddp"), (std::set{1, 2, 4, 8}));
  EXPECT_EQ(sharers("ddp:ep=4"), std::set{4});
  EXPECT_EQ(sharers("fsdp"), std::set{1});  // does not share experts out
}

/// 4 sequences on 16 ranks: four replicas at most, so that four ranks share a sequence, or two of them and
/// two of a layer, or four of a layer.
TEST(Layouts, ShareSequencesOutIfTheyMust) {
  const Training t = step("llama:layers=4,hidden=1024,heads=16,sequence=4096", 16, "4");
  std::set<std::pair<int, int>> found;
  for (const Layout& l : layouts(t, "fsdp", 4).fit) found.insert({l.tensor, l.context});
  EXPECT_EQ(found, (std::set<std::pair<int, int>>{{1, 4}, {2, 2}, {4, 1}}));
  EXPECT_NE(layouts(t, "fsdp:cp=3", 4).reason.find("16 ranks do not divide"), std::string::npos);
}

/// 16 ranks: tensor 1, 2, 4 or 8, and a pipeline of what 4 blocks divide into: 1, 2 or 4, while ranks remain.
TEST(Layouts, CountWhatIsLeftOut) {
  const Training t = step("gpt:layers=4,hidden=1024,heads=4,sequence=1024", 16, "16");
  const Layouts l = layouts(t, "ddp", 8);
  std::set<std::pair<int, int>> pairs;
  for (const Layout& one : l.fit) pairs.insert({one.tensor, one.pipeline});
  EXPECT_EQ(pairs.size(), 9u);  // tensor 1, 2, 4 times pipeline 1, 2, 4
  EXPECT_EQ(l.indivisible, 2);  // 4 heads do not divide by 8, with a pipeline of 1 or 2
  EXPECT_EQ(l.too_large, 0);
  EXPECT_NE(l.reason.find("4, which do not divide by 8"), std::string::npos) << l.reason;
}

TEST(Layouts, KeepWhatTheFrameworkSays) {
  const Training t = step("gpt:layers=8,hidden=1024,heads=16,sequence=1024", 16, "64");
  for (const Layout& l : layouts(t, "megatron:tp=4,recompute=1", 8).fit) {
    EXPECT_EQ(l.tensor, 4);
    EXPECT_EQ(l.framework.find("megatron:tp=4,recompute=1,sequence=1"), 0u) << l.framework;
  }
  EXPECT_EQ(layouts(t, "ddp:tp=2,pp=2,micro-batches=8", 8).fit.size(), 2u);  // one interleaved
  EXPECT_EQ(layouts(t, "ddp:tp=3", 8).fit.size(), 0u);
  EXPECT_NE(layouts(t, "ddp:tp=3", 8).reason.find("do not divide"), std::string::npos);
  EXPECT_NE(complaint([&] { layouts(t, "zeroo", 8); }).find("unknown framework 'zeroo'"), std::string::npos);
}

/// 175 G parameters, with 16 bytes each, need 2.8 TB, of which a rank of two has too much.
TEST(Layouts, SayWhatFitsLeastBadly) {
  const Layouts l = layouts(step("gpt3-175b", 2, "2"), "fsdp", 8);
  EXPECT_TRUE(l.fit.empty());
  EXPECT_EQ(l.too_large, 2);  // tensor 1 or 2
  EXPECT_GT(l.smallest.memory, Bytes(80 * 1073741824.0));
}

}  // namespace
}  // namespace collcast::workloads

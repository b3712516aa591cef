// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/workloads/trainings.hpp"
#include "workloads/job/player.hpp"
#include "workloads/training/plan.hpp"
#include "workloads/training/reducer.hpp"

namespace collcast::workloads {
namespace {

using Kind = JobActivity::Kind;

/// Of a transformer block 2 allreduces forward and 2 backward, of b s h elements each, and one each way
/// around the embedding and the output. Where gradients of weights are computed beside sums, what 7 products
/// read is gathered again.
TEST(Training, TensorParallelismSumsUpTwiceAWay) {
  for (const auto& [extra, count] : {std::pair{"", 14u},
                                     {",tp-overlap=none", 14u},
                                     {",sequence=1,tp-overlap=none", 28u},
                                     {",sequence=1", 28u + 7},
                                     {",sequence=1,tp-overlap=all", 28u + 7}}) {
    Training t = equal_layers(1, std::string("megatron:tp=4") + extra, 4);
    t.model = load_model("gpt:layers=3,hidden=64,heads=4,sequence=32,vocabulary=100");
    t.batch = 2;
    const auto sizes = collectives(training_job(t));
    EXPECT_EQ(sizes.size(), count) << extra;
    for (const Bytes b : sizes) EXPECT_DOUBLE_EQ(b.value, 2 * 32 * 64 * 4);
  }
}

/// Two products of 1 ms forward, which two ranks share; what goes between the ranks takes 0.5 ms. Allreduces:
/// forward 0.5 + 0.5 + 0.5 ms; backward 1 ms of the second product, 0.5 of the first, then the sum beside the
/// other 0.5, or behind it. With sequence parallelism one gather more each way, and one beside the first 0.5
/// of the first product. In pieces, half of a product is beside its gather or its scatter: 0.25 ms less, four
/// times in three.
TEST(Training, TensorParallelismIsHiddenByProducts) {
  for (const auto& [extra, milliseconds] : {std::pair{"tp-overlap=none", 4.0},
                                            {"tp-overlap=backward", 3.5},
                                            {"sequence=1,tp-overlap=none", 5.0},
                                            {"sequence=1", 4.5},
                                            {"sequence=1,tp-overlap=all", 3.75}}) {
    Training t = equal_layers(2, std::string("megatron:tp=2,") + extra, 2);
    t.model.heads = t.model.kv_heads = 2, t.model.blocks = 1;
    for (Layer& l : t.model.layers) l.block = 0, l.in = l.out = 250'000;
    t.model.layers[0].cut = Layer::Cut::enter, t.model.layers[1].cut = Layer::Cut::leave;
    EXPECT_NEAR(play(training_job(t), bandwidth(2)).time.value, milliseconds * 1e-3, 1e-9) << extra;
  }
}

/// Queries, keys and values read the same: one product.
TEST(Training, ProductsOfOneInputAreOne) {
  const Training t = llama_of_8_words("megatron:tp=2", 2, 2);
  const Plan plan(t);
  const auto at = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(plan.layers(), name, &Layer::name) -
                                    plan.layers().begin());
  };
  EXPECT_EQ(plan.end_of_entry(at("layers.0.attn.q")), at("layers.0.attn.q") + 3);
  EXPECT_EQ(plan.end_of_entry(at("layers.0.mlp.gate")), at("layers.0.mlp.gate") + 2);
  EXPECT_EQ(plan.end_of_entry(at("lm_head")), at("lm_head") + 1);
}

/// 10 words of 8: first and last stage add up their gradients, or each of two ranks its half of them. The
/// stages between have no part in it.
TEST(Training, TiedEmbeddingsAreAddedUp) {
  for (const auto& [tensor, bytes] : {std::pair{"", 320.0}, {",tp=2", 160.0}}) {
    Training t = equal_layers(1, std::string("megatron:pp=4,micro-batches=4") + tensor, 8);
    t.model = load_model("gpt:layers=4,hidden=8,heads=2,sequence=4,vocabulary=10");
    t.batch = 4;
    const Job job = training_job(t);
    for (int stage = 0; stage < 4; ++stage) {
      std::vector<double> sent;
      for (const JobActivity& a : job.roles[static_cast<std::size_t>(stage)].activities)
        if (a.kind == Kind::send && a.name == "tied embedding") {
          sent.push_back(a.bytes.value);
          EXPECT_EQ(a.peer, 3 - stage);
        }
      EXPECT_EQ(sent, stage % 3 == 0 ? std::vector{bytes} : std::vector<double>{}) << tensor << stage;
    }
  }
}

/// Each rank computes a quarter of what is cut.
TEST(Training, TensorParallelismSharesTheWork) {
  Training t = equal_layers(1, "megatron", 1);
  t.model = load_model("gpt:layers=3,hidden=64,heads=4,sequence=32,vocabulary=100");
  const double whole = play(training_job(t), nothing).time.value;
  t.framework = parse_framework("megatron:tp=4");
  t.ranks = 4;
  EXPECT_NEAR(play(training_job(t), nothing).time.value, whole / 4, 1e-9);  // norms cost nothing here
}

std::vector<double> around_rings(const Job& job) {
  std::vector<double> sizes;
  for (const JobActivity& a : job.roles[0].activities)
    if (a.kind == Kind::collective && a.collective == Collective::sendrecv) {
      EXPECT_EQ(a.group, context_group);
      sizes.push_back(a.bytes.value);
    }
  return sizes;
}

/// K and V of 2 words of 4 elements, 2 samples, 4 bytes: 128 B, forward to 3 other ranks. Backward the
/// gradients follow a step behind. Recomputation looks around once more. Of two KV heads each of two ranks
/// has one.
TEST(Training, KeysAndValuesGoAroundARing) {
  const std::vector<double> forward(3, 128), backward = {128, 256, 256, 128};
  const auto joined = [](std::vector<double> first, const std::vector<double>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  const std::vector<double> both = joined(forward, backward);
  EXPECT_EQ(around_rings(training_job(llama_of_8_words("megatron:cp=4", 8))), both);
  EXPECT_EQ(around_rings(training_job(llama_of_8_words("megatron:cp=4,tp=2", 8, 2))), both);
  EXPECT_EQ(around_rings(training_job(llama_of_8_words("megatron:cp=4,tp=2", 8, 1))), both);
  EXPECT_EQ(around_rings(training_job(llama_of_8_words("megatron:cp=4,recompute=1", 8))),
            joined(forward, both));
  EXPECT_EQ(around_rings(training_job(llama_of_8_words("megatron:cp=2", 8))),
            (std::vector<double>{256, 256, 256}));
  EXPECT_EQ(around_rings(training_job(llama_of_8_words("megatron", 8))), std::vector<double>());
}

/// A linear layer and attention, 0.5 ms forward and 1 ms backward each on 2 ranks; 2 MB go around. At 10 GB/s
/// that is hidden, 1 MB of gradients exposed for 0.1 ms. At 2 GB/s the second half of attention's 0.5 ms
/// waits 0.75 ms for 1 ms of messages; of 1 ms backward it waits 0.5 ms, and 0.5 ms for gradients behind it.
TEST(Training, RingsAreHiddenByAttention) {
  Training t = equal_layers(2, "megatron:cp=2", 2);
  Layer& attention = t.model.layers[1];
  attention.kind = LayerKind::attention;
  attention.head = 1;
  attention.out = 125'000;  // of 4 words
  attention.in = 1'125'000;
  attention.tensors = {};
  EXPECT_NEAR(play(training_job(t), bandwidth(10)).time.value, 3e-3 + 0.1e-3, 1e-9);
  EXPECT_NEAR(play(training_job(t), bandwidth(2)).time.value, 3e-3 + 0.75e-3 + 1e-3 + 0.5e-3, 1e-9);
}

/// Megatron-Core: tp fastest, then cp, dp and pp. Gradients are added up over cp x dp.
TEST(Training, RanksOfASequenceComeBehindThoseOfAHead) {
  Training t = equal_layers(1, "megatron:tp=2,cp=2,pp=2,micro-batches=2", 16);
  t.model = load_model("llama:layers=2,hidden=8,heads=2,kv-heads=2,sequence=8,vocabulary=10,feed-forward=16");
  t.batch = 2;
  const Job job = training_job(t);
  const auto group = [&](int index) {
    return job.members(job.groups[static_cast<std::size_t>(index)].dimensions).members();
  };
  EXPECT_EQ(group(tensor_group), (std::vector<Rank>{0, 1}));
  EXPECT_EQ(group(context_group), (std::vector<Rank>{0, 2}));
  EXPECT_EQ(group(data_group), (std::vector<Rank>{0, 2, 4, 6}));
  EXPECT_EQ(job.members({job.role_dimension}).members(), (std::vector<Rank>{0, 8}));
  EXPECT_DOUBLE_EQ(global_batch(t), 2 * 2);
}

/// Each rank has a quarter of the words: of the work, and of the activations. Parameters it has all, of the
/// optimizer's state what it has of all 8 ranks'.
TEST(Training, ContextParallelismSharesTheWork) {
  const Training whole = llama_of_8_words("zero1", 8), shared = llama_of_8_words("zero1:cp=4", 8);
  const auto time = [](const Training& t) { return play(training_job(t), nothing).time.value; };
  EXPECT_NEAR(time(shared), time(whole) / 4, 1e-12);
  EXPECT_DOUBLE_EQ(memory_need(shared).activations.value, memory_need(whole).activations.value / 4);
  EXPECT_EQ(memory_need(shared).parameters, memory_need(whole).parameters);
  EXPECT_EQ(memory_need(shared).optimizer, memory_need(whole).optimizer);
}

/// Steps of the ring are kernels of their own: 4 of attention among 2 words, a launch of 1 ms each, forward;
/// backward twice as many.
TEST(Training, StepsOfARingAreLaunched) {
  Training t = llama_of_8_words("megatron", 4);
  t.processor.efficiency.launch = Seconds(1e-3);
  const Seconds before = play(training_job(t), nothing).time;
  t.framework = parse_framework("megatron:cp=4");
  EXPECT_NEAR((play(training_job(t), nothing).time - before).value, 3 * (1 + 2) * 1e-3, 1e-4);
}

/// Words go to their experts and come back, forward and backward: 2 x 4 words of 8 elements of 4 bytes. The
/// fullest rank has 1.5 times the mean.
TEST(Training, ExpertsAreReachedByAlltoalls) {
  for (const auto& [extra, bytes] : {std::pair{"", 256.0}, {",imbalance=1.5", 384.0}}) {
    const Job job = training_job(experts(std::string("ddp:ep=2") + extra, 4));
    std::vector<std::string> names;
    for (const JobActivity& a : job.roles[0].activities) {
      if (a.collective != Collective::alltoall || a.kind != Kind::collective) continue;
      names.push_back(a.name);
      EXPECT_DOUBLE_EQ(a.bytes.value, bytes);
      EXPECT_EQ(job.groups[static_cast<std::size_t>(a.group)].dimensions, std::vector<int>{1});
    }
    EXPECT_THAT(names, ::testing::ElementsAre("words to experts", "words from experts",
                                              "gradients to experts", "gradients from experts"));
    EXPECT_EQ(job.dimensions[1].size, 2);
    EXPECT_EQ(job.dimensions[2].size, 2);
  }
  EXPECT_THAT(collectives(training_job(experts("ddp", 1))), ::testing::IsEmpty());
}

/// The fullest rank keeps half as many words more: of each of 2 x 4 words 8 elements that the experts read,
/// and 3 x 16 within.
TEST(Training, ExpertsKeepTheWordsOfTheFullestRank) {
  const auto kept = [](const std::string& framework) {
    return memory_need(experts(framework, 4)).activations;
  };
  EXPECT_DOUBLE_EQ((kept("ddp:ep=2,imbalance=1.5") - kept("ddp:ep=2")).value, 4 * 0.5 * 2 * 4 * (8 + 3 * 16));
}

/// A rank's 2 experts have 2 x 3 x 8 x 16 = 768 parameters, which 2 ranks add up; all 4 add up the others:
/// embedding and output 2 x 80, attention 4 x 64, router 32, three norms of 8.
TEST(Training, ExpertsGradientsAreAddedUpByThoseWhoHaveThem) {
  for (const auto& [framework, times] : {std::pair{"ddp:ep=2,first=1e9,bucket=1e9", 1.0},
                                         {"per-tensor:ep=2", 1.0},
                                         {"zero1:ep=2", 2.0}}) {  // scattered, and gathered
    std::map<int, double> elements;                               // by group
    const Job job = training_job(experts(framework, 4));
    for (const JobActivity& a : job.roles[0].activities)
      if (a.kind == Kind::collective && a.collective != Collective::alltoall)
        elements[a.group] += a.bytes.value / 4;
    EXPECT_EQ(elements, (std::map<int, double>{{0, times * (160 + 256 + 32 + 24)}, {3, times * 768}}))
        << framework;
  }
  const Job whole = training_job(experts("ddp:ep=4", 4));  // nobody else has a rank's expert
  for (const JobActivity& a : whole.roles[0].activities) EXPECT_NE(a.group, 3);
  EXPECT_DOUBLE_EQ(memory_need(experts("ddp:ep=4", 4)).parameters.value, 4 * (472 + 384));
  EXPECT_DOUBLE_EQ(memory_need(experts("zero1:ep=2", 4)).optimizer.value, 8 * (472 / 4.0 + 768 / 2.0));
}

/// The first convolution of VGG reads 3 x 96 x 96, the second 64 x 96 x 96: a row of 288 and of 6,144
/// elements from each neighbour, forward and backward.
TEST(Training, ImagesAreSharedOutWithTheirEdges) {
  Training t = equal_layers(1, "ddp:sp=4", 8);
  t.model = load_model("vgg16:image=96");
  t.batch = 2;
  const Job job = training_job(t);
  std::vector<double> halos, joins;
  for (const JobActivity& a : job.roles[0].activities) {
    if (a.name == "halo") halos.push_back(a.bytes.value / 4 / 2);  // elements of a sample
    if (a.name == "gather parts") joins.push_back(a.bytes.value / 4 / 2);
  }
  ASSERT_EQ(halos.size(), 26u);  // 13 convolutions, there and back
  EXPECT_DOUBLE_EQ(halos[0], 2 * 288);
  EXPECT_DOUBLE_EQ(halos[1], 2 * 6144);
  EXPECT_DOUBLE_EQ(halos[25], 2 * 288);
  EXPECT_EQ(joins.size(), 1u);
  EXPECT_EQ(job.groups[0].dimensions, (std::vector<int>{0, 1, 2}));  // all add up gradients
  EXPECT_DOUBLE_EQ(global_batch(t), 4);

  t.framework = parse_framework("ddp:sp=2");  // a neighbour on one side
  const Job pair = training_job(t);
  const auto halo = std::ranges::find(pair.roles[0].activities, "halo", &JobActivity::name);
  ASSERT_NE(halo, pair.roles[0].activities.end());
  EXPECT_EQ(halo->collective, Collective::sendrecv);
  EXPECT_DOUBLE_EQ(halo->bytes.value, 288 * 4 * 2);

  t.framework = parse_framework("ddp:sp=4,recompute=1");  // rows come again with what is computed again
  const Job again = training_job(t);
  EXPECT_EQ(std::ranges::count(again.roles[0].activities, "halo", &JobActivity::name), 3 * 13);
}

}  // namespace
}  // namespace collcast::workloads

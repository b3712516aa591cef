// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workloads/playing/training_text.hpp"
#include "workloads/training/training.hpp"

namespace collcast::workloads {

inline Price nothing(const GroupCall&) {
  return {};
}
/// Gigabytes per second and no latency.
inline PriceOf bandwidth(double gigabytes) {
  return [=](const GroupCall& call) {
    const Seconds t(call.control ? 0 : call.bytes.value / gigabytes / 1e9);
    return Price{t, t, t, "bytes"};
  };
}

/// A floating-point operation takes a nanosecond, memory nothing.
inline Processor plain() {
  Processor p;
  p.name = "plain";
  p.flops = 1e9;
  p.bandwidth = BytesPerSecond(1e30);
  p.efficiency = {1, 1, 1, Seconds(), 0.1};
  return p;
}

/// `layers` of 1 ms forward, 2 ms backward and 1 MB of gradients (250,000 elements) each.
inline Training equal_layers(int layers, const std::string& framework, Rank ranks) {
  std::string table = "name,kind,flops,backward_flops,in_elements,out_elements,kept_elements,parameters\n";
  for (int i = 0; i < layers; ++i) table += "l" + std::to_string(i) + ",linear,1e6,2e6,1,1,1,250000\n";
  Training t;
  t.model = parse_model(table, "equal", "equal.csv");
  t.framework = parse_framework(framework);
  t.processor = plain();
  t.ranks = ranks;
  return t;
}

inline std::vector<Bytes> collectives(const Job& job) {
  std::vector<Bytes> sizes;
  for (const JobActivity& a : job.roles[0].activities)
    if (a.kind == JobActivity::Kind::collective) sizes.push_back(a.bytes);
  return sizes;
}

/// One block: hidden 8, 2 heads of queries, `kv_heads`, 8 words.
inline Training llama_of_8_words(const std::string& framework, Rank ranks, int kv_heads = 1) {
  Training t = equal_layers(1, framework, ranks);
  t.model = load_model("llama:layers=1,hidden=8,heads=2,kv-heads=" + std::to_string(kv_heads) +
                       ",sequence=8,vocabulary=10,feed-forward=16");
  t.batch = 2;
  return t;
}

/// One block: hidden 8, 2 heads, 4 words, 2 of 4 experts of 8 x 16 for each word.
inline Training experts(const std::string& framework, Rank ranks) {
  Training t = equal_layers(1, framework, ranks);
  t.model = load_model(
      "llama:layers=1,hidden=8,heads=2,kv-heads=2,sequence=4,vocabulary=10,feed-forward=16,experts=4,top=2");
  return t;
}

/// ResNet-50 with these settings.
inline TrainingText asked(const std::vector<std::pair<std::string TrainingText::*, std::string>>& settings) {
  TrainingText text;
  text.model = "resnet50";
  for (const auto& [field, value] : settings) text.*field = value;
  return text;
}

}  // namespace collcast::workloads

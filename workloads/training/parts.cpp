// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/parts.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "workloads/training/check.hpp"

namespace collcast::workloads {
namespace {

/// Parts of so many blocks each. Layers before and behind all blocks go to the first and the last part.
std::vector<Part> of_blocks(const Model& model, const std::vector<std::size_t>& blocks) {
  std::vector<Part> parts;
  std::size_t first = 0, block = 0;
  for (const std::size_t each : blocks) {
    block += each;
    const auto next = std::ranges::find(model.layers, static_cast<int>(block), &Layer::block);
    const bool last = parts.size() + 1 == blocks.size();
    const std::size_t end =
        last ? model.layers.size() : static_cast<std::size_t>(next - model.layers.begin());
    parts.push_back({first, end});
    first = end;
  }
  return parts;
}

/// Parts with equally many blocks.
std::vector<Part> by_blocks(const Model& model, int count) {
  if (model.blocks % count != 0) {
    std::string able;
    for (int parts = 1; parts <= model.blocks; ++parts)
      if (model.blocks % parts == 0) able += (able.empty() ? "" : ", ") + std::to_string(parts);
    reject_training(std::to_string(model.blocks) + " blocks of " + model.name + " do not divide into " +
                    std::to_string(count) + " parts of a pipeline, but into " + able +
                    "; balance= says the blocks, or the layers, of each part");
  }
  return of_blocks(
      model, std::vector(static_cast<std::size_t>(count), static_cast<std::size_t>(model.blocks / count)));
}

/// The number of parts if none may take longer than `most`; `cut` is told where each begins.
template <class Cut>
int greedy(const std::vector<double>& lengths, double most, Cut cut) {
  int count = 1;
  double filled = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (filled > 0 && filled + lengths[i] > most) ++count, filled = 0, cut(i);
    filled += lengths[i];
  }
  return count;
}

/// Parts such that the longest is as short as possible.
std::vector<Part> by_time(const std::vector<LayerTime>& times, int count) {
  if (times.size() < static_cast<std::size_t>(count))
    reject_training(std::to_string(times.size()) + " layers do not make " + std::to_string(count) +
                    " parts of a pipeline");
  std::vector<double> lengths;
  for (const LayerTime& t : times) lengths.push_back((t.forward + t.backward).value);
  double low = *std::ranges::max_element(lengths);
  double high = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (greedy(lengths, middle, [](std::size_t) {}) <= count ? high : low) = middle;
  }
  std::vector<std::size_t> cuts = {0};
  greedy(lengths, high, [&](std::size_t i) { cuts.push_back(i); });
  for (std::size_t i = times.size() - 1; cuts.size() < static_cast<std::size_t>(count); --i)
    if (std::ranges::find(cuts, i) == cuts.end()) cuts.push_back(i);  // fills up to `count` parts
  std::ranges::sort(cuts);
  cuts.push_back(times.size());
  std::vector<Part> parts;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) parts.push_back({cuts[k], cuts[k + 1]});
  return parts;
}

/// Parts as the framework states them, in blocks or in layers.
std::vector<Part> by_balance(const Model& model, const std::vector<std::size_t>& balance) {
  const std::size_t sum = std::accumulate(balance.begin(), balance.end(), std::size_t());
  if (model.blocks > 0 && sum == static_cast<std::size_t>(model.blocks)) return of_blocks(model, balance);
  std::vector<Part> parts;
  std::size_t first = 0;
  for (const std::size_t layers : balance) {
    parts.push_back({first, first + layers});
    first += layers;
  }
  if (sum != model.layers.size())
    reject_training("balance shares out " + std::to_string(sum) + ", " + model.name + " has " +
                    (model.blocks > 0 ? std::to_string(model.blocks) + " blocks, or " : "") +
                    std::to_string(model.layers.size()) + " layers");
  return parts;
}

}  // namespace

std::vector<Part> parts_of(const Training& t, const std::vector<LayerTime>& times, int count) {
  if (!t.framework.balance.empty()) return by_balance(t.model, t.framework.balance);
  if (count == 1) return {{0, t.model.layers.size()}};
  return t.model.blocks > 0 ? by_blocks(t.model, count) : by_time(times, count);
}

}  // namespace collcast::workloads

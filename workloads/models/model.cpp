// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/model.hpp"

#include <array>
#include <numeric>

#include "support/error.hpp"

namespace collcast::workloads {
namespace {

constexpr std::array<std::string_view, layer_kinds> kind_names = {"convolution",
                                                                  "pointwise-convolution",
                                                                  "convolution-3x3",
                                                                  "grouped-convolution",
                                                                  "depthwise-convolution",
                                                                  "linear",
                                                                  "attention",
                                                                  "normalization",
                                                                  "elementwise",
                                                                  "pooling",
                                                                  "average-pooling",
                                                                  "embedding"};

template <class Of>
double sum(const std::vector<Layer>& layers, Of of) {
  return std::accumulate(layers.begin(), layers.end(), 0.0,
                         [of](double total, const Layer& l) { return total + of(l); });
}

}  // namespace

std::string_view name(LayerKind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

LayerKind layer_kind(std::string_view name) {
  std::string known;
  for (std::size_t k = 0; k < layer_kinds; ++k) {
    if (kind_names[k] == name) return static_cast<LayerKind>(k);
    known += (k ? ", " : "") + std::string(kind_names[k]);
  }
  throw InputError("unknown kind of layer '" + std::string(name) + "'; known: " + known);
}

double Layer::parameters() const {
  return std::accumulate(tensors.begin(), tensors.end(), 0.0);
}

double Model::parameters() const {
  return sum(layers, [](const Layer& l) { return l.parameters(); });
}
double Model::flops() const {
  return sum(layers, [](const Layer& l) { return l.flops; });
}
double Model::backward_flops() const {
  return sum(layers, [](const Layer& l) { return l.backward_flops; });
}
double Model::kept() const {
  return sum(layers, [](const Layer& l) { return l.kept; });
}

}  // namespace collcast::workloads

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace collcast::workloads {

/// The kind of a layer, as far as its time depends on it.
enum class LayerKind : std::uint8_t {
  convolution,
  pointwise_convolution,  ///< of 1x1
  convolution_3x3,        ///< of stride 1: Winograd's algorithm, where it pays
  grouped_convolution,
  depthwise_convolution,
  linear,
  attention,      ///< matrix products without parameters
  normalization,  ///< over the batch or within a sample
  elementwise,
  pooling,
  average_pooling,  ///< of windows
  embedding,
};
constexpr std::size_t layer_kinds = 12;

std::string_view name(LayerKind kind);
/// Throws InputError that names the kinds.
LayerKind layer_kind(std::string_view name);

/// One operation of a model; all counts are those of one sample.
struct Layer {
  std::string name;
  LayerKind kind = LayerKind::elementwise;
  double flops = 0;           ///< forward; a multiply-add is two
  double backward_flops = 0;  ///< of data and weights
  double in = 0, out = 0;     ///< elements read and written forward
  double kept = 0;            ///< elements that the backward pass still needs
  /// Elements of each parameter tensor, in the order in which their gradients become ready: bias, weight.
  std::vector<double> tensors;
  int block = -1;  ///< the block of a transformer that it belongs to; -1: none
  /// What tensor parallelism does with the layer. whole: nothing; split: each rank computes a part. At the
  /// ends of a stretch of split layers, ranks sum up gradients before `enter` and results after `leave`.
  enum class Cut : std::uint8_t { whole, split, enter, leave };
  Cut cut = Cut::whole;
  /// The most parts that tensor parallelism cuts it into: heads of keys and values. More ranks have copies.
  /// 0: any.
  int parts = 0;
  bool core = false;    ///< in attention: scores, softmax and values, which selective recomputation repeats
  double head = 0;      ///< elements of a head, if attention is one kernel
  bool logits = false;  ///< the loss reads its output, in 32 bits
  /// The number of experts that its tensors belong to; each token goes to a few experts. 0: the layer has no
  /// experts.
  int experts = 0;
  /// What expert parallelism does: tokens go to the ranks of their experts before a `dispatch` layer, and
  /// come back after a `combine` layer.
  enum class Route : std::uint8_t { stay, dispatch, combine };
  Route route = Route::stay;
  /// What spatial parallelism does: a rank computes an `image` layer on its part of each sample, and needs
  /// `halo` elements from each neighbour before.
  bool image = false;
  double halo = 0;
  /// The layers whose output it reads; empty: the layer before, or the sample.
  std::vector<std::size_t> reads = {};

  double parameters() const;
  bool operator==(const Layer&) const = default;
};

/// A network in forward order: gradients become ready from its end to its beginning.
struct Model {
  std::string name;
  std::string sample;  ///< what a sample is: "image 3x224x224"
  std::string source;  ///< of the architecture
  std::vector<Layer> layers;
  double sample_bytes = 0;  ///< of a sample, as it is read
  int height = 0;           ///< of an image; 0: samples are no images
  int blocks = 0;           ///< of a transformer: pipelines are cut between them
  int heads = 0;            ///< of its attention: tensor parallelism divides them
  int kv_heads = 0;         ///< heads of keys and values
  int experts = 0;          ///< in a block; 0: it is dense
  double tied = 0;          ///< elements of parameters that the first and the last layers share

  double parameters() const;
  double flops() const;  ///< forward
  double backward_flops() const;
  double kept() const;
};

/// A model that `load_model` knows, with a line of description.
struct ModelName {
  std::string_view name;
  std::string_view description;
};
const std::vector<ModelName>& model_names();

/// A known architecture, with other sizes behind a colon: "resnet50", "vgg16:image=299",
/// "gpt:layers=24,hidden=1024,heads=16,sequence=1024"; or a user's table, if the name ends in .csv or holds a
/// slash. Throws InputError.
Model load_model(const std::string& text);

/// A table with the header of `model_csv`, the columns up to `parameters` at least; `file` is what errors
/// name. Throws InputError.
Model parse_model(const std::string& csv, const std::string& name, const std::string& file);
/// The table of a model, with everything but its name and source.
std::string model_csv(const Model& model);

}  // namespace collcast::workloads

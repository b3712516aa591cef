// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace collcast::workloads {

/// What a layer does, as far as its time depends on it.
enum class LayerKind : std::uint8_t {
  convolution,
  pointwise_convolution,  ///< of 1x1
  convolution_3x3,        ///< of stride 1: by Winograd's algorithm, where it pays
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
  int block = -1;  ///< of a transformer, that it belongs to
  /// What tensor parallelism does with it: nothing; each rank computes a part; and at the ends of a stretch
  /// of such layers, ranks sum up gradients before `enter`, results behind `leave`.
  enum class Cut : std::uint8_t { whole, split, enter, leave };
  Cut cut = Cut::whole;
  int parts = 0;      ///< into which it can be cut: heads of keys and values; more ranks have copies. 0: any
  bool core = false;  ///< of attention: scores, softmax and values, which selective recomputation repeats
  double head = 0;    ///< elements of a head, where attention is one kernel
  bool logits = false;  ///< the loss reads what it makes, in 32 bits
  /// Among how many experts its tensors are shared out; each sample's words go to a few of them. 0: it is
  /// everybody's.
  int experts = 0;
  /// What expert parallelism does beside it: words go to the ranks of their experts before `dispatch`, and
  /// come back behind `combine`.
  enum class Route : std::uint8_t { stay, dispatch, combine };
  Route route = Route::stay;
  /// What spatial parallelism does: `image` layers work on a part of each sample, and need `halo` elements
  /// from each neighbour before.
  bool image = false;
  double halo = 0;
  /// Layers whose output it reads; empty: the one before, or the sample.
  std::vector<std::size_t> reads = {};

  double parameters() const;
  bool operator==(const Layer&) const = default;
};

/// A network in forward order: gradients become ready from its end to its beginning.
struct Model {
  std::string name;
  std::string sample;  ///< what one is: "image 3x224x224"
  std::string source;  ///< of the architecture
  std::vector<Layer> layers;
  double sample_bytes = 0;  ///< of one, as it is read
  int height = 0;           ///< of an image; 0: of what is none
  int blocks = 0;           ///< of a transformer: pipelines are cut between them
  int heads = 0;            ///< of its attention: tensor parallelism shares them out
  int kv_heads = 0;         ///< of keys and values
  int experts = 0;          ///< in a block; 0: it is dense
  double tied = 0;          ///< elements of parameters that the first and the last layers share

  double parameters() const;
  double flops() const;  ///< forward
  double backward_flops() const;
  double kept() const;
};

/// What `model` knows, each with a line of description.
struct ModelName {
  std::string_view name;
  std::string_view description;
};
const std::vector<ModelName>& model_names();

/// A known architecture, its sizes changed behind a colon: "resnet50", "vgg16:image=299",
/// "gpt:layers=24,hidden=1024,heads=16,sequence=1024"; or a user's table, if the name ends in .csv or holds a
/// slash. Throws InputError.
Model load_model(const std::string& text);

/// A table with the header of `model_csv`, the columns up to `parameters` at least; `file` is what errors
/// name. Throws InputError.
Model parse_model(const std::string& csv, const std::string& name, const std::string& file);
/// The same table, of any model: all of it but its name and source.
std::string model_csv(const Model& model);

}  // namespace collcast::workloads

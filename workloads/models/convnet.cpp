// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/convnet.hpp"

namespace collcast::workloads {
namespace {

int slid(int size, int window, int stride, int pad, int dilation, bool ceil = false) {
  const int room = size + 2 * pad - dilation * (window - 1) - 1;
  return (room + (ceil ? stride - 1 : 0)) / stride + 1;
}

LayerKind dense(const Window& w) {
  if (w.height == 1 && w.width == 1) return LayerKind::pointwise_convolution;
  const bool plain = w.stride == 1 && w.stride_width <= 1 && w.dilation == 1;
  return w.height == 3 && w.width == 3 && plain ? LayerKind::convolution_3x3 : LayerKind::convolution;
}

}  // namespace

/// Appends a layer. It works on images if these have more than a pixel, and needs `rows` rows from each
/// neighbour: half of what its window covers beyond one pixel.
void ConvNet::append(Layer layer, Shape out, int rows) {
  layer.image = layer.kind != LayerKind::linear && shape.height > 1;
  if (layer.image) layer.halo = 1.0 * shape.channels * shape.width * rows;
  layer.reads = std::move(shape.from);
  out.from = {model.layers.size()};
  model.layers.push_back(std::move(layer));
  shape = std::move(out);
}

void ConvNet::convolution(const std::string& name, int channels, Window w, int groups, bool bias) {
  const int across = w.stride_width ? w.stride_width : w.stride;
  const Shape out = {channels, slid(shape.height, w.height, w.stride, w.pad_height, w.dilation),
                     slid(shape.width, w.width, across, w.pad_width, w.dilation)};
  const double weights = 1.0 * channels * (shape.channels / groups) * w.height * w.width;
  const double flops = 2 * weights * out.height * out.width;
  const LayerKind kind = groups == 1                ? dense(w)
                         : groups == shape.channels ? LayerKind::depthwise_convolution
                                                    : LayerKind::grouped_convolution;
  const bool first = model.layers.empty();  // the input's gradient is not computed
  std::vector<double> tensors = {weights};
  if (bias) tensors = {1.0 * channels, weights};
  append({name, kind, flops, first ? flops : 2 * flops, shape.elements(), out.elements(), out.elements(),
          tensors},
         out, (w.height - 1) / 2 * w.dilation);
}

void ConvNet::batch_norm(const std::string& name) {
  const double n = shape.elements(), c = shape.channels;
  append({name, LayerKind::normalization, 0, 0, n, n, n, {c, c}}, shape);
}

void ConvNet::instance_norm(const std::string& name) {
  const double n = shape.elements();
  append({name, LayerKind::normalization, 0, 0, n, n, n, {}}, shape);
}

void ConvNet::relu(const std::string& name) {
  elementwise(name, false);
}

void ConvNet::unit(const std::string& name, int channels, Window window, int groups) {
  convolution(name + ".conv", channels, window, groups);
  batch_norm(name + ".bn");
  relu(name + ".relu");
}

void ConvNet::pool(const std::string& name, Window w, bool ceil) {
  pool(name, LayerKind::pooling, w, ceil);
}
void ConvNet::average_pool(const std::string& name, Window w) {
  pool(name, LayerKind::average_pooling, w, false);
}
void ConvNet::pool(const std::string& name, LayerKind kind, Window w, bool ceil) {
  const Shape out = {shape.channels, slid(shape.height, w.height, w.stride, w.pad_height, 1, ceil),
                     slid(shape.width, w.width, w.stride, w.pad_width, 1, ceil)};
  append({name, kind, 0, 0, shape.elements(), out.elements(), out.elements(), {}}, out, (w.height - 1) / 2);
}

void ConvNet::global_pool(const std::string& name) {
  const Shape out = {shape.channels, 1, 1};
  append({name, LayerKind::pooling, 0, 0, shape.elements(), out.elements(), out.elements(), {}}, out);
}

void ConvNet::add(const std::string& name, const Shape& other) {
  const double n = shape.elements();
  const Shape out = shape;
  shape.from.insert(shape.from.end(), other.from.begin(), other.from.end());
  append({name, LayerKind::elementwise, 0, 0, 2 * n, n, n, {}}, out);
}

void ConvNet::concatenate(const std::vector<Shape>& branches) {
  Shape all = {0, branches[0].height, branches[0].width};
  for (const Shape& b : branches) {
    all.channels += b.channels;
    all.from.insert(all.from.end(), b.from.begin(), b.from.end());
  }
  shape = std::move(all);
}

void ConvNet::elementwise(const std::string& name, bool kept, int factor) {
  const Shape out = {shape.channels, factor * shape.height, factor * shape.width};
  append(
      {name, LayerKind::elementwise, 0, 0, shape.elements(), out.elements(), kept ? out.elements() : 0, {}},
      out);
}

void ConvNet::linear(const std::string& name, int out, bool bias) {
  const double in = shape.elements(), weights = in * out;
  std::vector<double> tensors = {weights};
  if (bias) tensors = {1.0 * out, weights};
  append({name, LayerKind::linear, 2 * weights, 4 * weights, in, 1.0 * out, 1.0 * out, tensors}, {out, 1, 1});
}

Model image_model(std::string name, int height, int width, std::string source) {
  Model model;
  model.name = std::move(name);
  model.sample = "image 3x" + std::to_string(height) + "x" + std::to_string(width);
  model.source = std::move(source);
  model.sample_bytes = 4.0 * 3 * height * width;
  model.height = height;
  return model;
}

}  // namespace collcast::workloads

// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/convnet.hpp"

namespace collcast::workloads {
namespace {

int slid(int size, int window, int stride, int pad, int dilation, bool ceil = false) {
  const int room = size + 2 * pad - dilation * (window - 1) - 1;
  return (room + (ceil ? stride - 1 : 0)) / stride + 1;
}

/// The last layer works on images, as long as there is more than a pixel, and needs `rows` of them from each
/// neighbour: half of what its window covers beside one pixel.
void on_image(Model& model, const Shape& in, int rows = 0) {
  Layer& l = model.layers.back();
  l.image = in.height > 1;
  if (l.image) l.halo = 1.0 * in.channels * in.width * rows;
}

}  // namespace

void ConvNet::convolution(const std::string& name, int channels, Window w, int groups, bool bias) {
  const Shape in = shape;
  shape = {channels, slid(in.height, w.height, w.stride, w.pad_height, w.dilation),
           slid(in.width, w.width, w.stride, w.pad_width, w.dilation)};
  const double weights = 1.0 * channels * (in.channels / groups) * w.height * w.width;
  const double flops = 2 * weights * shape.height * shape.width;
  const LayerKind kind = groups == 1             ? LayerKind::convolution
                         : groups == in.channels ? LayerKind::depthwise_convolution
                                                 : LayerKind::grouped_convolution;
  const bool first = model.layers.empty();  // nobody asks for the gradient of the input
  std::vector<double> tensors = {weights};
  if (bias) tensors = {1.0 * channels, weights};
  model.layers.push_back({name, kind, flops, first ? flops : 2 * flops, in.elements(), shape.elements(),
                          shape.elements(), tensors});
  on_image(model, in, (w.height - 1) / 2 * w.dilation);
}

void ConvNet::batch_norm(const std::string& name) {
  const double n = shape.elements(), c = shape.channels;
  model.layers.push_back({name, LayerKind::normalization, 0, 0, n, n, n, {c, c}});
  on_image(model, shape);
}

void ConvNet::relu(const std::string& name) {
  const double n = shape.elements();
  model.layers.push_back({name, LayerKind::elementwise, 0, 0, n, n, 0, {}});
  on_image(model, shape);
}

void ConvNet::unit(const std::string& name, int channels, Window window, int groups) {
  convolution(name + ".conv", channels, window, groups);
  batch_norm(name + ".bn");
  relu(name + ".relu");
}

void ConvNet::pool(const std::string& name, Window w, bool ceil) {
  const Shape in = shape;
  shape.height = slid(shape.height, w.height, w.stride, w.pad_height, 1, ceil);
  shape.width = slid(shape.width, w.width, w.stride, w.pad_width, 1, ceil);
  model.layers.push_back(
      {name, LayerKind::pooling, 0, 0, in.elements(), shape.elements(), shape.elements(), {}});
  on_image(model, in, (w.height - 1) / 2);
}

void ConvNet::global_pool(const std::string& name) {
  const Shape in = shape;
  shape.height = shape.width = 1;
  model.layers.push_back(
      {name, LayerKind::pooling, 0, 0, in.elements(), shape.elements(), shape.elements(), {}});
  on_image(model, in);
}

void ConvNet::add(const std::string& name) {
  const double n = shape.elements();
  model.layers.push_back({name, LayerKind::elementwise, 0, 0, 2 * n, n, n, {}});
  on_image(model, shape);
}

void ConvNet::linear(const std::string& name, int out, bool bias) {
  const double in = shape.elements(), weights = in * out;
  shape = {out, 1, 1};
  std::vector<double> tensors = {weights};
  if (bias) tensors = {1.0 * out, weights};
  model.layers.push_back(
      {name, LayerKind::linear, 2 * weights, 4 * weights, in, 1.0 * out, 1.0 * out, tensors});
}

Model image_model(std::string name, int height, int width, std::string source) {
  Model model;
  model.name = std::move(name);
  model.sample = "image 3x" + std::to_string(height) + "x" + std::to_string(width);
  model.source = std::move(source);
  model.sample_bytes = 4.0 * 3 * height * width;
  return model;
}

}  // namespace collcast::workloads

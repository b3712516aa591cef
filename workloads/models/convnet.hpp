// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/models/model.hpp"

namespace collcast::workloads {

/// What one layer hands to the next.
struct Shape {
  int channels = 0, height = 0, width = 0;
  std::vector<std::size_t> from = {};  ///< the layers that made it; empty: the sample
  double elements() const { return 1.0 * channels * height * width; }
};

/// The window of a convolution or pooling, square or oblong.
struct Window {
  int height, width;
  int stride = 1;
  int pad_height = 0, pad_width = 0;
  int dilation = 1;
  int stride_width = 0;  ///< 0: as along the height

  /// A window of k x k, padded so that a stride of 1 keeps the size.
  static Window same(int k, int stride = 1, int dilation = 1) {
    const int pad = (k - 1) / 2 * dilation;
    return {k, k, stride, pad, pad, dilation};
  }
  /// A window of k x k, padded by `pad`.
  static Window square(int k, int stride = 1, int pad = 0) { return {k, k, stride, pad, pad}; }
  /// A window of `height` x `width`, padded so that it keeps the size.
  static Window oblong(int height, int width) {
    return {height, width, 1, (height - 1) / 2, (width - 1) / 2};
  }
};
inline const Window one_by_one = Window::square(1);

/// Appends layers to a model; the next one reads `shape`. To add a branch, set `shape` back; `concatenate`
/// and `add` join branches.
struct ConvNet {
  explicit ConvNet(Model& m) : model(m) {}
  Model& model;
  Shape shape;

  void convolution(const std::string& name, int channels, Window window, int groups = 1, bool bias = false);
  void batch_norm(const std::string& name);
  void instance_norm(const std::string& name);  ///< without parameters
  void relu(const std::string& name);           ///< keeps no more elements
  /// convolution, batch_norm and relu.
  void unit(const std::string& name, int channels, Window window, int groups = 1);
  void pool(const std::string& name, Window window, bool ceil = false);  ///< the maximum of each window
  void average_pool(const std::string& name, Window window);
  void global_pool(const std::string& name);
  void add(const std::string& name, const Shape& other);  ///< of another branch, of the same shape
  /// Puts the channels of several branches together, with the size of the first; copies nothing.
  void concatenate(const std::vector<Shape>& branches);
  /// An elementwise layer with an output tensor of its own, `factor` times as high and wide.
  void elementwise(const std::string& name, bool kept, int factor = 1);
  void linear(const std::string& name, int out, bool bias = true);

 private:
  void pool(const std::string& name, LayerKind kind, Window window, bool ceil);
  void append(Layer layer, Shape out, int rows = 0);
};

/// A model whose samples are images of 3 channels.
Model image_model(std::string name, int height, int width, std::string source);

}  // namespace collcast::workloads

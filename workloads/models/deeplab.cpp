// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "workloads/models/architectures.hpp"
#include "workloads/models/backbones.hpp"

namespace collcast::workloads {
namespace {

constexpr int classes = 21;

Window dilated(int rate) {
  return Window::same(3, 1, rate);
}

/// A depthwise 3x3 and a pointwise convolution, each with a batch norm.
void separable(ConvNet& net, const std::string& name, int channels, Window window) {
  net.convolution(name + "_depthwise", net.shape.channels, window, net.shape.channels);
  net.batch_norm(name + "_depthwise.bn");
  net.convolution(name + "_pointwise", channels, one_by_one);
  net.batch_norm(name + "_pointwise.bn");
  net.relu(name + ".relu");
}

/// Three separable convolutions, with a 1x1 or the identity as shortcut.
void xception_block(ConvNet& net, const std::string& name, std::array<int, 3> channels, int stride,
                    bool fit) {
  const Shape in = net.shape;
  for (int i = 0; i < 3; ++i)
    separable(net, name + ".sep" + std::to_string(i + 1), channels[static_cast<std::size_t>(i)],
              Window::same(3, i == 2 ? stride : 1));
  const Shape out = net.shape;
  net.shape = in;
  if (fit) {
    net.convolution(name + ".shortcut", channels[2], Window::square(1, stride));
    net.batch_norm(name + ".shortcut.bn");
  }
  net.add(name + ".add", out);
}

/// Xception-65 without its classifier; returns the shape of its first features of a quarter of the size.
Shape xception65_features(ConvNet& net) {
  net.unit("entry.conv1_1", 32, Window::same(3, 2));
  net.unit("entry.conv1_2", 64, Window::same(3));
  xception_block(net, "entry.block1", {128, 128, 128}, 2, true);
  Shape low = net.shape;  // the features are the next block's, before its stride
  low.channels = 256;
  xception_block(net, "entry.block2", {256, 256, 256}, 2, true);
  xception_block(net, "entry.block3", {728, 728, 728}, 2, true);
  for (int i = 1; i <= 16; ++i)
    xception_block(net, "middle.block" + std::to_string(i), {728, 728, 728}, 1, false);
  xception_block(net, "exit.block1", {728, 1024, 1024}, 1, true);
  const std::array<int, 3> last = {1536, 1536, 2048};
  for (std::size_t i = 0; i < last.size(); ++i)
    separable(net, "exit.block2.sep" + std::to_string(i + 1), last[i], Window::same(3));
  return low;
}

/// The convolution of an ASPP branch or of the decoder: dense after ResNet, separable after Xception.
void refine(ConvNet& net, const std::string& name, Window window, bool as_separable) {
  if (as_separable)
    separable(net, name, 256, window);
  else
    net.unit(name, 256, window);
}

void head(ConvNet& net, Shape low, bool as_separable) {
  const Shape in = net.shape;
  net.unit("aspp.0", 256, one_by_one);
  std::vector<Shape> branches = {net.shape};
  for (const int rate : {6, 12, 18}) {
    net.shape = in;
    refine(net, "aspp." + std::to_string(rate), dilated(rate), as_separable);
    branches.push_back(net.shape);
  }
  net.shape = in;
  net.global_pool("aspp.pool");
  net.unit("aspp.image", 256, one_by_one);
  branches.push_back(net.shape);
  net.concatenate(branches);
  net.unit("aspp.project", 256, one_by_one);
  const Shape wide = net.shape;
  net.shape = std::move(low);
  net.unit("decoder.project", 48, one_by_one);
  net.concatenate({net.shape, wide});
  refine(net, "decoder.conv0", Window::same(3), as_separable);
  refine(net, "decoder.conv1", Window::same(3), as_separable);
  net.convolution("decoder.logits", classes, one_by_one, 1, true);
}

}  // namespace

Model architectures::deeplab_v3plus_resnet101(int image) {
  Model model =
      image_model("deeplabv3plus-resnet101", image, image, "Chen et al., ECCV 2018; output stride 16");
  ConvNet net(model);
  net.shape = {3, image, image};
  head(net, resnet_features(net, 101, true, false), false);
  return model;
}

Model architectures::deeplab_v3plus_xception65(int image) {
  Model model =
      image_model("deeplabv3plus-xception65", image, image, "Chen et al., ECCV 2018; output stride 16");
  ConvNet net(model);
  net.shape = {3, image, image};
  const Shape low = xception65_features(net);
  head(net, low, true);
  return model;
}

}  // namespace collcast::workloads

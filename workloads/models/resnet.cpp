// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>

#include "workloads/models/architectures.hpp"
#include "workloads/models/backbones.hpp"

namespace collcast::workloads {
namespace {

const std::map<int, std::array<int, 4>> depths = {
    {50, {3, 4, 6, 3}}, {101, {3, 4, 23, 3}}, {152, {3, 8, 36, 3}}};

/// Convolutions 1x1, 3x3, 1x1, with the identity as shortcut, or a 1x1 that fits it.
void bottleneck(ConvNet& net, const std::string& name, int width, int stride, int dilation, bool fit,
                bool stride_first) {
  const Shape in = net.shape;
  net.convolution(name + ".conv1", width, Window::square(1, stride_first ? stride : 1));
  net.batch_norm(name + ".bn1");
  net.relu(name + ".relu1");
  net.convolution(name + ".conv2", width, Window::same(3, stride_first ? 1 : stride, dilation));
  net.batch_norm(name + ".bn2");
  net.relu(name + ".relu2");
  net.convolution(name + ".conv3", 4 * width, one_by_one);
  net.batch_norm(name + ".bn3");
  const Shape out = net.shape;
  net.shape = in;
  if (fit) {
    net.convolution(name + ".downsample.0", 4 * width, Window::square(1, stride));
    net.batch_norm(name + ".downsample.1");
  }
  net.add(name + ".add", out);
  net.relu(name + ".relu3");
}

/// Batch norm, ReLU and 1x1, the same with 3x3 and with 1x1; the shortcut is the identity, or a 1x1 that fits
/// it.
void preactivated(ConvNet& net, const std::string& name, int width, int stride, bool fit) {
  const Shape in = net.shape;
  const auto unit = [&](const std::string& part, int channels, Window window) {
    net.batch_norm(name + ".bn" + part);
    net.relu(name + ".relu" + part);
    net.convolution(name + ".conv" + part, channels, window);
  };
  unit("1", width, Window::square(1, stride));
  unit("2", width, Window::same(3));
  unit("3", 4 * width, one_by_one);
  const Shape out = net.shape;
  net.shape = in;
  if (fit) net.convolution(name + ".downsample", 4 * width, Window::square(1, stride));
  net.add(name + ".add", out);
}

Model classifier(int layers, int image, bool stride_first, const std::string& name) {
  Model model = image_model(
      name, image, image, stride_first ? "He et al., CVPR 2016" : "He et al., CVPR 2016; torchvision (v1.5)");
  ConvNet net(model);
  net.shape = {3, image, image};
  resnet_features(net, layers, false, stride_first);
  net.global_pool("avgpool");
  net.linear("fc", 1000);
  return model;
}

}  // namespace

Shape resnet_features(ConvNet& net, int layers, bool dilated, bool stride_first) {
  net.convolution("conv1", 64, Window::same(7, 2));
  net.batch_norm("bn1");
  net.relu("relu");
  net.pool("maxpool", Window::square(3, 2, 1));
  Shape low;
  for (int stage = 0; stage < 4; ++stage) {
    const bool kept = dilated && stage == 3;  // an output stride of 16 keeps the last stage's size
    for (int block = 0; block < depths.at(layers)[static_cast<std::size_t>(stage)]; ++block) {
      const int stride = block == 0 && stage > 0 && !kept ? 2 : 1;
      bottleneck(net, "layer" + std::to_string(stage + 1) + "." + std::to_string(block), 64 << stage, stride,
                 kept ? 2 : 1, block == 0, stride_first);
    }
    if (stage == 0) low = net.shape;
  }
  return low;
}

Model architectures::resnet(int layers, int image) {
  return classifier(layers, image, false, "resnet" + std::to_string(layers));
}
Model architectures::resnet_v1(int layers, int image) {
  return classifier(layers, image, true, "resnet" + std::to_string(layers) + "-v1");
}

Model architectures::resnet_v2(int layers, int image) {
  Model model = image_model("resnet-v2", image, image, "He et al., ECCV 2016 (CIFAR)");
  ConvNet net(model);
  net.shape = {3, image, image};
  net.convolution("conv1", 16, Window::same(3));
  for (int stage = 0; stage < 3; ++stage)
    for (int block = 0; block < (layers - 2) / 9; ++block)
      preactivated(net, "layer" + std::to_string(stage + 1) + "." + std::to_string(block), 16 << stage,
                   block == 0 && stage > 0 ? 2 : 1, block == 0);
  net.batch_norm("bn");
  net.relu("relu");
  net.global_pool("avgpool");
  net.linear("fc", 10);
  return model;
}

}  // namespace collcast::workloads

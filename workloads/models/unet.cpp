// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/architectures.hpp"
#include "workloads/models/convnet.hpp"

namespace collcast::workloads {
namespace {

/// A convolution, dropout, an instance norm without parameters and a leaky ReLU, `count` times.
void cell(ConvNet& net, const std::string& name, int count, int between, int channels) {
  for (int i = 0; i < count; ++i) {
    const std::string at = name + "." + std::to_string(i);
    net.convolution(at + ".conv", i + 1 == count ? channels : between, Window::same(3));
    net.elementwise(at + ".dropout", false);
    net.instance_norm(at + ".norm");
    net.elementwise(at + ".relu", true);
  }
}

}  // namespace

Model architectures::unet(const UNet& sizes) {
  Model model =
      image_model("unet", sizes.image, sizes.image, "kakaobrain/torchgpipe a1b4ee2: its simplified U-Net");
  ConvNet net(model);
  net.shape = {3, sizes.image, sizes.image};
  std::vector<Shape> skips;
  for (int level = 0; level < sizes.depth; ++level) {
    const std::string name = "encoder." + std::to_string(level);
    cell(net, name, sizes.convolutions, sizes.channels << level, sizes.channels << level);
    skips.push_back(net.shape);
    net.pool(name + ".down", Window::square(2, 2));
  }
  const int widest = sizes.channels << sizes.depth;
  cell(net, "bottleneck", sizes.convolutions, widest, widest / 2);
  for (int level = sizes.depth; level-- > 0;) {
    const std::string name = "decoder." + std::to_string(level);
    net.elementwise(name + ".up", false, 2);
    net.concatenate({net.shape, skips[static_cast<std::size_t>(level)]});
    net.elementwise(name + ".skip", true);
    cell(net, name, sizes.convolutions, (sizes.channels << level) / 2, (sizes.channels << level) / 2);
  }
  net.convolution("segment", 1, one_by_one);
  return model;
}

}  // namespace collcast::workloads

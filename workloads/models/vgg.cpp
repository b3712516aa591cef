// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/architectures.hpp"
#include "workloads/models/convnet.hpp"

namespace collcast::workloads::architectures {

Model vgg16(int image) {
  Model model = image_model("vgg16", image, image, "Simonyan and Zisserman, ICLR 2015; torchvision");
  ConvNet net(model);
  net.shape = {3, image, image};
  int index = 0;
  const auto next = [&index] { return "features." + std::to_string(index++); };
  for (const auto& [channels, convolutions] : {std::pair{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}}) {
    for (int i = 0; i < convolutions; ++i) {
      net.convolution(next(), channels, Window::same(3), 1, true);
      net.relu(next());
    }
    net.pool(next(), Window::square(2, 2));
  }
  net.shape.height = net.shape.width = 7;  // adaptive average pooling
  net.linear("classifier.0", 4096);
  net.linear("classifier.3", 4096);
  net.linear("classifier.6", 1000);
  return model;
}

Model alexnet(int image) {
  Model model = image_model("alexnet", image, image, "Krizhevsky 2014 (one tower); torchvision");
  ConvNet net(model);
  net.shape = {3, image, image};
  struct Stage {
    int channels;
    Window window;
    bool pooled;
  };
  int index = 0;
  for (const auto& [channels, window, pooled] : {Stage{64, Window::square(11, 4, 2), true},
                                                 {192, Window::same(5), true},
                                                 {384, Window::same(3), false},
                                                 {256, Window::same(3), false},
                                                 {256, Window::same(3), true}}) {
    const std::string name = "features." + std::to_string(index++);
    net.convolution(name, channels, window, 1, true);
    net.relu(name + ".relu");
    if (pooled) net.pool(name + ".pool", Window::square(3, 2));
  }
  net.shape.height = net.shape.width = 6;  // adaptive average pooling
  net.linear("classifier.1", 4096);
  net.linear("classifier.4", 4096);
  net.linear("classifier.6", 1000);
  return model;
}

}  // namespace collcast::workloads::architectures

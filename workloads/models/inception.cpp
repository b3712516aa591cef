// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/architectures.hpp"
#include "workloads/models/convnet.hpp"

namespace collcast::workloads {
namespace {

struct Unit {
  const char* name;
  int channels;
  Window window;
  bool fork = false;  ///< the next unit has the same input as this one
};
using Branch = std::vector<Unit>;

const Window three = Window::same(3), shrink = Window::square(3, 2);

/// Branches side by side on the same input, with their outputs concatenated. `pooled`: the input also goes
/// through a pool of stride 2, as a further branch.
void mixed(ConvNet& net, const std::string& name, const std::vector<Branch>& branches, bool pooled = false) {
  const Shape in = net.shape;
  std::vector<Shape> made;
  for (const Branch& branch : branches) {
    net.shape = in;
    for (const Unit& unit : branch) {
      const Shape before = net.shape;
      net.unit(name + "." + unit.name, unit.channels, unit.window);
      if (unit.fork) made.push_back(net.shape), net.shape = before;
    }
    made.push_back(net.shape);
  }
  if (pooled) net.shape = in, net.pool(name + ".pool", shrink), made.push_back(net.shape);
  net.concatenate(made);
}

Branch pooled(int channels) {
  return {{"branch_pool", channels, one_by_one}};
}

void block_a(ConvNet& net, const std::string& name, int pool_channels) {
  mixed(net, name,
        {{{"branch1x1", 64, one_by_one}},
         {{"branch5x5_1", 48, one_by_one}, {"branch5x5_2", 64, Window::same(5)}},
         {{"branch3x3dbl_1", 64, one_by_one}, {"branch3x3dbl_2", 96, three}, {"branch3x3dbl_3", 96, three}},
         pooled(pool_channels)});
}

void block_c(ConvNet& net, const std::string& name, int width) {
  const Window wide = Window::oblong(1, 7), high = Window::oblong(7, 1);
  mixed(net, name,
        {{{"branch1x1", 192, one_by_one}},
         {{"branch7x7_1", width, one_by_one}, {"branch7x7_2", width, wide}, {"branch7x7_3", 192, high}},
         {{"branch7x7dbl_1", width, one_by_one},
          {"branch7x7dbl_2", width, high},
          {"branch7x7dbl_3", width, wide},
          {"branch7x7dbl_4", width, high},
          {"branch7x7dbl_5", 192, wide}},
         pooled(192)});
}

void block_e(ConvNet& net, const std::string& name) {
  const Window wide = Window::oblong(1, 3), high = Window::oblong(3, 1);
  mixed(net, name,
        {{{"branch1x1", 320, one_by_one}},
         {{"branch3x3_1", 384, one_by_one}, {"branch3x3_2a", 384, wide, true}, {"branch3x3_2b", 384, high}},
         {{"branch3x3dbl_1", 448, one_by_one},
          {"branch3x3dbl_2", 384, three},
          {"branch3x3dbl_3a", 384, wide, true},
          {"branch3x3dbl_3b", 384, high}},
         pooled(192)});
}

void auxiliary_head(ConvNet& net) {
  const Shape in = net.shape;
  net.pool("AuxLogits.pool", Window::square(5, 3));
  net.unit("AuxLogits.conv0", 128, one_by_one);
  net.unit("AuxLogits.conv1", 768, Window::square(5));
  net.linear("AuxLogits.fc", 1000);
  net.shape = in;
}

void stem(ConvNet& net) {
  net.unit("Conv2d_1a_3x3", 32, shrink);
  net.unit("Conv2d_2a_3x3", 32, Window::square(3));
  net.unit("Conv2d_2b_3x3", 64, three);
  net.pool("maxpool1", shrink);
  net.unit("Conv2d_3b_1x1", 80, one_by_one);
  net.unit("Conv2d_4a_3x3", 192, Window::square(3));
  net.pool("maxpool2", shrink);
}

}  // namespace

Model architectures::inception_v3(int image) {
  Model model = image_model("inception-v3", image, image, "Szegedy et al., CVPR 2016; torchvision");
  ConvNet net(model);
  net.shape = {3, image, image};
  stem(net);
  block_a(net, "Mixed_5b", 32);
  block_a(net, "Mixed_5c", 64);
  block_a(net, "Mixed_5d", 64);
  mixed(net, "Mixed_6a",
        {{{"branch3x3", 384, shrink}},
         {{"branch3x3dbl_1", 64, one_by_one}, {"branch3x3dbl_2", 96, three}, {"branch3x3dbl_3", 96, shrink}}},
        true);
  block_c(net, "Mixed_6b", 128);
  block_c(net, "Mixed_6c", 160);
  block_c(net, "Mixed_6d", 160);
  block_c(net, "Mixed_6e", 192);
  auxiliary_head(net);
  mixed(net, "Mixed_7a",
        {{{"branch3x3_1", 192, one_by_one}, {"branch3x3_2", 320, shrink}},
         {{"branch7x7x3_1", 192, one_by_one},
          {"branch7x7x3_2", 192, Window::oblong(1, 7)},
          {"branch7x7x3_3", 192, Window::oblong(7, 1)},
          {"branch7x7x3_4", 192, shrink}}},
        true);
  block_e(net, "Mixed_7b");
  block_e(net, "Mixed_7c");
  net.global_pool("avgpool");
  net.linear("fc", 1000);
  return model;
}

}  // namespace collcast::workloads

// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "workloads/models/architectures.hpp"
#include "workloads/models/convnet.hpp"

namespace collcast::workloads {
namespace {

/// A ReLU, a convolution and a batch norm. The ReLU's output is kept, the norm's is not.
void relu_unit(ConvNet& net, const std::string& name, int channels, Window window = one_by_one) {
  net.relu(name + ".relu");
  net.convolution(name + ".conv", channels, window);
  net.batch_norm(name + ".bn");
}

/// Every second pixel of the image and of the image moved by one, through a 1x1 convolution each.
void factorized_reduce(ConvNet& net, const std::string& name, int channels) {
  net.relu(name + ".relu");
  const Shape in = net.shape;
  net.convolution(name + ".conv1", channels / 2, Window::square(1, 2));
  const Shape even = net.shape;
  net.shape = in;
  net.elementwise(name + ".pad", true);
  net.convolution(name + ".conv2", channels / 2, Window::square(1, 2));
  net.concatenate({even, net.shape});
  net.elementwise(name + ".concat", false);
  net.batch_norm(name + ".bn");
}

using Operation = void (*)(ConvNet& net, const std::string& name, int stride);

void identity(ConvNet&, const std::string&, int) {}
void pool_3x3(ConvNet& net, const std::string& name, int stride) {
  net.average_pool(name + ".pool3x3", Window::same(3, stride));  // stands for torchgpipe's max_pool_3x3, too
}
void pool_2x2(ConvNet& net, const std::string& name, int stride) {
  net.pool(name + ".pool2x2", Window::square(2, stride));
}
void convolution_1x1(ConvNet& net, const std::string& name, int stride) {
  relu_unit(net, name, net.shape.channels, Window::square(1, stride));
}
/// A 3x3 convolution through a quarter of the channels.
void convolution_3x3(ConvNet& net, const std::string& name, int stride) {
  const int channels = net.shape.channels;
  relu_unit(net, name + ".0", channels / 4);
  relu_unit(net, name + ".1", channels / 4, Window::same(3, stride));
  relu_unit(net, name + ".2", channels);
}
void convolution_1x7_7x1(ConvNet& net, const std::string& name, int stride) {
  const int channels = net.shape.channels;
  Window wide = Window::oblong(1, 7), high = Window::oblong(7, 1);
  wide.stride_width = stride;
  high.stride = stride, high.stride_width = 1;
  relu_unit(net, name + ".0", channels / 4);
  relu_unit(net, name + ".1", channels / 4, wide);
  relu_unit(net, name + ".2", channels / 4, high);
  relu_unit(net, name + ".3", channels);
}

/// An operation in a cell, and the state that it works on. Every two results are added up to the next state.
struct Step {
  std::size_t state;
  Operation operation;
};
struct Genotype {
  std::array<Step, 10> steps;
  std::vector<std::size_t> concatenated;
};

/// Real et al. 2018, as in torchgpipe, which concatenates as TensorFlow's code does, not as the paper.
const Genotype normal = {{{{1, convolution_1x1},
                           {1, pool_3x3},
                           {1, identity},
                           {0, convolution_1x7_7x1},
                           {0, convolution_1x1},
                           {0, convolution_1x7_7x1},
                           {2, pool_3x3},
                           {2, identity},
                           {1, pool_3x3},
                           {5, convolution_1x1}}},
                         {0, 3, 4, 6}};
const Genotype reduction = {{{{0, pool_2x2},
                              {0, pool_3x3},
                              {2, identity},
                              {1, convolution_3x3},
                              {2, convolution_1x7_7x1},
                              {2, pool_3x3},
                              {3, identity},
                              {1, pool_2x2},
                              {2, pool_3x3},
                              {3, convolution_1x1}}},
                            {4, 5, 6}};

/// What the next cell reads: this cell's output and this cell's input.
struct States {
  Shape now, before;
};

/// `reduced`: the cell before halved the size, so that its input is larger than its output.
States cell(ConvNet& net, const std::string& name, const States& in, int channels, bool reduces,
            bool reduced) {
  const Genotype& genotype = reduces ? reduction : normal;
  net.shape = in.now;
  relu_unit(net, name + ".reduce1", channels);
  std::vector<Shape> states = {net.shape};
  net.shape = in.before;
  if (reduced)
    factorized_reduce(net, name + ".reduce2", channels);
  else if (in.before.channels != channels)
    relu_unit(net, name + ".reduce2", channels);
  states.push_back(net.shape);
  const auto operate = [&](std::size_t i) {
    const Step& step = genotype.steps[i];
    net.shape = states[step.state];
    step.operation(net, name + ".op" + std::to_string(i), reduces && step.state < 2 ? 2 : 1);
  };
  for (std::size_t i = 0; i < genotype.steps.size(); i += 2) {
    operate(i);
    const Shape one = net.shape;
    operate(i + 1);
    net.add(name + ".add" + std::to_string(i / 2), one);
    states.push_back(net.shape);
  }
  std::vector<Shape> results;
  for (const std::size_t s : genotype.concatenated) results.push_back(states[s]);
  net.concatenate(results);
  net.elementwise(name + ".concat", false);
  return {net.shape, in.now};
}

}  // namespace

Model architectures::amoebanet_d(int layers, int filters, int image) {
  Model model =
      image_model("amoebanet-d", image, image, "Real et al., AAAI 2019; kakaobrain/torchgpipe a1b4ee2");
  ConvNet net(model);
  net.shape = {3, image, image};
  int channels = filters / 4;
  relu_unit(net, "stem1", channels, Window::same(3, 2));
  States states = {net.shape, net.shape};
  bool reduced = false;
  const auto append = [&](const std::string& name, bool reduces) {
    if (reduces) channels *= 2;
    states = cell(net, name, states, channels, reduces, reduced);
    reduced = reduces;
  };
  const auto normal_cells = [&](const std::string& name) {
    for (int i = 1; i <= layers / 3; ++i) append(name + std::to_string(i), false);
  };
  append("stem2", true);
  append("stem3", true);
  normal_cells("cell1_normal");
  append("cell2_reduction", true);
  normal_cells("cell3_normal");
  append("cell4_reduction", true);
  normal_cells("cell5_normal");
  net.global_pool("classify.pool");
  net.linear("classify.fc", 1000);
  return model;
}

}  // namespace collcast::workloads

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/models/convnet.hpp"

namespace collcast::workloads {

/// Appends ResNet without its classifier; returns the shape after its first stage. `dilated`: the last stage
/// keeps the size (output stride 16). `stride_first`: strides sit in the first 1x1 convolution of a block.
Shape resnet_features(ConvNet& net, int layers, bool dilated, bool stride_first);

}  // namespace collcast::workloads

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/models/model.hpp"

/// Layers as the papers and torchvision define them.
namespace collcast::workloads::architectures {

/// ResNet of 50, 101 or 152 layers, as in torchvision: the stride is in the 3x3 convolution (v1.5).
Model resnet(int layers, int image);
/// The original: the stride sits in the first 1x1 convolution.
Model resnet_v1(int layers, int image);
/// He et al., ECCV 2016, for small images: three stages of n blocks that begin with batch norms, 9 n + 2
/// layers.
Model resnet_v2(int layers, int image);
Model vgg16(int image);
/// One tower: Krizhevsky 2014, as in torchvision.
Model alexnet(int image);
/// With the auxiliary head, which trains along.
Model inception_v3(int image);
/// Chen et al. 2018, output stride 16, ASPP rates 6, 12, 18, 21 classes, on ResNet-101 or Xception-65.
Model deeplab_v3plus_resnet101(int image);
Model deeplab_v3plus_xception65(int image);
/// torchgpipe's U-Net (B, C): B convolutions in a cell, C channels in the first cell, twice as many at each
/// level.
struct UNet {
  int convolutions, channels, depth, image;
};
Model unet(const UNet& sizes);
/// AmoebaNet-D (L, D): L normal cells, D / 4 channels in the first stem, image of 3 x `image` x `image`.
Model amoebanet_d(int layers, int filters, int image);
/// Sizes of a transformer.
struct Transformer {
  int layers, hidden, heads, sequence, vocabulary;
  int feed_forward = 0;  ///< 0: four times hidden
  int positions = 0;     ///< learned positions; 0: as many as the sequence is long
  int kv_heads = 0;      ///< heads of keys and values; 0: as many as `heads`
  int experts = 0;       ///< feed-forward networks of a block; 0: one that takes every token
  int chosen = 2;        ///< experts that each token goes to
  bool flash = false;    ///< gpt: attention is one kernel, which keeps no scores
};
/// Decoder-only, layer norms first, output tied to the word embedding.
Model gpt(std::string name, const Transformer& sizes);
/// Touvron et al. 2023: RMS norms first, rotary positions, fewer heads of keys and values, gated feed-forward
/// networks, FlashAttention, output not tied to the word embedding. Experts are as in Mixtral (Jiang et al.
/// 2024).
Model llama(std::string name, const Transformer& sizes);
/// Pre-training, by masked words and next sentence.
Model bert(std::string name, const Transformer& sizes, int masked);
/// Encoder and decoder of `layers` each with `sequence` words on both sides; Vaswani et al. 2017, "big".
Model transformer(std::string name, const Transformer& sizes);

}  // namespace collcast::workloads::architectures

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/units.hpp"
#include "workloads/models/model.hpp"

namespace collcast {
class Description;
}

namespace collcast::workloads {

/// The arithmetic that a model is trained in. amp: 16 bits with a 32-bit copy of the parameters. fp8: the
/// same, with the linear layers of transformers' blocks in 8 bits (Transformer Engine).
enum class Precision : std::uint8_t { fp32, tf32, amp, fp8 };
/// "fp32", "tf32", "amp" (also "fp16", "bf16", "mixed"), "fp8". Throws InputError.
Precision parse_precision(const std::string& text);
std::string_view name(Precision precision);
/// Whether activations are stored in 16 bits.
constexpr bool stores_halves(Precision precision) {
  return precision == Precision::amp || precision == Precision::fp8;
}
/// The size of an activation.
Bytes element(Precision precision);

/// The share of a peak that kernels over c channels reach: most x c / (c + half), up to `limit`; c is the
/// geometric mean of the channels in and out.
struct ByChannels {
  double most = 0, half = 0, limit = 0;
};

/// The same for attention in one kernel: most x h / (h + half_head) x w / (w + half_tokens), for heads of h
/// elements and sequences of w tokens.
struct ByHeads {
  double most = 0, half_head = 0, half_tokens = 0;
};

/// What a rank computes with.
struct Processor {
  std::string name;
  double flops = 0;      ///< per second, at the precision; 0: not known
  double fp8_flops = 0;  ///< the same for products in 8 bits
  BytesPerSecond bandwidth;
  Bytes memory;             ///< 0: not known
  bool calibrated = false;  ///< its efficiencies were fitted to this device, not to one like it
  /// The shares of the peaks that kernels reach, and the time that a kernel takes besides; calibrated on
  /// published single-GPU throughput (docs/models.md).
  struct Efficiency {
    double convolution, linear, bandwidth;
    Seconds launch;
    double uncertainty;  ///< of a step's computation, relative
    // 0: as for all kernels
    ByChannels pointwise = {}, convolution_3x3 = {}, product = {};  ///< product: in linear layers
    ByHeads attention = {};                                         ///< in one kernel
    double pooling = 0, average_pooling = 0, normalization = 0;     ///< of the memory bandwidth
    double between_products = 0;              ///< the same, for elementwise kernels in a transformer's block
    Seconds issue = {}, issue_in_block = {};  ///< host time per kernel, and per kernel of such a block
    Bytes loss = {};  ///< moved per logit of a text model beside products, in both directions
    Bytes cast = {};  ///< moved per parameter if each pass casts 32-bit parameters to 16 bits
  } efficiency = {};
};

/// A rank's share of the device that rank 0 sits on. Throws InputError if the device lacks such arithmetic.
Processor processor(const Description& platform, Precision precision);

/// Makes launches and issues of kernels take `factor` times as long.
void scale_host(Processor::Efficiency& efficiency, double factor);

/// How many ranks a node holds.
int ranks_per_node(const Description& platform);

/// The cores of a node's CPUs; 0: not known.
int cores_per_node(const Description& platform);

/// The time of a share of a layer's work on a batch.
struct LayerTime {
  Seconds forward, backward;
};
LayerTime layer_time(const Layer& layer, double batch, double share, const Processor& processor,
                     Precision precision);

/// The time if arithmetic alone, or memory alone, limited it.
struct Limits {
  Seconds arithmetic, memory;
};
struct LayerLimits {
  Limits forward, backward;
};
LayerLimits layer_limits(const Layer& layer, double batch, double share, const Processor& processor,
                         Precision precision);

/// The largest linear layer with a width that is no multiple of 8. Its products in 16 bits take longer than
/// any model here says, unless the library pads them. Null if no such layer has a hundredth of the model's
/// FLOPs.
const Layer* odd_width(const Model& model);

/// The time to read and write parameters, gradients and momentum: 20 bytes a parameter, 28 with Adam's two
/// moments.
Seconds optimizer_time(double parameters, bool adam, const Processor& processor);

}  // namespace collcast::workloads

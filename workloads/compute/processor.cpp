// SPDX-License-Identifier: Apache-2.0
#include "workloads/compute/processor.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "platforms/description/blueprint.hpp"
#include "platforms/description/description.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::workloads {
namespace {

/// Fitted to the least mean deviation of step times, by a coordinate search. fp32: 16 rows of V100 (MXNet 1.2
/// batch sweeps of ResNet-50, Inception v3, AlexNet; NVIDIA/DeepLearningExamples 729963d ResNet-50 and BERT),
/// off by 5.5 % in the mean, without a few outlying rows of BERT. tf32: 5 rows of A100 there. Most rows are
/// within the uncertainty.
constexpr Processor::Efficiency of_fp32 = {0.90, 0.83, 0.95, Seconds(62e-6), 0.15};
constexpr Processor::Efficiency of_tf32 = {0.60, 0.60, 0.70, Seconds(43e-6), 0.25};
/// amp. Products: the best of an A100 (stas00/ml-engineering: 268 of 312 TFLOP/s), and 235 at 4096 x 4096
/// (EleutherAI/cookbook 0f810f8); V100 taken as A100. Launch, issue and between_products: 27 rows of
/// transformers on one V100 or A100 (validation/data/amp-one-gpu.csv), off by 7.8 % in the mean.
constexpr Processor::Efficiency of_tensor = {
    .convolution = 0.86,
    .linear = 0.63,
    .bandwidth = 0.98,
    .launch = Seconds(63e-6),
    .uncertainty = 0.30,
    .product = {0.86, 580, 1},
    .between_products = 0.32,
    .issue = Seconds(81.9e-6),
    .issue_in_block = Seconds(81.9e-6),
};
/// amp on Hopper. Fitted to single kernels (validation/data/h100-kernels.csv: PyTorch 2.11, channels_last):
/// products, attention, convolutions, memory, norms and the loss. Fitted to whole steps: between_products,
/// cast and issue_in_block, by 18 of transformers (h100-transformers.csv under amp without the rows called
/// composed, and the 4 of BERT in h100-steps.csv), off by 4 % in the mean; issue, by 7 of CNNs, off by 19 %.
constexpr Processor::Efficiency of_hopper = {
    .convolution = 0.45,
    .linear = 0.30,
    .bandwidth = 0.85,
    .launch = Seconds(),
    .uncertainty = 0.30,
    .pointwise = {0.75, 100, 1},
    .convolution_3x3 = {0.78, 45, 1},
    .product = {0.71, 200, 1},
    .attention = {0.81, 45, 820},
    .normalization = 0.50,
    .between_products = 0.38,
    .issue = Seconds(40e-6),
    .issue_in_block = Seconds(80e-6),
    .loss = Bytes(57),
    .cast = Bytes(18),
};
/// fp32 on Pascal, kind by kind: fitted to PipeDream's times of layers (PyTorch on one V100;
/// validation/training/kernels.py), all times 0.9, so that ResNet-101 and the U-Net on one P40 are met
/// (torchgpipe a1b4ee2); off by 7 % in the mean, 14 % at most, of 9 rows of one P100 (TensorFlow, 2017). In
/// 3x3 convolutions, Winograd's algorithm multiplies 2.25 times less.
constexpr Processor::Efficiency of_pascal = {
    .convolution = 0.68,
    .linear = 0.75,
    .bandwidth = 0.68,
    .launch = Seconds(10e-6),
    .uncertainty = 0.15,
    .pointwise = {0.71, 160, 1},
    .convolution_3x3 = {3.2, 300, 2.25},
    .pooling = 0.47,
    .average_pooling = 0.19,
};

struct Numbers {
  const std::vector<Parameter> all;
  std::string prefix;
  std::optional<double> operator()(const std::string& key) const {
    const auto found = std::ranges::find(all, prefix + key, &Parameter::path);
    return found == all.end() ? std::optional<double>() : found->value;
  }
};

/// The device that rank 0 sits on, and how many ranks share it.
struct Home {
  std::string device;
  double ranks = 1;
};
Home home_of_rank_0(const Description& platform) {
  const Blueprint b = read_blueprint(platform);
  if (b.ranks_on.empty()) return {};
  const int vertex = b.vertex_of_slot(0), device = b.vertices[static_cast<std::size_t>(vertex)].device;
  if (device < 0) return {};
  return {b.devices[static_cast<std::size_t>(device)].name, 1.0 * b.ranks_on_vertex(vertex)};
}

bool has_tf32(const std::string& generation) {
  return std::ranges::any_of(std::array{"ampere", "ada", "hopper", "blackwell"},
                             [&](const char* since) { return generation == since; });
}

/// Whether amp takes Hopper's efficiencies. For other generations than Hopper that is a guess, as their hosts
/// and software are as new.
bool is_like_hopper(const std::string& generation) {
  return std::ranges::any_of(std::array{"hopper", "blackwell", "cdna3", "cdna4"},
                             [&](const char* alike) { return generation == alike; });
}

std::string generation(const Description& platform, const std::string& device) {
  return device.empty() ? "" : platform.json()["devices"][device].value("generation", "");
}

/// Data moved forward and backward, in elements. Batch norm reads its input twice; backward also reads what
/// forward made.
struct Moved {
  double forward, backward;
};
Moved traffic(const Layer& l) {
  switch (l.kind) {
    case LayerKind::normalization:
      return {2 * l.in + l.out, 3 * l.in + 2 * l.out};
    case LayerKind::elementwise:
      return {l.in + l.out, l.in + 2 * l.out};
    case LayerKind::pooling:
    case LayerKind::average_pooling:
      return {l.in + l.out, 2 * l.in + l.out};
    case LayerKind::embedding:
      return {l.in + l.out, l.in + l.out};
    default:
      return {l.in + l.out, 2 * (l.in + l.out)};
  }
}

bool multiplies(LayerKind kind) {
  return kind <= LayerKind::attention;
}

double reached(const ByChannels& own, double channels) {
  return std::min(own.limit, own.most * channels / (channels + own.half));
}

double reached_arithmetic(const Layer& l, double share, const Processor::Efficiency& e) {
  if (l.kind == LayerKind::linear && e.product.most > 0 && l.flops * l.in * l.out > 0)
    return reached(e.product, l.flops / 2 * std::sqrt(share / (l.in * l.out)));
  if (l.head > 0 && e.attention.most > 0) {
    const auto& [most, half_head, half_tokens] = e.attention;
    const double tokens = l.flops / (2 * l.out);
    return most * l.head / (l.head + half_head) * tokens / (tokens + half_tokens);
  }
  if (l.kind > LayerKind::depthwise_convolution) return e.linear;
  const auto by_channels = [&](const ByChannels& own, double window) {
    if (own.most == 0 || l.tensors.empty()) return e.convolution;
    return reached(own, std::sqrt(l.tensors.back() / window));
  };
  if (l.kind == LayerKind::pointwise_convolution) return by_channels(e.pointwise, 1);
  if (l.kind == LayerKind::convolution_3x3) return by_channels(e.convolution_3x3, 9);
  return e.convolution;
}

double reached_memory(const Layer& l, const Processor::Efficiency& e) {
  const bool normalises = l.kind == LayerKind::normalization || l.kind == LayerKind::elementwise;
  const double own = l.kind == LayerKind::pooling           ? e.pooling
                     : l.kind == LayerKind::average_pooling ? e.average_pooling
                     : normalises && l.block >= 0           ? e.between_products
                     : l.kind == LayerKind::normalization   ? e.normalization
                                                            : 0;
  return own > 0 ? own : e.bandwidth;
}

/// Whether the efficiencies of a precision were calibrated on this device (docs/models.md).
bool is_calibrated_on(const std::string& device, Precision precision) {
  const auto is = [&](const char* name) { return device.starts_with(name); };
  switch (precision) {
    case Precision::fp32:
      return is("V100") || is("P100") || is("P40");
    case Precision::tf32:
      return is("A100");
    case Precision::amp:
      return is("A100") || is("H100");
    case Precision::fp8:
      break;
  }
  return false;
}

/// Sets up products of 8-bit numbers. They are taken to reach the same share of their peak as 16-bit
/// products. No measured step was compared with that, so the interval is wider than amp's.
void take_fp8(Processor& p, const std::optional<double>& teraflops) {
  if (!teraflops) throw InputError(p.name + " has no fp8_TFLOPS; take amp");
  p.fp8_flops = *teraflops * 1e12;
  p.efficiency.uncertainty = 0.40;
}

bool is_in_8_bits(const Layer& l, Precision precision) {
  return precision == Precision::fp8 && l.kind == LayerKind::linear && l.block >= 0;
}

/// The time of a layer by its arithmetic, and by its memory traffic, at the efficiencies of kernels.
struct Roofline {
  Limits forward, backward;
  Seconds beside;  ///< time of kernels of the loss and of casts, in each direction

  Roofline(const Layer& l, double batch, double share, const Processor& p, Precision precision) {
    const Processor::Efficiency& e = p.efficiency;
    const double arithmetic = reached_arithmetic(l, share, e), memory = reached_memory(l, e);
    const Moved elements = traffic(l);
    const bool in_8_bits = is_in_8_bits(l, precision);
    const double peak = in_8_bits ? p.fp8_flops : p.flops;
    const auto side = [&](double flops, double moved) {
      return Limits{Seconds(flops * batch * share / (peak * arithmetic)),
                    share * moved * element(precision) / (p.bandwidth * memory)};
    };
    const double weights = l.kind == LayerKind::embedding ? 0 : l.parameters();
    forward = side(l.flops, elements.forward * batch + weights);
    backward = side(l.backward_flops, elements.backward * batch);
    const double logits = l.logits ? l.out * batch : 0;
    beside = share * (logits * e.loss + l.parameters() * e.cast) / (2 * p.bandwidth);
    // a cast reads 16 bits and writes 8, and once more transposed for the products of the backward pass
    const double cast = in_8_bits ? (l.in + l.out) * batch + l.parameters() : 0;
    beside += share * cast * Bytes(4) / (2 * (p.bandwidth * e.bandwidth));
  }
};

}  // namespace

Precision parse_precision(const std::string& text) {
  if (text == "fp32") return Precision::fp32;
  if (text == "tf32") return Precision::tf32;
  if (text == "amp" || text == "fp16" || text == "bf16" || text == "mixed") return Precision::amp;
  if (text == "fp8") return Precision::fp8;
  throw InputError("unknown precision '" + text + "'; known: fp32, tf32, amp (also fp16, bf16, mixed), fp8");
}

std::string_view name(Precision precision) {
  constexpr std::array<std::string_view, 4> names = {"fp32", "tf32", "amp", "fp8"};
  return names[static_cast<std::size_t>(precision)];
}

Bytes element(Precision precision) {
  return Bytes(stores_halves(precision) ? 2 : 4);
}

Processor processor(const Description& platform, Precision precision) {
  const auto [device, ranks] = home_of_rank_0(platform);
  const std::string made = generation(platform, device);
  const Numbers number{platform.parameters(), "devices." + device + "."};
  Processor p;
  p.name = device.empty() ? "a rank's processor on " + platform.name() : device;
  p.bandwidth = BytesPerSecond(number("memory_bandwidth_GBps").value_or(0) * 1e9 / ranks);
  p.memory = Bytes(number("memory_GiB").value_or(0) * 1073741824 / ranks);
  p.calibrated = is_calibrated_on(device, precision);
  p.efficiency = made == "pascal" ? of_pascal : of_fp32;
  if (precision == Precision::fp32) {
    p.flops = number("fp32_TFLOPS").value_or(0) * 1e12;
  } else if (precision == Precision::tf32) {
    if (!has_tf32(made)) throw InputError(p.name + " has no tf32; take fp32 or amp");
    p.flops = number("tensor_TFLOPS").value_or(0) / 2 * 1e12;
    p.efficiency = of_tf32;
  } else if (const auto tensor = number("tensor_TFLOPS")) {
    p.flops = *tensor * 1e12;
    p.efficiency = is_like_hopper(made) ? of_hopper : of_tensor;
  } else {  // 16 bits are stored; products may be in 32
    p.flops = std::max(number("fp16_TFLOPS").value_or(0), number("fp32_TFLOPS").value_or(0)) * 1e12;
  }
  if (precision == Precision::fp8) take_fp8(p, number("fp8_TFLOPS"));
  p.flops /= ranks;
  p.fp8_flops /= ranks;
  return p;
}

void scale_host(Processor::Efficiency& e, double factor) {
  for (Seconds* time : {&e.launch, &e.issue, &e.issue_in_block}) *time = factor * *time;
}

int ranks_per_node(const Description& platform) {
  return read_blueprint(platform).ranks_per_node;
}

int cores_per_node(const Description& platform) {
  const Blueprint b = read_blueprint(platform);
  double sum = 0;
  for (const int v : b.of_kind(Blueprint::Vertex::Kind::cpu)) {
    const int device = b.vertices[static_cast<std::size_t>(v)].device;
    if (device < 0 || !b.devices[static_cast<std::size_t>(device)].cores) return 0;
    sum += b.devices[static_cast<std::size_t>(device)].cores->value;
  }
  constexpr double most = 1 << 24;  // more than any node has, and few enough to count
  return static_cast<int>(std::min(sum, most));
}

LayerTime layer_time(const Layer& l, double batch, double share, const Processor& p, Precision precision) {
  const Roofline roof(l, batch, share, p, precision);
  const Seconds issue = l.block >= 0 ? p.efficiency.issue_in_block : p.efficiency.issue;
  const auto take = [&](int kernels, const Limits& on_device) {
    const Seconds launches = kernels * p.efficiency.launch;
    return std::max(kernels * issue,
                    launches + std::max(on_device.arithmetic, on_device.memory) + roof.beside);
  };
  return {take(1, roof.forward), take(multiplies(l.kind) ? 2 : 1, roof.backward)};
}

LayerLimits layer_limits(const Layer& l, double batch, double share, const Processor& p,
                         Precision precision) {
  const Roofline roof(l, batch, share, p, precision);
  return {{roof.forward.arithmetic, roof.forward.memory + roof.beside},
          {roof.backward.arithmetic, roof.backward.memory + roof.beside}};
}

const Layer* odd_width(const Model& model) {
  const Layer* largest = nullptr;
  double most = model.flops() / 100;
  for (const Layer& l : model.layers) {
    if (l.kind != LayerKind::linear || l.in * l.out == 0 || l.flops < most) continue;
    const double rows = 2 * l.in * l.out / l.flops;  // flops: 2 x rows x width in x width out
    if (std::fmod(l.in / rows, 8) != 0 || std::fmod(l.out / rows, 8) != 0) largest = &l, most = l.flops;
  }
  return largest;
}

Seconds optimizer_time(double parameters, bool adam, const Processor& p) {
  return parameters * Bytes(adam ? 28 : 20) / (p.bandwidth * p.efficiency.bandwidth);
}

}  // namespace collcast::workloads

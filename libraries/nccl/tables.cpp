// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/tables.hpp"

#include <algorithm>
#include <cmath>

#include "support/error.hpp"

namespace collcast::nccl {
namespace {

template <class T, std::size_t N>
using Rows = std::array<Since<T>, N>;

// clang-format off
constexpr Rows<PerProtocol, 3> base_tree{{
    {7, {4.4, 4.4, 0}},
    {18, {6.8, 14, 0}},
    {23, {6.8, 14, 8.4}}}};
constexpr Rows<PerProtocol, 2> base_ring{{
    {7, {3.6, 10, 8.4}},
    {18, {6.6, 14, 8.4}}}};
constexpr Rows<PerProtocol, 1> base_pat{{
    {23, {0, 0, 8}}}};

constexpr Rows<PerProtocol, 3> base_nvls{{
    {17, {0, 0, 40}},
    {18, {0, 0, 23}},
    {19, {0, 0, 0}}}};

constexpr Rows<PerProtocol, 5> nvlink_tree{{
    {7, {.52, 1.2, 28}},
    {8, {.52, 1.25, 28}},
    {18, {.6, 1.25, 4}},
    {19, {.6, 1.25, 28}},
    {23, {.6, 1.25, 4}}}};
constexpr Rows<PerProtocol, 2> nvlink_ring{{
    {7, {.47, 1.9, 3.4}},
    {18, {.6, 1.9, 3.4}}}};
constexpr Rows<PerProtocol, 3> nvlink_nvls{{
    {17, {0, 0, 0}},
    {19, {0, 0, 23}},
    {21, {0, 0, 25}}}};
constexpr Rows<PerProtocol, 4> pci_tree{{
    {7, {1, 1.9, 28}},
    {18, {1, 1.9, 6}},
    {19, {1, 1.9, 28}},
    {23, {1, 1.9, 4}}}};
constexpr Rows<PerProtocol, 1> pci_ring{{
    {7, {1, 2.5, 5.7}}}};
constexpr Rows<PerProtocol, 5> net_tree{{
    {7, {5, 8.5, 50}},
    {8, {5, 8.5, 28}},
    {18, {5, 8.5, 14}},
    {19, {5, 8.5, 28}},
    {23, {5, 8.5, 14}}}};
constexpr Rows<PerProtocol, 4> net_ring{{
    {7, {2.7, 4, 9.6}},
    {12, {2.7, 4, 28}},
    {14, {2.7, 4, 9.6}},
    {18, {2.7, 4, 14}}}};

constexpr Rows<PerProtocol, 3> net_nvls_tree{{
    {18, {0, 0, 19}},
    {19, {0, 0, 14}},
    {28, {0, 0, 20.9}}}};

struct Most {
  Gpu gpu;
  int minor;
  PerNodes GBps;
};
constexpr Most ll_rows[] = {
    {Gpu::volta, 7, {unlimited, unlimited, unlimited}},
    {Gpu::volta, 8, {39, 39, 20.4}},
    {Gpu::ampere, 7, {unlimited, unlimited, unlimited}},
    {Gpu::ampere, 8, {87.7, 22.5, 19}},
    {Gpu::hopper, 15, {87.7, 22.5, 19}},
    {Gpu::hopper, 21, {141, 45, 35}},
    {Gpu::blackwell, 25, {282, 90, 70}}};
constexpr Most ring_ll128_rows[] = {
    {Gpu::volta, 10, {20, 20, 20}},
    {Gpu::ampere, 10, {20, 20, 20}},
    {Gpu::hopper, 17, {36.7, 36.7, 36.7}},
    {Gpu::blackwell, 25, {73.4, 73.4, 73.4}},
    {Gpu::blackwell, 29, {40, 40, 40}}};
constexpr Most tree_ll128_rows[] = {
    {Gpu::volta, 10, {20, 20, 20}},
    {Gpu::ampere, 10, {20, 20, 20}},
    {Gpu::hopper, 17, {36.7, 36.7, 36.7}},
    {Gpu::hopper, 18, {36.7, 36.7, 29}},
    {Gpu::blackwell, 28, {55.6, 31.67, 20}}};
constexpr Most tree_rows[] = {
    {Gpu::volta, 8, {26.5, 18.5, 10}},
    {Gpu::ampere, 8, {24, 22.5, 16}},
    {Gpu::ampere, 10, {24, 23.6, 17.8}},
    {Gpu::hopper, 17, {38.7, 41.4, 33}},
    {Gpu::hopper, 18, {38.7, 41.4, 36}},
    {Gpu::blackwell, 28, {70, 42.8, 24}}};

constexpr Most nvls_tree_rows[] = {
    {Gpu::hopper, 28, {0, 57.7, 45.5}},
    {Gpu::blackwell, 28, {0, 96, 43.1}},
    {Gpu::blackwell, 30, {0, 96, 80}}};

/// Before 2.10 the limit of LL128 depended on the collective, not on the GPU.
struct ByCollective {
  Collective collective;
  Rows<double, 2> GBps;
};
constexpr ByCollective early_ll128_rows[] = {
    {Collective::broadcast, {{{7, 18.8}, {8, 18.8}}}},
    {Collective::reduce, {{{7, 12}, {8, 12}}}},
    {Collective::allgather, {{{7, 18.3}, {8, 18.3}}}},
    {Collective::reduce_scatter, {{{7, 15.2}, {8, 15.2}}}},
    {Collective::allreduce, {{{7, 16.7}, {8, 16.9}}}}};

/// 2.7 limited a tree as a whole: on up to two nodes, and on more.
struct EarlyTree {
  double two_nodes, more;
};
constexpr EarlyTree early_tree{110, 80}, early_tree_ampere_ll128{130, 105};

constexpr Rows<PerGpu, 3> in_all_rows{{
    {7, {unlimited, unlimited, 235, unlimited, unlimited}},
    {17, {unlimited, unlimited, 235, 370, unlimited}},
    {18, {unlimited, unlimited, unlimited, unlimited, unlimited}}}};

constexpr Rows<PerSize, 2> ll_corrections{{
    {7, {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1}},
    {8, {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1}}}};
constexpr Rows<PerSize, 3> ll128_corrections{{
    {7, {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .5, .6, .6, .7, .7, .8, .9, .9, 1, 1}},
    {8, {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .5, .6, .6, .7, .7, .8, .9, .9, .92, .92}},
    {10, {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1}}}};
constexpr Rows<PerSize, 2> simple_corrections{{
    {7, {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .5, .5, .6, .6, .7, .8, .9, 1}},
    {8, {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9}}}};

constexpr Rows<Plateau, 3> plateau_rows{{
    {7, {4096, 0, {1.9, 1.9, 1.9, 1.9, 1.9}}},
    {17, {4096, 0, {1.9, 1.9, 1.9, 1.5, 1.5}}},
    {18, {0, 64, {1.9, 1.9, 1.4, 1.4, 1.4}}}}};

constexpr Rows<double, 2> tree_share_rows{{{7, .9}, {8, .92}}};
constexpr Rows<double, 2> tree_ll128_share_rows{{{7, .915}, {10, 120.0 / 128}}};
constexpr Rows<double, 2> tree_ll128_channel_rows{{{7, 7.0 / 9}, {8, 1}}};
constexpr Rows<double, 2> ring_ll128_alone_rows{{{7, .7}, {23, .92}}};
constexpr Rows<double, 2> pat_share_rows{{{23, .85}, {24, .75}}};
constexpr Rows<double, 2> nvls_share_rows{{{17, .75}, {18, 5.0 / 6}}};
constexpr PerGpu nvls_efficiency_of{0, 0, 0, .85, .74};
constexpr Rows<double, 2> ll_slowdown_rows{{{7, 1.8}, {18, 1}}};
constexpr Rows<bool, 3> extra_node_step_rows{{{7, false}, {12, true}, {23, false}}};
/// First releases.
constexpr int pat = 23, nvls = 17, nvls_tree = 18, nvls_tree_of_logarithmic_depth = 19,
              nvls_efficiencies = 28, of_function = 24, overhead = 18, tree_latency_alone = 23, short_pci_trees = 10;
constexpr std::string_view gpu_names[] = {"Pascal", "Volta", "Ampere", "Hopper", "Blackwell", "CDNA 2", "CDNA 3"};
constexpr PerGpu first_release_for{7, 7, 7, 17, 28, 18, 18};
// clang-format on

std::size_t column(Rank nodes) {
  return static_cast<std::size_t>(std::min(nodes, 3) - 1);
}

double most(std::span<const Most> rows, int minor, Gpu gpu, Rank nodes) {
  double GBps = unlimited;
  for (const Most& row : rows)
    if (row.gpu == gpu && row.minor <= minor) GBps = row.GBps[column(nodes)];
  return GBps;
}

/// Pascal shares Volta's rows.
Gpu row_of(Gpu gpu) {
  return gpu == Gpu::pascal ? Gpu::volta : gpu;
}

}  // namespace

const PerProtocol& base_latency(int minor, Shape shape) {
  if (shape == Shape::tree) return at(base_tree, minor);
  if (shape == Shape::ring) return at(base_ring, minor);
  if (shape == Shape::nvls || shape == Shape::nvls_tree) return at(base_nvls, minor);
  return at(base_pat, minor);
}

const PerProtocol& step_latency(int minor, Hardware wire, Shape shape) {
  const bool tree = shape == Shape::tree;
  if (shape == Shape::nvls || shape == Shape::nvls_tree)
    return wire == Hardware::net ? at(net_nvls_tree, minor) : at(nvlink_nvls, minor);
  if (wire == Hardware::nvlink) return tree ? at(nvlink_tree, minor) : at(nvlink_ring, minor);
  if (wire == Hardware::pci) return tree ? at(pci_tree, minor) : at(pci_ring, minor);
  return tree ? at(net_tree, minor) : at(net_ring, minor);
}

double most_ll(int minor, Rank nodes, Gpu gpu, Cpu cpu) {
  if (nodes > 1) gpu = cpu == Cpu::amd ? Gpu::ampere : Gpu::volta;
  return most(ll_rows, minor, row_of(gpu), nodes);
}

double most_ll128(int minor, Shape shape, Collective collective, Rank nodes, Gpu gpu) {
  if (minor < 10) {
    for (const ByCollective& row : early_ll128_rows)
      if (row.collective == collective) return at(row.GBps, minor);
  }
  return shape == Shape::tree ? most(tree_ll128_rows, minor, row_of(gpu), nodes)
                              : most(ring_ll128_rows, minor, row_of(gpu), nodes);
}

double most_tree(int minor, Protocol protocol, Rank nodes, Gpu gpu, int channels) {
  if (minor >= 8) return channels * most(tree_rows, minor, row_of(gpu), nodes);
  const bool ampere_ll128 = gpu == Gpu::ampere && protocol == Protocol::ll128;
  const EarlyTree& row = ampere_ll128 ? early_tree_ampere_ll128 : early_tree;
  return nodes > 2 ? row.more : row.two_nodes;
}

double most_nvls_tree(int minor, Rank nodes, Gpu gpu) {
  return most(nvls_tree_rows, minor, gpu, nodes);
}

double most_in_all(int minor, Gpu gpu) {
  if (of_amd(gpu)) return unlimited;
  return at(in_all_rows, minor)[static_cast<std::size_t>(gpu)];
}

double tree_correction(int minor, Protocol protocol, Bytes message) {
  const double units = std::max(1.0, std::floor(message.value / 64));
  const auto size = static_cast<std::size_t>(std::ilogb(units));
  if (size >= std::tuple_size_v<PerSize>) return 1;
  if (protocol == Protocol::ll) return at(ll_corrections, minor)[size];
  if (protocol == Protocol::ll128) return at(ll128_corrections, minor)[size];
  return at(simple_corrections, minor)[size];
}

const Plateau& plateau(int minor) {
  return at(plateau_rows, minor);
}

double tree_share(int minor) {
  return at(tree_share_rows, minor);
}
double tree_ll128_share_of_nodes(int minor) {
  return at(tree_ll128_share_rows, minor);
}
double tree_ll128_share_of_channel(int minor) {
  return at(tree_ll128_channel_rows, minor);
}
double ring_ll128_share_alone(int minor) {
  return at(ring_ll128_alone_rows, minor);
}
double ring_ll_share(int minor, Collective collective, Rank nodes) {
  if (minor >= ll_takes_half) return .5;
  const bool quarter = nodes > 1 || collective == Collective::allreduce || collective == Collective::reduce;
  return quarter ? 1.0 / 4 : 1.0 / 3;
}
double pat_share(int minor) {
  return at(pat_share_rows, minor);
}
bool has_pat(int minor) {
  return minor >= pat;
}
bool algorithms_by_function(int minor) {
  return minor >= of_function;
}
bool has_nvls(int minor, Gpu gpu) {
  return minor >= nvls && since_hopper(gpu);
}
bool has_nvls_tree(int minor) {
  return minor >= nvls_tree;
}
bool nvls_tree_is_a_chain(int minor) {
  return minor < nvls_tree_of_logarithmic_depth;
}
bool nvls_by_efficiency(int minor) {
  return minor >= nvls_efficiencies;
}
double nvls_share(int minor) {
  return at(nvls_share_rows, minor);
}
double nvls_efficiency(Gpu gpu) {
  return nvls_efficiency_of[static_cast<std::size_t>(gpu)];
}
double ll_slowdown_on_nodes(int minor) {
  return at(ll_slowdown_rows, minor);
}
double network_overhead(int minor, Cpu cpu) {
  if (minor < overhead) return 0;
  return cpu == Cpu::amd ? 2 : 1;
}
bool one_extra_node_step(int minor) {
  return at(extra_node_step_rows, minor);
}
bool lone_ranks_take_tree_latency(int minor) {
  return minor >= tree_latency_alone;
}
bool power_has_short_pci_trees(int minor) {
  return minor >= short_pci_trees;
}

bool ll128_runs(int minor, const Situation& s) {
  if (of_amd(s.gpu)) return s.rccl_ll128;
  return s.gpu != Gpu::pascal && minor >= first_release_for[static_cast<std::size_t>(s.gpu)] &&
         s.nvlink_only() && (s.nodes == 1 || s.gpudirect);
}

int first_release(Gpu gpu) {
  return static_cast<int>(first_release_for[static_cast<std::size_t>(gpu)]);
}

Release release_for(Gpu gpu, int least) {
  return of_amd(gpu) ? usual_rccl : Release(std::max(least, first_release(gpu)));
}

void check_gpu(int minor, Gpu gpu) {
  if (minor >= first_release(gpu)) return;
  throw InputError("nccl-2." + std::to_string(minor) + " has no constants for " +
                   std::string(gpu_names[static_cast<std::size_t>(gpu)]) + " GPUs; nccl-2." +
                   std::to_string(first_release(gpu)) + " is the first");
}

}  // namespace collcast::nccl

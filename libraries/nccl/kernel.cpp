// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/kernel.hpp"

#include <algorithm>

#include "libraries/nccl/constants.hpp"
#include "libraries/nccl/rccl.hpp"

namespace collcast::nccl {
namespace {

constexpr Kernel kernels[] = {
    {512, 8, 8, 32, 2, 1, 1}, {640, 60, 8, 562.5, 128.0 / 120, 0.5, 1}, {512, 8, 64, 512, 1, 1, 2}};

/// RCCL's blocks have 256 threads (NCCL_MAX_NTHREADS).
constexpr Kernel rccl_kernels[] = {
    {256, 8, 8, 16, 2, 1, 1}, {256, 60, 8, 562.5, 128.0 / 120, 0.5, 1}, {256, 8, 64, 512, 1, 1, 2}};

/// The number of channels of a GPU, by generation, that together use all its links: NCCL's limits on one node
/// are for so many.
constexpr double channels_of_gpu[] = {4, 6, 12, 16, 16};

/// NCCL has no limit for rings with Simple. 16 channels of 8 GPUs fill 8 cards of 400 Gb/s: 389 GB/s on nodes
/// of B200 (all_reduce_perf of 32 GiB, NCCL 2.28, 2 to 64 nodes), 380 GB/s on nodes of H100 (GTC 2024, as
/// quoted in NVIDIA/nccl issue 1649). Before Hopper, the limits of trees hold. A tree on Hopper is at least
/// as fast: eight channels move 8 GiB up and down in 87.1 ms on two DGX H100 with two GPUs each (cnh,
/// nccl-bench), where NCCL's limit leaves 19.4 GB/s.
constexpr double simple_of_hopper = 389.0 / 16;

/// What each further channel adds to the launch, and an upper limit of that [us]. NCCL has no such constant.
struct FurtherChannel {
  PerProtocol us, most;
};

/// From calls with the same bytes per channel on one and on eight channels: allreduce and broadcast of 64 and
/// 128 KiB on four V100 and on four A100, NCCL 2.8.4, aistabci/abci2.0benchmark f0aa27f.
constexpr FurtherChannel channel_of_v100{{1.05, 1.05, 1.05}, {2, 2, 2}};

/// Until 2.17 NCCL's latencies are those of V100, and from 2.18 on those of H100. These are of A100 joined by
/// NVLink, in all releases, from all_reduce_perf on machines that are not among our platforms: four GPUs
/// (rcgsheffield/sheffield_hpc, stanage cuda.rst, NCCL 2.12), eight (microsoft/superbenchmark ae2ccdf, tests;
/// oracle-japan/ocitutorials, BM.GPU4.8), two (NVIDIA/nccl-tests issue 331), and two nodes of eight
/// (BM.GPU4.8).
///
/// The cost of further channels is what `collcast calibrate` finds: 1.05, 1.26 and 2.55 us on four GPUs,
/// 1.64, 1.51 and 2.96 us on eight, weighted by their variances.
constexpr FurtherChannel channel_of_a100{{1.2, 1.33, 2.75}, {2, 2, 3.4}};
/// LL's launch and step are a line through these times: 9.85 us for 2 steps, 11.6 and 18.9 us for 6 and 14
/// (calibrated), 17.8 us for 14 (8 B on eight GPUs, NCCL of 2024), and 27.7 us for 25 (8 B on two nodes, less
/// two hops; steps are 1.8 times as long there). The launch is good to a microsecond, the step to 0.2. Later
/// tables agree: 8 B on two nodes of eight take 36.5 us (oracle-quickstart/oci-hpc-oke, 2024), here 37.7.
constexpr double ll_launch_of_a100 = 7.5, ll_step_of_a100 = 0.8;
/// From 2.22 on a kernel gets the work of all channels as arguments; before, each further channel read its
/// own from host memory. 8 H100 take 27.4 us for 1 MiB in LL on 24 channels (all_reduce_perf of NVIDIA's
/// recipes for DGX H100, 2024); NCCL's own model gives 28.
constexpr int work_in_arguments = 22;
constexpr FurtherChannel channel_by_arguments{{0, 0, 0}, {1.05, 1.05, 1.05}};
/// 8 MiB on 56 channels of 8 MI300X take 91.1 us (all_reduce_perf, crickett-hpe/hpc-ai-envs PR 30); RCCL's
/// own model gives 90.
constexpr FurtherChannel channel_of_rccl{{0, 0, 0}, {.2, .2, .2}};
/// LL128's launch is at least NCCL's own of this release: the tables do not say it.
constexpr int latencies_remeasured = 18;

/// How long a message of a ring keeps a proxy busy [us]. Allgather of up to 4 KiB in LL on two nodes of 8
/// H200 makes 15 steps in 28.4 us less 6.6 us of launch (all_gather_perf, NCCL 2.26.6, skypilot-org/skypilot,
/// examples/gcp_gpu_direct_tcpx). Messages of LL128 and of Simple follow each other as fast there (4 and 64
/// MiB). Before 2.12, which rewrote the proxies, those of LL128 and Simple take as long as a hop: 4 us on
/// ABCI's V100.
constexpr double proxy_message = 1.5;
constexpr int proxies_rewritten = 12;

bool is_a100(const Situation& s) {
  return s.gpu == Gpu::ampere && s.link == NodeLink::nvlink;
}

const FurtherChannel& further_channel(int minor, const Situation& s) {
  if (of_amd(s.gpu)) return channel_of_rccl;
  if (minor >= work_in_arguments) return channel_by_arguments;
  return is_a100(s) ? channel_of_a100 : channel_of_v100;
}

/// The limit of a head in NVLSTree, up and down, from NCCL's table, which begins with 2.28. On more than two
/// nodes the cards are the limit, which the machine has.
double head_of_tree(int minor, const Situation& s) {
  constexpr int first = 28;
  if (s.nodes > 2) return unlimited;
  const double ranks = std::max(2, s.nodes * s.switch_channels);
  return most_nvls_tree(std::max(minor, first), 2, s.gpu) / 2 * ranks / (ranks - 1);
}

void stretch(Software& software, const PerProtocol& most_channel, double factor) {
  for (PerProtocol* values : {&software.ring_launch, &software.tree_launch, &software.ring_step,
                              &software.tree_step, &software.ring_hop, &software.tree_hop, &software.proxy})
    for (double& us : *values) us *= factor;
  if (factor > 1) software.channel = most_channel;
}

}  // namespace

/// Before, only those of LL128 are. RCCL's of LL are, too, which is left out here; those of Simple are not.
constexpr int all_trees_at_once = 10;

/// In LL and LL128, 7 of 10 warps go up. A turn of LL is as fast with few threads as with many, until both
/// ways together reach what a channel moves. NCCL's limit for trees of Simple is that of both ways together.
Ways ways(int minor, Protocol protocol, Gpu gpu, int threads) {
  if (protocol == Protocol::ll128) return {true, {.7, .7}, {.3, .3}};
  if (of_amd(gpu) || minor < all_trees_at_once) return {};
  if (protocol == Protocol::simple) return {true, {.5, .5}, {.5, .5}};
  const int warps = threads / 32, up = warps * 7 / 10;
  const double share = static_cast<double>(up) / warps;
  return {true, {share, 1}, {1 - share, 1}};
}

/// Ways at once need three warps; 2.22 gives trees all threads, however short the message (src/enqueue.cc).
int tree_threads(int minor, Protocol protocol, Gpu gpu, int threads) {
  constexpr int all_threads = 22, all = 640, least = 96;
  if (!of_amd(gpu) && minor >= all_threads) return all;
  return ways(minor, protocol, gpu, all).at_once ? std::max(threads, least) : threads;
}

double ll_slowdown(int minor, const Situation& s) {
  return s.nodes == 1 ? 1 : ll_slowdown_on_nodes(is_a100(s) ? latencies_remeasured - 1 : minor);
}

const Kernel& kernel(Protocol protocol, Gpu gpu) {
  return (of_amd(gpu) ? rccl_kernels : kernels)[static_cast<std::size_t>(protocol)];
}

double rccl_ll_alone(Gpu gpu) {
  return nccl_speeds(usual_minor, gpu).nvlink / 2;
}

/// What a channel of RCCL moves [GB/s]. Simple: as much as a link. LL128: a turn of its threads in each step.
/// LL: half as much as a link, as flags take the other half, and all channels together at most RCCL's share
/// of the links.
static double rccl_limit(Shape shape, Protocol protocol, const Situation& s, int channels) {
  const double link = nccl_speeds(usual_minor, s.gpu).nvlink;
  if (protocol == Protocol::simple) return link;
  if (protocol == Protocol::ll)
    return std::min(
        rccl_ll_alone(s.gpu),
        s.rccl_links.value / 1e9 * of(rccl_share(s.rccl_tuning, s.nodes, Shape::ring), protocol) / channels);
  const Kernel& k = kernel(protocol, s.gpu);
  const double step_us = of(rccl_step_latency(s.rccl_tuning, Hardware::nvlink, shape), protocol);
  return k.threads * k.bytes_a_thread / step_us / 1e3;
}

/// Reduce in LL128 is taken to be as fast as broadcast, as it is in the tables of reduce_perf on eight A100
/// (microsoft/superbenchmark, tests) and on twelve V100 of a DGX-2 (jgwohlbier/nccl-tests): 654 and 1179 us
/// for 128 MiB. NCCL's limit for it is lower before 2.10.
static double published_limit(int minor, Shape shape, Protocol protocol, Collective collective,
                              const Situation& s, int channels) {
  if (of_amd(s.gpu)) return rccl_limit(shape, protocol, s, channels);
  if (protocol == Protocol::ll && since_hopper(s.gpu))
    return std::min(simple_of_hopper / 2,
                    most_ll(std::max(minor, ll_takes_half), 1, s.gpu, s.cpu) / channels);
  if (protocol == Protocol::ll)
    return most_ll(minor, 1, s.gpu, s.cpu) / channels_of_gpu[static_cast<std::size_t>(s.gpu)] / 2;
  if (shape == Shape::nvls_tree) return head_of_tree(minor, s);
  const double of_trees = most_tree(std::max(minor, 8), protocol, 1, s.gpu, 1) / 2;
  if (protocol == Protocol::simple && since_hopper(s.gpu))
    return shape == Shape::tree ? std::max(simple_of_hopper, of_trees) : simple_of_hopper;
  if (protocol == Protocol::simple) return of_trees;
  const bool chain_up = shape == Shape::ring && collective == Collective::reduce;
  return most_ll128(minor, shape, chain_up ? Collective::broadcast : collective, 1, s.gpu) / 2;
}

double channel_limit(int minor, Shape shape, Protocol protocol, Collective collective, const Situation& s,
                     int channels) {
  return published_limit(minor, shape, protocol, collective, s, channels) *
         Scaled::factor(protocol, Constant::Of::bandwidth);
}

double share_of_links(int minor, const Situation& s, int channels) {
  const bool nvlink = s.link == NodeLink::nvlink;
  BytesPerSecond all = s.node_bandwidth;
  if (all == BytesPerSecond(0)) all = s.channels * s.intra_bandwidth;
  if (s.nodes > 1 && nvlink) all = s.nvlink_bandwidth;  // channels are no faster than the network
  if (all == BytesPerSecond(0)) return unlimited;
  return std::min(all.value / 1e9, nvlink ? most_in_all(minor, s.gpu) : unlimited) / channels;
}

/// For Simple between nodes, the steps of RCCL's tuner stand for more than a step (320 us on MI300X); a hop
/// is taken to last as long as a tree's.
static Software rccl_software(const Situation& s) {
  const Hardware in_node = s.link == NodeLink::nvlink ? Hardware::nvlink : Hardware::pci;
  const auto step = [&](Hardware wire, Shape shape) { return rccl_step_latency(s.rccl_tuning, wire, shape); };
  Software software{rccl_base_latency(),
                    rccl_base_latency(),
                    channel_of_rccl.us,
                    step(in_node, Shape::ring),
                    step(in_node, Shape::tree),
                    step(Hardware::net, Shape::ring),
                    step(Hardware::net, Shape::tree),
                    {proxy_message, proxy_message, proxy_message}};
  constexpr auto simple = static_cast<std::size_t>(Protocol::simple);
  software.ring_hop[simple] = std::min(software.ring_hop[simple], software.tree_hop[simple]);
  return software;
}

static Software nccl_software(int minor, const Situation& s) {
  const Hardware in_node = s.link == NodeLink::nvlink ? Hardware::nvlink : Hardware::pci;
  const PerProtocol& ring_hop = step_latency(minor, Hardware::net, Shape::ring);
  Software software{base_latency(minor, Shape::ring),
                    base_latency(minor, Shape::tree),
                    further_channel(minor, s).us,
                    step_latency(minor, in_node, Shape::ring),
                    step_latency(minor, in_node, Shape::tree),
                    ring_hop,
                    step_latency(minor, Hardware::net, Shape::tree),
                    ring_hop};
  // In Simple the latency of a tree contains the time of its chunk; the step alone is that of a ring.
  constexpr auto simple = static_cast<std::size_t>(Protocol::simple);
  constexpr auto ll128 = static_cast<std::size_t>(Protocol::ll128);
  // In Simple the latency of a ring contains the GPU's part of the step. For a proxy a message costs the same
  // in each protocol.
  software.proxy[simple] = software.proxy[ll128];
  software.proxy[static_cast<std::size_t>(Protocol::ll)] = proxy_message;
  if (minor >= proxies_rewritten) software.proxy = {proxy_message, proxy_message, proxy_message};
  software.tree_step[simple] = software.ring_step[simple];
  software.tree_hop[simple] = software.ring_hop[simple];
  if (is_a100(s)) {
    constexpr auto ll = static_cast<std::size_t>(Protocol::ll);
    software.ring_launch[ll] = software.tree_launch[ll] = ll_launch_of_a100;
    software.ring_step[ll] = software.tree_step[ll] = ll_step_of_a100;
    const int measured = std::max(minor, latencies_remeasured);
    software.ring_launch[ll128] = base_latency(measured, Shape::ring)[ll128];
    software.tree_launch[ll128] = base_latency(measured, Shape::tree)[ll128];
  }
  return software;
}

static void scale(Software& software, Protocol protocol) {
  const auto times = [protocol](PerProtocol& values, Constant::Of of) {
    values[static_cast<std::size_t>(protocol)] *= Scaled::factor(protocol, of);
  };
  times(software.ring_launch, Constant::Of::launch), times(software.tree_launch, Constant::Of::launch);
  times(software.channel, Constant::Of::channel);
  times(software.ring_step, Constant::Of::step), times(software.tree_step, Constant::Of::step);
  times(software.ring_hop, Constant::Of::hop), times(software.tree_hop, Constant::Of::tree_hop);
  times(software.proxy, Constant::Of::proxy);
}

Software published_software(int minor, const Situation& s) {
  Software software = of_amd(s.gpu) ? rccl_software(s) : nccl_software(minor, s);
  for (const Protocol p : {Protocol::ll, Protocol::ll128, Protocol::simple}) scale(software, p);
  return software;
}

Software software_on(const Blueprint& b, int minor, const Situation& s, double factor) {
  Software software = published_software(minor, s);
  stretch(software, further_channel(minor, s).most, factor);
  for (std::size_t p = 0; p < b.nccl.size(); ++p) {
    const Blueprint::NcclCosts& costs = b.nccl[p];
    if (costs.launch) software.ring_launch[p] = software.tree_launch[p] = costs.launch->value;
    if (costs.channel) software.channel[p] = costs.channel->value;
    if (costs.hop) software.ring_hop[p] = costs.hop->value;
    if (costs.tree_hop) software.tree_hop[p] = costs.tree_hop->value;
    if (costs.proxy) software.proxy[p] = costs.proxy->value;
  }
  return software;
}

}  // namespace collcast::nccl

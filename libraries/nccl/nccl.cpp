// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/nccl.hpp"

#include <algorithm>
#include <span>
#include <sstream>

#include "libraries/nccl/rccl.hpp"
#include "libraries/rules.hpp"
#include "support/error.hpp"

namespace collcast::nccl {
namespace {

constexpr Protocol protocols[] = {Protocol::ll, Protocol::ll128, Protocol::simple};

/// The catalogue's counterparts of NCCL's algorithms.
struct Played {
  Collective collective;
  Shape shape;
  std::string_view one_channel, channels;
};
constexpr Played played[] = {
    {Collective::allreduce, Shape::tree, "double-tree", "double-tree"},
    {Collective::allreduce, Shape::ring, "ring", "multi-ring"},
    {Collective::allreduce, Shape::nvls, "nvls", "nvls"},
    {Collective::allreduce, Shape::nvls_tree, "nvls-tree", "nvls-tree"},
    {Collective::allgather, Shape::ring, "ring", "ring"},
    {Collective::allgather, Shape::pat, "pat", "pat"},
    {Collective::reduce_scatter, Shape::ring, "ring", "ring"},
    {Collective::reduce_scatter, Shape::pat, "pat", "pat"},
    {Collective::broadcast, Shape::ring, "chain", "chain"},
    {Collective::reduce, Shape::ring, "chain", "chain"},
};

/// One call as the model sees it; microseconds and GB/s inside, as in NCCL.
struct Model {
  int minor;
  Collective collective;
  const Call& call;
  const Situation& s;

  Rank per_node() const { return call.ranks / s.nodes; }
  bool alone() const { return call.ranks == s.nodes; }
  bool allreduce() const { return collective == Collective::allreduce; }
  bool rooted() const { return collective == Collective::broadcast || collective == Collective::reduce; }
  double steps() const { return allreduce() ? 2.0 * (call.ranks - 1) : call.ranks - (rooted() ? 0.0 : 1.0); }
  double node_steps() const;

  double bus_bandwidth(Shape shape, Protocol protocol) const;
  double ring_bandwidth(Protocol protocol, double bus) const;
  double tree_bandwidth(Protocol protocol, double bus) const;
  double switch_bandwidth(Shape shape) const;
  double rccl_bandwidth(Shape shape, Protocol protocol) const;
  double bandwidth(Shape shape, Protocol protocol) const;
  const PerProtocol& step(Hardware wire, Shape shape) const;

  double on_node(Shape shape, Protocol protocol) const;
  double between_nodes(Shape shape, Protocol protocol) const;
  double ring_latency(Protocol protocol) const;
  double rooted_latency(Protocol protocol) const;
  double latency(Shape shape, Protocol protocol) const;

  bool considers(Shape shape) const;
  bool uses_ll128(Shape shape) const;
  bool on_plateau() const;
  Candidate candidate(Shape shape, Protocol protocol) const;
};

double Model::node_steps() const {
  if (s.nodes == 1) return 0;
  if (!allreduce()) return s.nodes - 1;
  return 2.0 * (one_extra_node_step(minor) ? s.nodes : s.nodes - 1);
}

double Model::bus_bandwidth(Shape shape, Protocol protocol) const {
  const bool other = shape == Shape::tree && s.tree_bandwidth > BytesPerSecond(0);
  const BytesPerSecond on_node = other ? s.tree_bandwidth : s.intra_bandwidth;
  const BytesPerSecond channel = s.nodes <= 2 ? on_node : s.inter_bandwidth;
  const double bus = std::min(s.channels * channel.value / 1e9, most_in_all(minor, s.gpu));
  if (shape == Shape::pat) return bus * pat_share(minor);
  return shape == Shape::ring ? ring_bandwidth(protocol, bus) : tree_bandwidth(protocol, bus);
}

double Model::ring_bandwidth(Protocol protocol, double bus) const {
  if (protocol == Protocol::ll)
    return std::min(most_ll(minor, s.nodes, s.gpu, s.cpu), bus * ring_ll_share(minor, collective, s.nodes));
  if (protocol == Protocol::simple) return bus;
  // Fewer than two ranks per node: a GPU sends and receives through the same network card.
  const double share = call.ranks < 2 * s.nodes ? ring_ll128_share_alone(minor) : .92;
  return std::min(bus * share, s.channels * most_ll128(minor, Shape::ring, collective, s.nodes, s.gpu));
}

double Model::tree_bandwidth(Protocol protocol, double bus) const {
  bus = std::min(bus * tree_share(minor), most_tree(minor, protocol, s.nodes, s.gpu, s.channels));
  if (protocol == Protocol::ll) return std::min(bus / 3.8, most_ll(minor, s.nodes, s.gpu, s.cpu));
  if (protocol == Protocol::simple) return bus;
  const double share = s.nodes == 1 ? 7.0 / 9 : tree_ll128_share_of_nodes(minor);
  const double channel =
      most_ll128(minor, Shape::tree, collective, s.nodes, s.gpu) * tree_ll128_share_of_channel(minor);
  return std::min(bus * share, s.channels * channel);
}

/// The bandwidth of NVLS and its tree. 2.28 counts both ways of the bus, as for a ring, and subtracts the
/// share of one channel.
double Model::switch_bandwidth(Shape shape) const {
  const bool tree = shape == Shape::nvls_tree;
  const double channels = s.switch_channels, each = s.switch_bandwidth.value / 1e9;
  if (!nvls_by_efficiency(minor))
    return channels * (tree && s.nodes > 2 ? each / 2 : each) * nvls_share(minor);
  double bus = 2 * each * nvls_efficiency(s.gpu) * (channels - 1) / channels;
  if (tree) bus = std::min({bus, each * (s.nodes > 2 ? 1 : 2), most_nvls_tree(minor, s.nodes, s.gpu)});
  return channels * bus * call.ranks / steps();
}

/// Whether the call is on one node of gfx94. There RCCL never plays trees in Simple, and takes LL of
/// broadcast and reduce to be faster than its constant says (ROCm/rccl, src/graph/tuning.cc).
bool lone_cdna3(const Situation& s) {
  return s.nodes == 1 && s.gpu == Gpu::cdna3;
}
constexpr double rooted_ll_of_cdna3 = 1.65;

/// The bandwidth of a shape and protocol in RCCL's account, in which all channels together have the bandwidth
/// of a GPU's links.
double Model::rccl_bandwidth(Shape shape, Protocol protocol) const {
  double bus = s.rccl_links.value / 1e9 * of(rccl_share(s.rccl_tuning, s.nodes, shape), protocol);
  if (lone_cdna3(s) && rooted() && protocol == Protocol::ll) bus *= rooted_ll_of_cdna3;
  return shape == Shape::tree ? bus / 2 : bus * call.ranks / steps();
}

double Model::bandwidth(Shape shape, Protocol protocol) const {
  if (of_amd(s.gpu)) return rccl_bandwidth(shape, protocol);
  if (shape == Shape::nvls || shape == Shape::nvls_tree) return switch_bandwidth(shape);
  const double bus = bus_bandwidth(shape, protocol);
  if (shape == Shape::tree) return bus / 2;
  return shape == Shape::ring ? bus * call.ranks / steps() : bus;
}

const PerProtocol& Model::step(Hardware wire, Shape shape) const {
  return of_amd(s.gpu) ? rccl_step_latency(s.rccl_tuning, wire, shape) : step_latency(minor, wire, shape);
}

double Model::on_node(Shape shape, Protocol protocol) const {
  const Hardware wire = s.link == NodeLink::nvlink ? Hardware::nvlink : Hardware::pci;
  const bool short_tree = wire == Hardware::pci && shape == Shape::tree && protocol == Protocol::simple &&
                          s.cpu == Cpu::power && power_has_short_pci_trees(minor);
  const double us = of(step(wire, short_tree ? Shape::ring : shape), protocol);
  return s.nodes > 1 && protocol == Protocol::ll ? us * ll_slowdown_on_nodes(minor) : us;
}

double Model::between_nodes(Shape shape, Protocol protocol) const {
  const bool as_tree = alone() && lone_ranks_take_tree_latency(minor);
  return of(step(Hardware::net, as_tree ? Shape::tree : shape), protocol);
}

double Model::ring_latency(Protocol protocol) const {
  if (rooted()) return rooted_latency(protocol);
  double us = on_node(Shape::ring, protocol);
  if (s.nodes > 1) us = std::max(us, network_overhead(minor, s.cpu) * (protocol == Protocol::simple ? 3 : 1));
  return (steps() - node_steps()) * us + node_steps() * between_nodes(Shape::ring, protocol);
}

/// The latency of a broadcast or reduce. If all channels visit GPUs in the same order, the root's data are
/// one pipeline, and a step is paid once.
double Model::rooted_latency(Protocol protocol) const {
  const Hardware on_node = s.link == NodeLink::nvlink ? Hardware::nvlink : Hardware::pci;
  const bool chunks = !s.same_channels && protocol == Protocol::simple;
  const double us =
      of(step(s.nodes == 1 ? on_node : Hardware::net, chunks ? Shape::tree : Shape::ring), protocol);
  return s.same_channels ? us : steps() * us;
}

double Model::latency(Shape shape, Protocol protocol) const {
  const double base = of(of_amd(s.gpu) ? rccl_base_latency() : base_latency(minor, shape), protocol);
  const double hops = log2_floor(s.nodes);
  if (shape == Shape::ring) return base + ring_latency(protocol);
  if (shape == Shape::tree)
    return base + 2 * ((per_node() - 1) * on_node(shape, protocol) + hops * between_nodes(shape, protocol));
  if (shape == Shape::nvls) return base + on_node(shape, protocol);
  if (shape == Shape::nvls_tree)
    return base + on_node(shape, protocol) +
           2 * (nvls_tree_is_a_chain(minor) ? s.nodes - 1 : hops) * between_nodes(shape, protocol);
  return base + hops * between_nodes(shape, protocol) / 3.5 + 2.8 * call.ranks;
}

/// Whether NCCL considers LL128. On V100 it does not between nodes for broadcasts and trees: with NCCL 2.8.4
/// (aistabci/abci2.0benchmark f0aa27f) broadcasts go from LL straight to Simple, where the model has LL128
/// and Simple equal (16 and 32 GPUs). Allreduces go from LL's trees to rings: from 128 KiB on they take 21 us
/// for each node (2, 8 and 16 nodes), where the levels of a tree would show. On A100 NCCL searches for other
/// (balanced) trees, and its source is followed.
bool Model::uses_ll128(Shape shape) const {
  const bool ring = shape == Shape::ring && !rooted();
  if (of_amd(s.gpu)) return ll128_runs(minor, s);
  return ll128_runs(minor, s) && (s.nodes == 1 || ring || minor > 9 || s.gpu > Gpu::volta);
}

/// Whether NCCL considers the shape. NVLS over several nodes would need CollNet. NCCL plays as many NVLS
/// trees as the poorest node has GPUs, or cards or heads if these are fewer; the catalogue's `nvls-tree` has
/// one for each rank.
bool Model::considers(Shape shape) const {
  const bool switched = allreduce() && has_nvls(minor, s.gpu) && s.switch_channels > 0;
  switch (shape) {
    case Shape::tree:
      return allreduce();
    case Shape::nvls:
      return switched && s.nodes == 1;
    case Shape::nvls_tree:
      return switched && s.nodes > 1 && has_nvls_tree(minor) && s.switch_channels * s.nodes == call.ranks;
    case Shape::pat:
      return !allreduce() && !rooted() && alone() && has_pat(minor);
    default:
      return true;
  }
}

bool Model::on_plateau() const {
  if (of_amd(s.gpu)) return false;
  const Plateau& p = plateau(minor);
  const double doubled = std::min(most_channels, 2 * s.channels);
  return s.nodes > 1 && call.message.value >= p.bytes_per_rank * call.ranks +
                                                  p.bytes_per_rank_and_channel * doubled * call.ranks;
}

Candidate Model::candidate(Shape shape, Protocol protocol) const {
  const double us = latency(shape, protocol), GBps = bandwidth(shape, protocol);
  double slower = 1, reached = 1;
  if (of_amd(s.gpu))
    reached = rccl_correction(minor, s.rccl_tuning, s.nodes, shape, protocol, call.message);
  else if (shape == Shape::tree)
    reached = tree_correction(minor, protocol, call.message);
  if (shape == Shape::ring && protocol == Protocol::simple && allreduce() && on_plateau())
    slower = plateau(minor).factor[static_cast<std::size_t>(s.gpu)];
  const Seconds time(us * slower * 1e-6 + call.message.value / (GBps * reached * 1e9));
  return {shape, protocol, Seconds(us * 1e-6), BytesPerSecond(GBps * 1e9), time};
}

void check(const Call& call, const Situation& s) {
  if (call.ranks < 1) throw InputError("ranks must be 1 or more, got " + std::to_string(call.ranks));
  if (s.nodes < 1 || s.nodes > call.ranks)
    throw InputError("nodes must be from 1 to the " + std::to_string(call.ranks) + " ranks, got " +
                     std::to_string(s.nodes));
  if (s.channels < 1) throw InputError("channels must be 1 or more, got " + std::to_string(s.channels));
  if (!(s.intra_bandwidth > BytesPerSecond(0)) || !(s.inter_bandwidth > BytesPerSecond(0)))
    throw InputError("the bandwidth of a channel must be above 0 B/s");
}

const Played& catalogue_row(const Policy& policy, Collective collective, Shape shape) {
  for (const Played& row : played)
    if (row.collective == collective && row.shape == shape) return row;
  throw no_rule(policy.text(), collective, ruled());
}

/// How many bytes the channels of all GPUs reduce at once: NVIDIA/nccl 2.18, src/enqueue.cc.
Bytes in_switch_segment(const Model& m, Shape shape) {
  constexpr double KiB = 1024;
  constexpr int channels = 16;
  struct Chunk {
    double below, KiB;  ///< with fewer such chunks in the message, the chunk is at most this
  };
  constexpr Chunk of_nvls[] = {{64, 64}, {8, 32}, {2, 16}},
                  of_tree[] = {{32, 256}, {16, 128}, {4, 64}, {1, 32}};
  const bool tree = shape == Shape::nvls_tree;
  const double message = m.call.message.value, at_once = channels * m.s.switch_channels;
  double chunk = (tree ? 512 : 128) * KiB;
  for (const Chunk& c : tree ? std::span<const Chunk>(of_tree) : std::span<const Chunk>(of_nvls))
    if (message < c.below * at_once * chunk) chunk = std::min(chunk, c.KiB * KiB);
  return Bytes(std::min(message, at_once * chunk));
}

/// How many bytes all channels send at once, with Simple; empty if we do not know NCCL's rule.
std::optional<Bytes> segment(const Model& m, const Candidate& c, double channels) {
  constexpr double KiB = 1024;
  if (c.shape == Shape::nvls || c.shape == Shape::nvls_tree) return in_switch_segment(m, c.shape);
  if (m.minor < 18 || c.protocol != Protocol::simple) return {};
  double chunk = 512 * KiB;
  if (c.shape == Shape::tree) {
    const double depth = m.per_node() - 1 + log2_floor(m.s.nodes);
    const auto halve = [&](double loops, double least) {
      while (m.call.message.value / (channels * chunk) < loops && chunk > least) chunk /= 2;
    };
    halve(8 * depth, 128 * KiB), halve(4 * depth, 64 * KiB), halve(depth, 32 * KiB);
  } else if (!m.rooted()) {
    return {};
  }
  return Bytes(std::min(m.call.message.value, channels * chunk));
}

std::string in_words(const Candidate& c) {
  std::ostringstream words;
  words.precision(4);
  words << name(c.shape) << '/' << name(c.protocol) << ' ' << c.time.value * 1e6 << " us";
  return words.str();
}

}  // namespace

std::vector<Collective> ruled() {
  return collectives_of(played);
}

std::optional<Shape> shape_of(Collective collective, std::string_view algorithm) {
  for (const Played& row : played)
    if (row.collective == collective && (row.one_channel == algorithm || row.channels == algorithm))
      return row.shape;
  return {};
}

std::vector<Candidate> candidates(const Policy& policy, Collective collective, const Call& call,
                                  const Situation& s) {
  catalogue_row(policy, collective, Shape::ring);
  check(call, s);
  check_gpu(policy.release, s.gpu);
  std::vector<Candidate> found;
  if (call.ranks == 1) return found;
  const Model model{policy.release, collective, call, s};
  const auto consider = [&](Shape shape) {
    if (!model.considers(shape)) return;
    for (Protocol protocol : protocols) {
      if (policy.proto.value_or(protocol) != protocol) continue;
      if (protocol == Protocol::ll128 && !policy.proto && !model.uses_ll128(shape)) continue;
      if (protocol == Protocol::ll128 && of_amd(s.gpu) && !rccl_has_ll128(s.rccl_tuning)) continue;
      if (!has_transport(shape) && protocol != Protocol::simple) continue;
      if (shape == Shape::tree && protocol == Protocol::simple && lone_cdna3(s)) continue;
      found.push_back(model.candidate(shape, protocol));
    }
  };
  for (Shape shape : {Shape::tree, Shape::ring, Shape::nvls, Shape::nvls_tree, Shape::pat})
    if (policy.algo.value_or(shape) == shape) consider(shape);
  // "Never disable ring for non-allreduce operations. That allows to run real apps with NCCL_ALGO=TREE."
  if (found.empty() && collective != Collective::allreduce && !algorithms_by_function(policy.release))
    consider(Shape::ring);
  if (found.empty())
    throw InputError(policy.text() + " leaves nothing to play " + std::string(definition(collective).name) +
                     " with");
  return found;
}

Candidate choose(const Policy& policy, Collective collective, const Call& call, const Situation& s) {
  const std::vector<Candidate> all = candidates(policy, collective, call, s);
  const Candidate& best = *std::ranges::min_element(all, {}, &Candidate::time);
  const auto forced = policy.release.rccl && !policy.proto
                          ? rccl_protocol(policy.release, s, collective, call)
                          : std::nullopt;
  const auto is = [&](const Candidate& c) { return c.shape == best.shape && c.protocol == forced; };
  const auto found = std::ranges::find_if(all, is);
  return found == all.end() ? best : *found;
}

Pick pick(const Policy& policy, Collective collective, const Call& call, const Situation& s) {
  std::vector<Candidate> all = candidates(policy, collective, call, s);
  if (all.empty())
    return {.algorithm = catalogue_row(policy, collective, Shape::ring).one_channel,
            .why = policy.text() + ": one rank, nothing to choose"};
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  const Candidate best = choose(policy, collective, call, s);
  const Played& row = catalogue_row(policy, collective, best.shape);
  const int channels = policy.channels.value_or(s.channels);
  return {
      .algorithm = channels > 1 ? row.channels : row.one_channel,
      .channels = channels,
      .segment = segment({policy.release, collective, call, s}, best, policy.all_channels(s)),
      .protocol = name(best.protocol),
      .predicted = best.time,
      .why = policy.text() + ": its model gives " + in_words(all.front()) +
             (all.size() > 1 ? ", then " + in_words(all[1]) : "") +
             (best.protocol != all.front().protocol ? "; by its limits of the size " + in_words(best) : "")};
}

}  // namespace collcast::nccl

// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/rccl.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace collcast::nccl {
namespace {

// clang-format off
/// Factors in tenths, by size: messages of 64 B, 128 B, ..., 4 GiB and more.
using Tenths = std::array<std::uint8_t, 27>;
using Corrections = std::array<Tenths, 3>;  ///< LL, LL128, Simple

/// The tuner's constants for a node, for trees and rings. A tree's share of the links has one value for up to
/// two nodes and one for more.
struct Tuning {
  PerProtocol tree_step, ring_step, tree_hop, ring_hop;
  PerProtocol tree_share, ring_share, tree_share_of_more;
  Corrections tree, ring;
};

constexpr PerProtocol base{12, 12, 17}, pci_step{2.2, 2.2, 5.7};

constexpr Tuning unknown_node{
    {.8, 1.4, 2.5}, {.8, 2.2, 3.6}, {11.8, 18.2, 20.8}, {9.5, 19.8, 15.1},
    {.04, .22, .91}, {.04, .34, 1}, {.04, .22, .95},
    {{{1, 2, 1, 1, 9, 3, 4, 1, 2, 4, 2, 1, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
      {1, 3, 10, 1, 5, 10, 9, 10, 10, 10, 3, 1, 4, 5, 5, 4, 4, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2},
      {2, 10, 1, 1, 7, 2, 4, 1, 1, 3, 4, 3, 6, 8, 10, 10, 10, 10, 9, 8, 8, 8, 8, 8, 9, 9, 9}}},
    {{{1, 1, 1, 1, 1, 2, 4, 2, 3, 5, 3, 1, 5, 5, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
      {1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 10, 10, 10, 10, 10, 10, 8, 7, 5, 4, 4, 3, 3, 3, 3, 3, 3},
      {10, 8, 2, 10, 10, 3, 10, 1, 1, 2, 2, 1, 5, 10, 8, 8, 10, 9, 10, 10, 10, 10, 10, 10, 10, 10, 10}}}};

/// Nodes of MI250X.
constexpr Tuning mi250x{
    {.8, 0, 2.5}, {.8, 0, 3.6}, {12.5, 0, 22.4}, {9.5, 0, 19.8},
    {.2, 0, 1.75}, {.2, 0, 1}, {.2, 0, .96},
    {{{1, 1, 1, 1, 1, 1, 10, 10, 2, 10, 9, 10, 6, 4, 6, 4, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2},
      {},
      {10, 10, 10, 10, 10, 10, 1, 1, 1, 2, 10, 8, 10, 10, 10, 10, 10, 10, 10, 10, 10, 8, 7, 8, 9, 7, 7}}},
    {{{1, 1, 1, 1, 1, 3, 1, 2, 1, 4, 4, 2, 2, 3, 7, 5, 4, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2},
      {},
      {1, 1, 1, 1, 1, 1, 1, 5, 10, 1, 3, 1, 1, 1, 2, 2, 2, 3, 4, 7, 10, 10, 10, 10, 10, 10, 10}}}};

/// Nodes of MI300X. The first release with LL128 has other corrections of Simple.
constexpr Tuning mi300x{
    {.9, .9, 2.3}, {.8, .8, 2.1}, {10.5, 10.5, 25}, {9.5, 9.5, 320},
    {.06, .06, .11}, {.08, .08, 1}, {.06, .06, .59},
    {{{1, 1, 1, 1, 1, 1, 10, 10, 10, 10, 10, 6, 10, 9, 10, 10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
      {1, 1, 1, 1, 1, 1, 10, 10, 10, 10, 10, 6, 10, 9, 10, 10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
      {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 7, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 8}}},
    {{{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 10, 2, 10, 4, 4, 1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1},
      {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 10, 2, 10, 4, 4, 1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1},
      {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 10, 10, 10}}}};
constexpr Tenths mi300x_tree_later{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 7, 10, 10, 10, 10, 10, 7, 7, 5, 6, 6, 6},
                 mi300x_ring_later{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 10, 8, 10, 10, 10};

/// For MI300X on several nodes: sizes up to which LL is taken, and from which and up to which LL128 is. In
/// allgather and reduce-scatter they are of a rank's part, in allreduce of the whole message.
struct Limits {
  Collective collective;
  double ll, ll128_from, ll128;
};
constexpr Limits limits_of_mi300x[] = {{Collective::reduce_scatter, 655360, 131072, 3211264},
                                       {Collective::allgather, 98304, 98304, 5046272},
                                       {Collective::allreduce, 1048576, 1048576, 9437184}};
/// The factor on allreduce's last limit on more than two nodes.
constexpr double on_more_nodes = 3.8;
// clang-format on

constexpr int of_mi250x = 3, of_mi300x = 5;
/// The first release that has LL128 on MI300X, and limits instead of the tuner's choice.
constexpr int first_with_limits = 26;

const Tuning& constants(int tuning) {
  return tuning == of_mi250x ? mi250x : tuning == of_mi300x ? mi300x : unknown_node;
}

/// The links between GPUs of a node that RCCL recognises, as a matrix row by row, and its rings with the
/// network cards by which they enter.
struct Known {
  std::size_t gpus;
  int nics;  ///< 0: the rings stay on one node
  std::string_view links;
  int tuning;
  bool ll128;
  std::string_view rings;
  int turns = 1;  ///< how often the list of rings repeats; with cards, each time one ring further on
};

constexpr std::string_view of_mi250 =
    "04100020"
    "40010100"
    "10042000"
    "01400001"
    "00200410"
    "01004001"
    "20001004"
    "00010140";
constexpr std::string_view all_to_all =
    "01111111"
    "10111111"
    "11011111"
    "11101111"
    "11110111"
    "11111011"
    "11111101"
    "11111110";

constexpr Known known[] = {
    {8, 0, of_mi250, 0, false, "01324576 67542310 01546732 23764510"},
    {8, 4, of_mi250, of_mi250x, false, "0:01546732 1:23764510 3:76013245 2:54231067", 2},
    {8, 0, all_to_all, of_mi300x, false,
     "01234567 01234576 02413657 02461735 03152746 03516274 04173625 "
     "76543210 67543210 75631420 53716420 64725130 47261530 52637140",
     2},
    {8, 8, all_to_all, of_mi300x, true,
     "0:01234567 1:10243576 2:25036174 3:37042165 4:46273051 5:54713260 6:63140752 7:72064153", 8},
    {4, 4, "0222202222022220", 0, false,
     "2:2301 0:0132 0:0213 3:3102 3:3120 1:1032 1:1230 2:2013 3:3021 2:2310 1:1203 0:0321"},
};

/// The links like NVLink between each two GPUs of a node: how many, and their bandwidth one way.
struct Links {
  std::vector<int> count;
  std::vector<double> GBps;
};
Links links_between(const Blueprint& b) {
  const std::size_t n = b.ranks_on.size();
  Links links{std::vector<int>(n * n), std::vector<double>(n * n)};
  const auto place = [&](int vertex) {
    return static_cast<std::size_t>(std::ranges::find(b.ranks_on, vertex) - b.ranks_on.begin());
  };
  for (const Blueprint::Line& line : b.lines) {
    const Blueprint::LinkKind& kind = b.link_kinds[static_cast<std::size_t>(line.kind)];
    const std::size_t from = place(line.from), to = place(line.to);
    if (kind.type != Blueprint::LinkKind::Type::nvlink || from == n || to == n || from == to) continue;
    for (const std::size_t way : {from * n + to, to * n + from}) {
      if (line.one_way && way != from * n + to) continue;
      links.count[way] += line.count;
      links.GBps[way] += line.count * kind.bandwidth.value;
    }
  }
  return links;
}

std::vector<Channels::Channel> read(const Known& node) {
  std::vector<Channels::Channel> rings;
  std::istringstream words{std::string(node.rings)};
  for (std::string word; words >> word;) {
    Channels::Channel& ring = rings.emplace_back();
    const std::size_t colon = word.find(':');
    if (colon != std::string::npos) ring.nic = word[0] - '0';
    for (const char gpu : word.substr(colon + 1)) ring.gpus.push_back(gpu - '0');
  }
  std::vector<Channels::Channel> all;
  for (int turn = 0; turn < node.turns; ++turn) {
    all.insert(all.end(), rings.begin(), rings.end());
    if (node.nics > 0) std::rotate(rings.begin(), rings.begin() + 1, rings.end());
  }
  return all;
}

/// The bandwidth of each ring: its share of every link that it crosses. A ring that enters from the network
/// closes over the network.
BytesPerSecond share(const std::vector<Channels::Channel>& rings, const Links& links) {
  const std::size_t n = rings.front().gpus.size();
  std::vector<int> crossed(n * n);
  for (const Channels::Channel& ring : rings)
    for (std::size_t i = 0; i + (ring.nic >= 0 ? 1 : 0) < n; ++i)
      ++crossed[static_cast<std::size_t>(ring.gpus[i]) * n +
                static_cast<std::size_t>(ring.gpus[(i + 1) % n])];
  double least = unlimited;
  for (std::size_t way = 0; way < crossed.size(); ++way)
    if (crossed[way] > 0) least = std::min(least, links.GBps[way] / crossed[way]);
  return BytesPerSecond(least * 1e9);
}

}  // namespace

RcclNode rccl_node(const Blueprint& b, ChannelReach reach) {
  const Links links = links_between(b);
  const auto nics =
      reach == ChannelReach::node ? 0 : static_cast<int>(b.of_kind(Blueprint::Vertex::Kind::nic).size());
  for (const Known& k : known) {
    const auto alike = [](int count, char digit) { return count == digit - '0'; };
    if (k.gpus != b.ranks_on.size() || k.nics != nics || !std::ranges::equal(links.count, k.links, alike))
      continue;
    Channels rings{read(k), {}, true};
    rings.bandwidth = share(rings.channels, links);
    return {k.tuning, k.ll128, std::move(rings)};
  }
  return {};
}

double rccl_links(const Blueprint& b, Gpu gpu) {
  const std::vector<int> links = links_between(b).count;
  const std::size_t n = b.ranks_on.size();
  int most = 0;
  for (std::size_t from = 0; from < n; ++from) {
    int out = 0;
    for (std::size_t to = 0; to < n; ++to) out += links[from * n + to];
    most = std::max(most, out);
  }
  return most * nccl_speeds(first_with_limits, gpu).nvlink;
}

int rccl_channels(Gpu gpu, int found) {
  return gpu == Gpu::cdna2 ? std::min(32, 4 * found) : std::min(64, 2 * found);
}

const PerProtocol& rccl_base_latency() {
  return base;
}

const PerProtocol& rccl_step_latency(int tuning, Hardware wire, Shape shape) {
  if (wire == Hardware::pci) return pci_step;
  const Tuning& t = constants(tuning);
  const bool tree = shape == Shape::tree;
  if (wire == Hardware::nvlink) return tree ? t.tree_step : t.ring_step;
  return tree ? t.tree_hop : t.ring_hop;
}

bool rccl_has_ll128(int tuning) {
  return of(constants(tuning).ring_step, Protocol::ll128) > 0;
}

const PerProtocol& rccl_share(int tuning, Rank nodes, Shape shape) {
  const Tuning& t = constants(tuning);
  if (shape == Shape::ring) return t.ring_share;
  return nodes > 2 ? t.tree_share_of_more : t.tree_share;
}

double rccl_correction(int minor, int tuning, Rank nodes, Shape shape, Protocol protocol, Bytes message) {
  const bool tree = shape == Shape::tree;
  if (!tree && nodes == 1) return 1;
  const auto size = static_cast<std::size_t>(std::ilogb(std::max(1.0, std::floor(message.value / 64))));
  const std::size_t at = std::min(size, std::tuple_size_v<Tenths> - 1);
  if (tuning == of_mi300x && minor >= first_with_limits && protocol == Protocol::simple)
    return (tree ? mi300x_tree_later : mi300x_ring_later)[at] / 10.0;
  const Tuning& t = constants(tuning);
  return (tree ? t.tree : t.ring)[static_cast<std::size_t>(protocol)][at] / 10.0;
}

std::optional<Protocol> rccl_protocol(int minor, const Situation& s, Collective collective,
                                      const Call& call) {
  const auto limits = std::ranges::find(limits_of_mi300x, collective, &Limits::collective);
  if (minor < first_with_limits || s.rccl_tuning != of_mi300x || s.nodes == 1 ||
      limits == std::end(limits_of_mi300x))
    return {};
  const bool whole = collective == Collective::allreduce;
  const double bytes = whole ? call.message.value : std::floor(call.message.value / call.ranks);
  const double ll128 = limits->ll128 * (whole && s.nodes > 2 ? on_more_nodes : 1);
  if (s.rccl_ll128 && bytes > limits->ll128_from && bytes <= ll128) return Protocol::ll128;
  return bytes > 0 && bytes <= limits->ll ? Protocol::ll : Protocol::simple;
}

}  // namespace collcast::nccl

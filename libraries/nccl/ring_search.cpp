// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/ring_search.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "platforms/description/node_graph.hpp"
#include "platforms/description/parts.hpp"
#include "support/json.hpp"
#include "support/lru_cache.hpp"

namespace collcast {
namespace {

using Type = Blueprint::LinkKind::Type;

constexpr int anywhere = -1;
constexpr int most_channels = 32;      // NCCL's MAXCHANNELS
constexpr int patience = 20'000;       // GPUs tried before the search gives up a number of channels
constexpr double at_least_split = 25;  // GB/s: faster channels are split in two

/// An NVLink of the first generation; NCCL has no other constant below that of the second.
constexpr double first_nvlink_GBps = 18;
/// An NVLink of GA102 and similar GPUs: SM86_NVLINK_BW.
constexpr double small_nvlink_GBps = 12;

/// The nominal rate of a port with this usable bandwidth; NCCL reads it from the adapter. Ports of 20 and 50
/// Gb/s are rare: a bandwidth in between is more likely part of the next faster port's. They are only taken
/// if a platform states exactly these rates.
double port_rate(double usable_GBps) {
  for (double rate : {0.125, 0.3125, 0.625, 1.25, 2.5, 3.125, 5.0, 6.25, 7.0, 12.5, 25.0, 50.0, 100.0}) {
    const bool rare = rate == 2.5 || rate == 6.25;
    if (rare ? usable_GBps == rate : usable_GBps <= rate) return rate;
  }
  return usable_GBps;
}

/// The usual bandwidth of links with this kind's name, of which the platform's is taken to be a measurement.
/// If it differs by a factor of 1.5, the platform has another link of that name, and its own bandwidth
/// counts.
double by_name(const Blueprint::LinkKind& kind) {
  constexpr double another = 1.5;
  const Json& shared = shared_parts()["link_kinds"];
  const double own = kind.bandwidth.value;
  if (!shared.contains(kind.name)) return own;
  const double usual = shared[kind.name]["bandwidth_GBps"]["value"];
  return own > another * usual || another * own < usual ? own : usual;
}

/// What NCCL assumes of a kind of link, whatever the platform's own measurement.
double nominal(const Blueprint::LinkKind& kind, const ChannelSpeeds& speeds) {
  const double GBps = by_name(kind);
  if (kind.type != Type::nvlink) return GBps;
  return GBps > 20 ? speeds.nvlink : GBps > 16 ? first_nvlink_GBps : small_nvlink_GBps;
}

/// For each NIC, the number of cpus between it and the nearest GPU.
std::vector<std::ptrdiff_t> cpus_to_gpus(const Blueprint& b, const NodeGraph& graph) {
  const auto is_cpu = [&](int l) {
    const int to = graph.links()[static_cast<std::size_t>(l)].to;
    return b.vertices[static_cast<std::size_t>(to)].kind == Blueprint::Vertex::Kind::cpu;
  };
  std::vector<std::ptrdiff_t> fewest;
  for (const int nic : b.of_kind(Blueprint::Vertex::Kind::nic)) {
    std::vector<std::ptrdiff_t> cpus;
    for (const int gpu : b.ranks_on) cpus.push_back(std::ranges::count_if(graph.route(nic, gpu), is_cpu));
    fewest.push_back(std::ranges::min(cpus));
  }
  return fewest;
}

/// One attempt to pack `count` channels of one speed into a node.
class Attempt {
 public:
  Attempt(const Blueprint& b, const NodeGraph& graph, ChannelShape shape, ChannelReach reach,
          const ChannelSpeeds& speeds, bool nvlink_only)
      : blueprint_(b), graph_(graph), shape_(shape), nvlink_only_(nvlink_only), pxn_(speeds.pxn) {
    gpus_ = b.ranks_on;
    if (reach == ChannelReach::network) nics_ = b.of_kind(Blueprint::Vertex::Kind::nic);
    for (const NodeGraph::Link& l : graph.links()) {
      const Blueprint::Line& line = b.lines[static_cast<std::size_t>(l.line)];
      const Blueprint::LinkKind& kind = b.link_kinds[static_cast<std::size_t>(line.kind)];
      capacity_.push_back(line.count * nominal(kind, speeds));
    }
    if (!nics_.empty()) open_ports();
    for (std::size_t nic = 0; nic < nics_.size(); ++nic) near_.push_back(by_distance(nic));
  }

  /// All that the search depends on except the speeds.
  std::vector<double> wiring() const {
    std::vector<double> all = {static_cast<double>(shape_), nvlink_only_ ? 1.0 : 0.0, pxn_ ? 1.0 : 0.0};
    const auto add = [&all](const auto& list) {
      all.push_back(static_cast<double>(list.size()));
      all.insert(all.end(), list.begin(), list.end());
    };
    add(gpus_), add(nics_), add(capacity_), add(ports_);
    for (std::size_t l = 0; l < capacity_.size(); ++l) all.push_back(usable(static_cast<int>(l)));
    for (const auto& order : near_) add(order);
    std::vector<int> ends = gpus_;
    ends.insert(ends.end(), nics_.begin(), nics_.end());
    for (const int from : ends)
      for (const int to : ends) add(graph_.route(from, to));
    return all;
  }

  /// What the best connected GPU can send, as NCCL counts it: the search ends at this upper bound.
  double total() const {
    double most = 0;
    for (int gpu : gpus_) most = std::max(most, out_of(gpu));
    return most;
  }

  /// An upper bound of the number of channels.
  int bound(double speed) const {
    double room = most_channels;
    if (nics_.empty()) {
      for (int gpu : gpus_) room = std::min(room, std::floor(out_of(gpu) / speed));
      return static_cast<int>(room);
    }
    double ports = 0, edges = 0;  // a channel leaves by a port, and each GPU but the last by an edge
    for (const double port : ports_) ports += std::floor(port / speed);
    for (const int gpu : gpus_) edges += std::floor(out_of(gpu) / speed);
    if (gpus_.size() > 1) room = std::min(room, std::floor(edges / static_cast<double>(gpus_.size() - 1)));
    return static_cast<int>(std::min(room, ports));
  }

  bool find(double speed, int count) {
    speed_ = speed;
    count_ = static_cast<std::size_t>(count);
    free_ = capacity_;
    ports_free_ = ports_;
    found_.clear();
    left_ = patience;
    return next_channel();
  }
  const std::vector<Channels::Channel>& found() const { return found_; }

 private:
  /// Opens the ports of the NICs nearest to GPUs. NCCL uses farther NICs only if it finds no channel through
  /// these (ncclTopoSelectNets).
  void open_ports() {
    const std::vector<std::ptrdiff_t> cpus = cpus_to_gpus(blueprint_, graph_);
    const double rate = blueprint_.bandwidth ? port_rate(blueprint_.bandwidth->value) : 0;
    for (const std::ptrdiff_t c : cpus) ports_.push_back(c == std::ranges::min(cpus) ? rate : 0);
  }
  double out_of(int vertex) const {
    double out = 0;
    for (std::size_t l = 0; l < capacity_.size(); ++l)
      if (graph_.links()[l].from == vertex && usable(static_cast<int>(l))) out += capacity_[l];
    return out;
  }
  bool is_nvlink(int link) const {
    const Blueprint::Line& line =
        blueprint_.lines[static_cast<std::size_t>(graph_.links()[static_cast<std::size_t>(link)].line)];
    return blueprint_.link_kinds[static_cast<std::size_t>(line.kind)].type == Type::nvlink;
  }
  bool usable(int link) const { return !nvlink_only_ || is_nvlink(link); }
  int gpu(int position) const { return gpus_[static_cast<std::size_t>(position)]; }

  /// Whether each link of the route has the speed of a channel left, and may be used between GPUs if
  /// `to_gpu`.
  bool fits(const std::vector<int>& route, bool to_gpu) const {
    return std::ranges::all_of(
        route, [&](int l) { return free_[static_cast<std::size_t>(l)] >= speed_ && (!to_gpu || usable(l)); });
  }
  /// Takes the speed of a channel from each link of the route. Returns false, and takes nothing, if it does
  /// not fit.
  bool take(int from, int to, bool to_gpu = true) {
    const std::vector<int>& route = graph_.route(from, to);
    if (!fits(route, to_gpu)) return false;
    charge(route, -speed_);
    return true;
  }
  void give(int from, int to) { charge(graph_.route(from, to), speed_); }
  void charge(const std::vector<int>& route, double by) {
    for (int l : route) free_[static_cast<std::size_t>(l)] += by;
  }
  /// Takes an edge of a channel. A tree takes both directions, as data go up and down.
  bool take_edge(int from, int to, bool to_gpu = true) {
    if (!take(from, to, to_gpu)) return false;
    if (shape_ == ChannelShape::ring || take(to, from, to_gpu)) return true;
    give(from, to);
    return false;
  }
  void give_edge(int from, int to) {
    give(from, to);
    if (shape_ == ChannelShape::tree) give(to, from);
  }

  bool next_channel() {
    if (found_.size() == count_) return true;
    if (found_.size() % 2 == 1 && nics_.empty() && shape_ == ChannelShape::ring) return add_reversed();
    return nics_.empty() ? start({{0}, -1}) : enter();
  }

  /// Adds the last ring in reverse if it fits, as links are full duplex; else any ring.
  bool add_reversed() {
    Channels::Channel c = found_.back();
    std::reverse(c.gpus.begin() + 1, c.gpus.end());
    if (!take_ring(c.gpus)) return start({{0}, -1});
    found_.push_back(c);
    if (next_channel()) return true;
    found_.pop_back();
    give_ring_edges(c.gpus, c.gpus.size());
    return false;
  }
  /// Takes all edges of a ring, or none.
  bool take_ring(const std::vector<int>& ring) {
    for (std::size_t i = 0; i < ring.size(); ++i)
      if (!take(gpu(ring[i]), gpu(ring[(i + 1) % ring.size()]))) return give_ring_edges(ring, i), false;
    return true;
  }
  void give_ring_edges(const std::vector<int>& ring, std::size_t edges) {
    for (std::size_t i = 0; i < edges; ++i) give(gpu(ring[i]), gpu(ring[(i + 1) % ring.size()]));
  }

  /// Adds a ring that enters the node by a NIC at this GPU, ends at another GPU near the NIC, and leaves by
  /// the NIC: from that GPU, or else by NVLink to the first GPU (PXN).
  bool ring_through(std::size_t nic, int first) {
    for (const bool over : {false, true})
      for (const int last : near_[nic]) {
        if ((over && !pxn_) || (last == first && near_[nic].size() > 1)) continue;
        if (pxn_ && !over && !fits(graph_.route(gpu(last), nics_[nic]), false)) continue;
        leaves_over_first_ = over;
        if (start({{first}, static_cast<int>(nic)}, last)) return true;
      }
    return false;
  }

  /// Enters from the network by each NIC in turn, at the GPUs near it, its own first.
  bool enter() {
    for (std::size_t i = 0; i < nics_.size(); ++i) {
      const std::size_t nic = (found_.size() + i) % nics_.size();
      if (ports_free_[nic] < speed_) continue;
      ports_free_[nic] -= speed_;
      const std::vector<int>& near = near_[nic];
      for (int first : near) {
        if (!take_edge(nics_[nic], gpu(first), false)) continue;
        if (shape_ == ChannelShape::tree ? start({{first}, static_cast<int>(nic)}) : ring_through(nic, first))
          return true;
        give_edge(nics_[nic], gpu(first));
      }
      ports_free_[nic] += speed_;
    }
    return false;
  }
  /// Positions of the GPUs, those near the NIC first, and of equally near ones its own first.
  std::vector<int> by_distance(std::size_t nic) const {
    std::vector<int> order(gpus_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int g) {
      return std::pair(graph_.route(nics_[nic], gpu(g)).size(),
                       graph_.nic_of(gpu(g)) != static_cast<int>(nic));
    });
    return order;
  }

  /// `end`: where the channel has to end.
  bool start(Channels::Channel c, int end = anywhere) { return extend(c, end); }
  bool extend(Channels::Channel& c, int end) {
    if (--left_ < 0) return false;
    if (c.gpus.size() == gpus_.size()) return close(c);
    const bool ends = c.gpus.size() + 1 == gpus_.size();
    for (int next = 0; next < static_cast<int>(gpus_.size()); ++next) {
      const int last = gpu(c.gpus.back());
      if ((next == end) != (ends && end != anywhere)) continue;
      if (std::ranges::find(c.gpus, next) != c.gpus.end() || !take_edge(last, gpu(next))) continue;
      c.gpus.push_back(next);
      if (extend(c, end)) return true;
      c.gpus.pop_back();
      give_edge(last, gpu(next));
    }
    return false;
  }
  bool close(const Channels::Channel& c) {
    const bool closes = shape_ == ChannelShape::ring;
    const std::vector<int> way = return_route(c);
    for (std::size_t i = 0; closes && i + 1 < way.size(); ++i)
      if (!take(way[i], way[i + 1], c.nic < 0)) return give_first(way, i), false;
    found_.push_back(c);
    if (next_channel()) return true;
    found_.pop_back();
    if (closes) give_first(way, way.size() - 1);
    return false;
  }
  void give_first(const std::vector<int>& way, std::size_t edges) {
    for (std::size_t i = 0; i < edges; ++i) give(way[i], way[i + 1]);
  }
  /// The route from the last GPU back: to the first GPU, or to the card, if need be by NVLink to the first
  /// GPU.
  std::vector<int> return_route(const Channels::Channel& c) const {
    const int first = gpu(c.gpus.front()), last = gpu(c.gpus.back());
    if (c.nic < 0) return {last, first};
    const int card = nics_[static_cast<std::size_t>(c.nic)];
    const bool over = leaves_over_first_ &&
                      std::ranges::all_of(graph_.route(last, first), [this](int l) { return is_nvlink(l); });
    return over ? std::vector{last, first, card} : std::vector{last, card};
  }

  const Blueprint& blueprint_;
  const NodeGraph& graph_;
  ChannelShape shape_;
  bool nvlink_only_, pxn_;
  bool leaves_over_first_ = false;
  std::vector<int> gpus_, nics_;
  std::vector<double> capacity_, ports_;  ///< of links, and of NICs' ports
  std::vector<std::vector<int>> near_;    ///< by NIC: by_distance
  std::vector<double> free_, ports_free_;
  double speed_ = 0;
  std::size_t count_ = 0;
  int left_ = 0;
  std::vector<Channels::Channel> found_;
};

/// The channels with the largest number times speed. Like NCCL it goes from the highest speed down to half of
/// the best one so far, or until a GPU can send no more.
Channels search(Attempt attempt, const std::vector<double>& levels) {
  Channels best;
  auto total = [&best] { return static_cast<double>(best.channels.size()) * best.bandwidth.value / 1e9; };
  for (double level : levels) {
    if (total() >= attempt.total() || level * 1e9 <= 0.49 * best.bandwidth.value) break;
    for (int count = attempt.bound(level); count * level > total(); --count) {
      if (!attempt.find(level, count)) continue;
      best.channels = attempt.found();
      best.bandwidth = BytesPerSecond(level * 1e9);
    }
  }
  return best;
}

/// The result of `search`, kept for later calls. A library searches for the machine as described, and for a
/// faster and a slower one with the same wiring; `tune` asks for many of them.
Channels fastest(const Attempt& attempt, const std::vector<double>& levels) {
  static std::mutex mutex;
  static LruCache<Channels, std::pair<std::vector<double>, std::vector<double>>> known;
  const std::lock_guard lock(mutex);
  return *known.get({attempt.wiring(), levels},
                    [&] { return std::make_shared<const Channels>(search(attempt, levels)); });
}

void split(Channels& c, const ChannelSpeeds& speeds) {
  const double least = c.channels.size() > 4 ? std::max(at_least_split, speeds.many_split) : at_least_split;
  if (c.bandwidth.value < least * 1e9 || c.channels.size() > most_channels / 2) return;
  const std::vector<Channels::Channel> twins = c.channels;
  c.channels.insert(c.channels.end(), twins.begin(), twins.end());
  c.bandwidth = c.bandwidth / 2;
}

}  // namespace

static ChannelSpeeds speeds_of(int minor, Gpu oldest) {
  if (of_amd(oldest)) {  // MI200_XGMI_WIDTH and GFX94X_XGMI_WIDTH
    const std::vector<double> levels = {48, 36, 24, 20, 18, 15,  12,  10,   9,
                                        7,  6,  5,  4,  3,  2.4, 1.2, 0.24, 0.12};
    return {oldest == Gpu::cdna3 ? 48.0 : 36.0, levels, levels};
  }
  if (oldest == Gpu::blackwell)
    return {40.1,
            {90, 80, 70, 60, 50, 40, 30, 24, 20, 19, 18},
            {96, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, 0.24, 0.12},
            50};
  if (oldest == Gpu::hopper)
    return {20.6,
            {60, 40, 30, 24, 20, 15, 12, 6, 3},
            {48, 45, 42, 40, 30, 24, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, 0.24, 0.12},
            50};
  const std::vector<double> low = {18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, 0.24, 0.12};
  std::vector<double> levels = minor < 7    ? std::vector<double>{24, 21}
                               : minor < 10 ? std::vector<double>{42, 24, 21}
                               : minor < 18 ? std::vector<double>{44, 30, 22}
                                            : std::vector<double>{40, 30, 20};
  levels.insert(levels.end(), low.begin(), low.end());
  return {minor < 10 ? 21.0 : minor < 18 ? 22.0 : 20.0, levels, levels};
}

ChannelSpeeds nccl_speeds(int minor, Gpu oldest) {
  ChannelSpeeds speeds = speeds_of(minor, oldest);
  speeds.most_heads = minor < 20 ? 8 : 32;  // NCCL_MAX_NVLS_ARITY, src/include/device.h
  speeds.pxn = minor >= 12 && !of_amd(oldest);
  return speeds;
}

Channels find_channels(const Blueprint& b, ChannelShape shape, ChannelReach reach,
                       const ChannelSpeeds& speeds) {
  const NodeGraph graph(b);
  if (reach == ChannelReach::node && b.ranks_on.size() < 2) return {};
  const std::vector<double>& levels = reach == ChannelReach::node ? speeds.on_node : speeds.on_network;
  for (bool nvlink_only : {true, false}) {
    Channels c = fastest(Attempt(b, graph, shape, reach, speeds, nvlink_only), levels);
    if (c.channels.empty()) continue;
    c.nvlink = nvlink_only && b.ranks_on.size() > 1;
    split(c, speeds);
    return c;
  }
  return {};
}

Channels find_switch_channels(const Blueprint& b, ChannelReach reach, const ChannelSpeeds& speeds) {
  const NodeGraph graph(b);
  if (b.ranks_on.size() < 3) return {};
  std::size_t count = std::min(b.ranks_on.size(), speeds.most_heads);
  double most = Attempt(b, graph, ChannelShape::ring, reach, speeds, true).total();
  if (reach == ChannelReach::network && b.bandwidth) {
    count = std::min(count, b.of_kind(Blueprint::Vertex::Kind::nic).size());
    most = std::min(most, static_cast<double>(count) * port_rate(b.bandwidth->value));
  }
  Channels c;
  for (const double level : reach == ChannelReach::node ? speeds.on_node : speeds.on_network)
    if (static_cast<double>(count) * level <= most) {
      c.channels.assign(count, {b.ranks_on});
      c.bandwidth = BytesPerSecond(level * 1e9);
      c.nvlink = true;
      break;
    }
  return c;
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "forecast/bound.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "forecast/demand.hpp"
#include "model/bounds/cut_graphs.hpp"
#include "model/path_result.hpp"
#include "model/slowest_path.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// Where the messages of an algorithm begin and end.
std::vector<Memory> memories_of(const Algorithm& a) {
  const Call small{.ranks = a_few_ranks(a), .message = Bytes(1)};
  std::set<Memory> used = {Memory::device};
  for_each_step(a.schedule(small), false, [&](const Step& step) {
    for (const Transfer& t : step.transfers) used.insert({t.from.memory, t.to.memory});
    for (const Multicast& m : step.multicasts) used.insert({m.from.memory, m.memory});
    for (const Reduction& m : step.reductions) used.insert({m.to.memory, m.memory});
  });
  return {used.begin(), used.end()};
}

/// Ranks on one side of a cut: one rank, those of a node, those behind a switch.
struct RankSet {
  Side inside;
  Cut out, in;
};
/// Groups of one kind. Together they hold all ranks, unless only some groups that are unlike each other were
/// taken.
struct Partition {
  std::string what;
  std::vector<RankSet> groups;
  double parts = 0;
};

constexpr Rank each_alone = 64;        ///< up to so many ranks and nodes are all looked at
constexpr Rank all_routes = 256;       ///< up to so many ranks, all routes are looked at together
constexpr Rank few_groups = 4096;      ///< beyond so many ranks, only the nodes with the most ranks are cut
constexpr double most_routes = 1.5e6;  ///< of a group, at most
constexpr std::size_t near_end = 6;    ///< links at each end of a route that a large machine is cut at

class BoundSearch {
 public:
  BoundSearch(const Machine& machine, const Fabric& fabric, const Demands& demands,
              std::vector<Memory> memories, CutGraphs& graphs)
      : machine_(machine),
        fabric_(fabric),
        demands_(demands),
        ranks_(machine.ranks()),
        memories_(std::move(memories)),
        sizes_(fabric.sizes()),
        graphs_(graphs) {}

  /// The least time in which the links can carry what the collective moves.
  Bound bandwidth_bound(Collective collective, const Call& call) {
    const Demand d = demand(collective, call);
    for (const Partition& p : partitions()) {
      for (const RankSet& g : p.groups)
        for (const Cut* cut : {&g.out, &g.in}) consider(d, *cut);
      if (collective == Collective::allreduce && !demands_.reduction) consider_sums(p, call);
    }
    for (const Halves& h : machine_.halves()) {
      consider(d, crossing(h.inside, h.out));
      consider(d, crossing(others(h.inside), h.in));
    }
    if (d.spread() && ranks_ <= all_routes) {
      const bool all = ranks_ <= each_alone || d.sinks.size() == 1;
      const Cut cut =
          graphs_.all(fabric_, d.reversed)
              .slowest(fabric_.links(), d.weights, all ? d.sinks : machine_.representatives(), best_.time);
      if (!cut.inside.empty()) consider(d, cut);
    }
    return best_;
  }

  /// The least latency after which each rank has heard from all ranks that it depends on.
  Bound latency_bound(Collective collective, const Call& call) const {
    if (ranks_ > each_alone) return far_apart();
    const auto n = static_cast<std::size_t>(ranks_);
    std::vector<double> time(n * n);
    for (Rank i = 0; i < ranks_; ++i)
      for (Rank j = 0; j < ranks_; ++j)
        if (i != j) time[at(i, j)] = least_alpha(i, j).value;
    for (Rank via = 0; via < ranks_; ++via)
      for (Rank i = 0; i < ranks_; ++i) {
        const double there = time[at(i, via)];
        const double* const onwards = &time[at(via, 0)];
        double* const whole = &time[at(i, 0)];
        for (std::size_t j = 0; j < n; ++j) whole[j] = std::min(whole[j], there + onwards[j]);
      }
    const Demand d = demand(collective, call);
    Bound longest;
    for (Rank i = 0; i < ranks_; ++i)
      for (Rank j = 0; j < ranks_; ++j)
        if (i != j && d.depends(j, i) && Seconds(time[at(i, j)]) > longest.time)
          longest = {Seconds(time[at(i, j)]),
                     "latency from rank " + std::to_string(i) + " to rank " + std::to_string(j)};
    return longest;
  }

  /// The least latency of any one message between ranks.
  Seconds one_message() const {
    Seconds least = no_limit;
    for (const Rank i : machine_.representatives())
      for (const Rank j : machine_.representatives())
        if (i != j) least = std::min(least, least_alpha(i, j));
    return least;
  }

 private:
  std::size_t at(Rank i, Rank j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(j);
  }

  Seconds least_alpha(Rank from, Rank to) const {
    Seconds least = no_limit;
    for (const Memory m : memories_)
      for (const Memory n : memories_) least = std::min(least, least_alpha(Place{from, m}, Place{to, n}));
    return least;
  }
  Seconds least_alpha(Place from, Place to) const {
    const void* kind = fabric_.kind(from, to);
    if (const auto known = least_of_kind_.find(kind); kind && known != least_of_kind_.end())
      return known->second;
    Seconds least = no_limit;
    for (const Bytes bytes : sizes_) {
      least = std::min(least, alpha(fabric_.wire(from, to, bytes)));
      if (demands_.multicast)
        least = std::min(least, alpha(fabric_.switched(Switching::multicast, from, to, bytes).wire));
      if (demands_.reduction)
        least = std::min(least, alpha(fabric_.switched(Switching::reduction, from, to, bytes).wire));
    }
    if (kind) least_of_kind_.emplace(kind, least);
    return least;
  }

  /// The bound for many ranks: if they are on several nodes, some message has to go from node to node.
  Bound far_apart() const {
    bool several = false;
    Bound least{no_limit, "latency of one message"};
    for (const Rank i : machine_.representatives()) several = several || machine_.node(i) != machine_.node(0);
    if (several) least.cut += " between nodes";
    for (const Rank i : machine_.representatives())
      for (const Rank j : machine_.representatives())
        if (i != j && (!several || machine_.node(i) != machine_.node(j)))
          least.time = std::min(least.time, least_alpha(i, j));
    return least;
  }

  /// Partitions from the finest to the coarsest. Parts of nodes count only if some node has several.
  std::vector<Partition> partitions() {
    const auto by = [&](auto&& part_of) {
      std::vector<int> part;
      for (Rank r = 0; r < ranks_; ++r) part.push_back(static_cast<int>(part_of(r)));
      return part;
    };
    std::vector<Partition> all;
    const std::vector<int> by_node = by([&](Rank r) { return machine_.node(r); });
    const std::size_t nodes = distinct(by_node).size();
    const auto taken = [&](const std::vector<int>& part, const std::vector<int>& parts) {
      if (ranks_ > few_groups) return fullest(part, numbers(part));
      if (ranks_ > all_routes && parts.size() < nodes && machine_.groups_alike()) return of_each_size(part);
      if (parts.size() <= each_alone) return std::set<int>(parts.begin(), parts.end());
      return numbers(part);
    };
    const auto add = [&](const char* what, const std::vector<int>& part, std::size_t but = 0) {
      const std::vector<int> parts = distinct(part);
      if (parts.size() < 2 || parts.size() == but) return;
      if (all.empty() || static_cast<double>(parts.size()) < all.back().parts)
        all.push_back({what, groups(part, taken(part, parts)), static_cast<double>(parts.size())});
    };
    add("ranks", by([](Rank r) { return r; }));
    add("parts of nodes", by([&](Rank r) { return machine_.exit_vertex(r); }), nodes);
    add("sockets", by([&](Rank r) { return machine_.socket(r); }), nodes);
    add("nodes", by_node);
    const char* what = "groups of nodes behind a switch";
    for (const std::int64_t together : machine_.nodes_together()) {
      if (together > 0) add(what, by([&](Rank r) { return machine_.node(r) / together; }));
      what = "groups of switches";
    }
    return all;
  }

  static std::vector<int> distinct(std::vector<int> numbers) {
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  }

  /// The numbers of the machine's representatives.
  std::set<int> numbers(const std::vector<int>& number) const {
    std::set<int> all;
    for (const Rank r : machine_.representatives()) all.insert(number[static_cast<std::size_t>(r)]);
    return all;
  }

  /// Of the groups with equal numbers of ranks, the first one.
  static std::set<int> of_each_size(const std::vector<int>& number) {
    std::map<int, std::ptrdiff_t> sizes;
    for (const int n : number) ++sizes[n];
    std::set<std::ptrdiff_t> met;
    std::set<int> first;
    for (const auto& [n, size] : sizes)
      if (met.insert(size).second) first.insert(n);
    return first;
  }

  /// Ranks with the same number, for each number that is taken.
  std::vector<RankSet> groups(const std::vector<int>& number, const std::set<int>& taken) {
    std::vector<RankSet> all;
    for (const int n : taken) {
      RankSet g{Side(number.size()), {}, {}};
      std::ranges::transform(number, g.inside.begin(), [n](int i) { return static_cast<char>(i == n); });
      const auto members = static_cast<double>(std::ranges::count(number, n));
      if (members * (ranks_ - members) > most_routes && !fabric_.hockney()) continue;
      for (const bool into : {false, true}) (into ? g.in : g.out) = cut(g.inside, into);
      all.push_back(std::move(g));
    }
    return all;
  }

  Cut cut(const Side& inside, bool into) {
    const auto near = ranks_ <= all_routes ? std::nullopt : std::optional(near_end);
    if (ranks_ <= each_alone || !fabric_.hockney())
      return graphs_.around(fabric_, inside, into, others_of(inside), near);
    // A rank of the textbook's machine: its two links have the numbers of its ports.
    const auto rank = static_cast<LinkId>(std::ranges::find(inside, 1) - inside.begin());
    Cut own{inside, {into ? rank + static_cast<LinkId>(ranks_) : rank}, 1.0 / fabric_.hockney()->beta};
    if (into) own.inside = others(own.inside);
    return own;
  }

  /// Ranks outside that stand for all others: their routes to and from the inside are the same.
  std::vector<Rank> others_of(const Side& inside) {
    std::vector<Rank> some(static_cast<std::size_t>(ranks_));
    std::iota(some.begin(), some.end(), 0);
    if (ranks_ <= all_routes) return some;
    if (far_ends_.empty()) far_ends_ = machine_.far_ends(memories_);
    std::set<int> near;
    for (const Rank r : some)
      if (is_inside(inside, r)) near.insert(machine_.neighbourhood(r));
    std::erase_if(some, [&](Rank r) { return !near.contains(machine_.neighbourhood(r)); });
    some.insert(some.end(), far_ends_.begin(), far_ends_.end());
    return some;
  }

  Cut crossing(Side inside, const std::vector<LinkId>& links) const {
    Cut c{std::move(inside), links, {}};
    for (const LinkId link : links) c.bandwidth += fabric_.links()[link].bandwidth;
    return c;
  }

  static std::set<int> fullest(const std::vector<int>& number, const std::set<int>& among) {
    std::vector<std::pair<std::ptrdiff_t, int>> sizes;
    for (const int n : among) sizes.emplace_back(-std::ranges::count(number, n), n);
    std::ranges::sort(sizes);
    std::set<int> few;
    for (const auto& [size, n] : sizes)
      if (few.size() < 3) few.insert(n);
    return few;
  }

  void consider(const Demand& d, const Cut& cut) {
    const Bytes bytes(leaving(d, cut.inside));
    if (!(bytes > Bytes(0))) return;
    if (const Seconds time = bytes / cut.bandwidth; time > best_.time) best_ = {time, words(cut)};
  }

  /// Before a first part has the sum, every other part has sent; after that, every other part receives.
  void consider_sums(const Partition& p, const Call& call) {
    const bool some = p.parts > static_cast<double>(p.groups.size());
    const bool divided = p.what == "parts of nodes" || p.what == "sockets";
    const bool fine = p.what == "ranks" || p.what == "nodes";
    // A few nodes in a corner of a torus (which alone is cut in halves) have fewer links than others.
    const bool widest_known =
        fine ? ranks_ <= few_groups || machine_.halves().empty() : !divided && machine_.groups_alike();
    if (p.groups.empty() || (some && !widest_known)) return;
    BytesPerSecond narrower = BytesPerSecond(HUGE_VAL);
    for (const Cut RankSet::*way : {&RankSet::out, &RankSet::in}) {
      BytesPerSecond all, widest;
      for (const RankSet& g : p.groups) {
        all += (g.*way).bandwidth;
        widest = std::max(widest, (g.*way).bandwidth);
      }
      if (some) all = p.parts * widest;
      narrower = std::min(narrower, all);
    }
    const Seconds time = 2 * (p.parts - 1) * call.message / narrower;
    if (time > best_.time)
      best_ = {time, std::to_string(static_cast<Rank>(p.parts - 1)) + " of " +
                         std::to_string(static_cast<Rank>(p.parts)) + " " + p.what +
                         " send the message, then as many receive it: " + text::gbps(narrower.value / 1e9) +
                         " of all " + p.what + " together"};
  }

  /// The smaller side of the cut, its links, and what these carry.
  std::string words(const Cut& cut) const {
    const auto in = std::ranges::count_if(cut.inside, [](char i) { return i != 0; });
    const bool out = 2 * in <= ranks_;
    const Side side = out ? cut.inside : others(cut.inside);
    std::string text = (out ? "out of " : "into ") + name(side) + ": ";
    if (!cut.links.empty()) text += fabric_.link_name(cut.links.front());
    if (cut.links.size() > 1) text += " and " + std::to_string(cut.links.size() - 1) + " more links";
    return text + ", " + text::gbps(cut.bandwidth.value / 1e9) + (cut.links.size() > 1 ? " together" : "");
  }

  std::string name(const Side& side) const {
    std::vector<int> ranks;
    std::set<int> nodes;
    for (Rank r = 0; r < ranks_; ++r)
      if (is_inside(side, r)) ranks.push_back(r), nodes.insert(machine_.node(r));
    bool whole = ranks_ != machine_.node(ranks_ - 1) + 1;
    for (Rank r = 0; r < ranks_ && whole; ++r)
      whole = is_inside(side, r) || !nodes.contains(machine_.node(r));
    return whole ? list("node", {nodes.begin(), nodes.end()}) : list("rank", ranks);
  }

  /// "node 3", "ranks 0-2, 5": of ascending numbers.
  static std::string list(std::string text, const std::vector<int>& numbers) {
    text += numbers.size() > 1 ? "s " : " ";
    int runs = 0;
    for (std::size_t i = 0; i < numbers.size(); ++runs) {
      if (runs == 4) return text + ", ...";
      std::size_t j = i;
      while (j + 1 < numbers.size() && numbers[j + 1] == numbers[j] + 1) ++j;
      text += (runs > 0 ? ", " : "") + std::to_string(numbers[i]);
      if (j > i) text += "-" + std::to_string(numbers[j]);
      i = j + 1;
    }
    return text;
  }

  const Machine& machine_;
  const Fabric& fabric_;
  const Demands demands_;
  const Rank ranks_;
  const std::vector<Memory> memories_;
  const std::vector<Bytes> sizes_;
  CutGraphs& graphs_;
  mutable std::unordered_map<const void*, Seconds> least_of_kind_;
  std::vector<Rank> far_ends_;
  Bound best_;
};

Seconds reducing(const Machine& machine, const Fabric& fabric, Collective collective, const Call& c) {
  SecondsPerByte least(HUGE_VAL);
  for (const Rank r : machine.representatives()) least = std::min(least, fabric.gamma(r));
  return lower_bound(collective, c.ranks, c.message, {{}, {}, least});
}

}  // namespace

Bound Bounds::operator()(const Algorithm& a, const Call& c, Of of) const {
  if (c.ranks == 1) return {{}, "one rank has all"};
  if (c.message <= Bytes(0) && a.collective != Collective::barrier) return {{}, "there is nothing to send"};
  const Demands d = demands(a);
  const Found found = of_one_byte(a.collective, c, d, memories_of(a));
  Bound bound = found.bandwidth;
  if (c.counts.empty()) bound.time = c.message.value * bound.time;
  if (bound.time < found.one_message) bound.cut = "latency of one message";
  if (bound.time > Seconds(0)) bound.time += found.one_message;
  Bound latency = found.latency;
  const bool textbook = of == Of::messages && fabric_.protocol().hold == MessageProtocol::Hold::delivery &&
                        !d.multicast && !d.reduction;
  if (textbook) {
    const Seconds rounds = lower_bound(a.collective, c.ranks, c.message, {found.one_message, {}, {}});
    if (rounds > latency.time)
      latency = {rounds, "latency, as ranks that have heard of it at most double with each"};
  }
  if (latency.time > bound.time) bound = latency;
  if (d.reduction || of == Of::links) return bound;
  const Seconds sums = reducing(machine_, fabric_, a.collective, c);
  if (sums > bound.time) bound = {sums, "reduction of each rank's part"};
  return bound;
}

Bounds::Found Bounds::of_one_byte(Collective collective, const Call& c, const Demands& d,
                                  const std::vector<Memory>& memories) const {
  Call one = c;
  if (c.counts.empty()) one.message = Bytes(collective == Collective::barrier ? 0 : 1);
  std::vector<std::int64_t> key = {static_cast<std::int64_t>(collective), c.root, d.multicast, d.reduction};
  for (const Memory m : memories) key.push_back(static_cast<std::int64_t>(m));
  const std::scoped_lock lock(found_mutex_);
  if (const auto known = found_.find(key); c.counts.empty() && known != found_.end()) return known->second;
  const auto search = [&](CutGraphs& graphs) -> Found {
    BoundSearch s(machine_, fabric_, d, memories, graphs);
    return {s.bandwidth_bound(collective, one), s.latency_bound(collective, one), s.one_message()};
  };
  const auto found = [&] {
    if (c.ranks > all_routes) {
      CutGraphs own(memories);
      return search(own);
    }
    const auto shared = graphs_->of(fabric_, memories);
    const std::scoped_lock use(shared->in_use);
    return search(shared->graphs);
  }();
  if (c.counts.empty()) found_.emplace(std::move(key), found);
  return found;
}

}  // namespace collcast

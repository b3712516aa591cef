// SPDX-License-Identifier: Apache-2.0
#include "model/bounds/cuts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace collcast {
namespace {

using Amount = FlowGraph::Amount;

/// The sum of all finite amounts of a graph, in whole units; less than FlowGraph::unlimited.
constexpr double finest = 0x1p40;

/// Rounded up, so that no cut looks narrower than it is.
Amount whole(double amount) {
  return static_cast<Amount>(std::min(std::ceil(amount), static_cast<double>(FlowGraph::unlimited)));
}

}  // namespace

RouteGraph::RouteGraph(Rank ranks, bool reversed) : ranks_(ranks), reversed_(reversed), flows_(2) {
  for (Rank r = 0; r < ranks; ++r) vertex(r);
}

RouteGraph::Vertex RouteGraph::vertex(Place place) {
  const auto key = static_cast<std::uint64_t>(place.rank) * 4 + static_cast<std::uint64_t>(place.memory);
  const auto [at, added] = place_of_.try_emplace(key, places_.size());
  if (added) {
    const Vertex v = flows_.add_vertex();
    places_.push_back({v, flows_.add_edge(source_, v), flows_.add_edge(v, sink_), place});
  }
  return places_[at->second].vertex;
}

const RouteGraph::Ends& RouteGraph::ends(LinkId link) {
  const auto [at, added] = ends_of_.try_emplace(link, ends_.size());
  if (added) {
    const Vertex in = flows_.add_vertex(), out = flows_.add_vertex();
    ends_.push_back({link, in, out, flows_.add_edge(in, out)});
  }
  return ends_[at->second];
}

void RouteGraph::join(Vertex from, Vertex to) {
  if (reversed_) std::swap(from, to);
  const auto key = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
  if (!joined_.insert(key).second) return;
  flows_.add_edge(from, to, FlowGraph::unlimited);
  joins_.push_back({from, to});
}

/// A route mostly has its first or last links in common with the route added before; only the others are
/// joined anew.
void RouteGraph::add(Place from, std::span<const LinkId> route, Place to) {
  const std::size_t n = route.size();
  std::size_t first = 0, last = n;
  if (from == last_from_)
    first = static_cast<std::size_t>(std::ranges::mismatch(route, last_route_).in1 - route.begin());
  if (to == last_to_)
    last = static_cast<std::size_t>(
        std::mismatch(route.rbegin(), route.rend(), last_route_.rbegin(), last_route_.rend()).first.base() -
        route.begin());
  for (std::size_t i = first; i <= last; ++i) {
    const Vertex left = i == 0 ? vertex(from) : leaves(route[i - 1]);
    join(left, i == n ? vertex(to) : enters(route[i]));
  }
  last_from_ = from, last_to_ = to;
  last_route_.assign(route.begin(), route.end());
}

void RouteGraph::add(const Fabric& fabric, std::span<const Place> from, std::span<const Place> to) {
  std::vector<LinkId> route;
  for (const Place a : from)
    for (const Place b : to) {
      if (a == b) continue;
      route.clear();
      fabric.route(a, b, route);
      add(a, route, b);
    }
}

Cut RouteGraph::shown(const std::vector<Link>& links) const {
  Cut cut;
  cut.inside.resize(static_cast<std::size_t>(ranks_));
  for (const Terminal& t : places_)
    if (t.place.memory == Memory::device)
      cut.inside[static_cast<std::size_t>(t.place.rank)] =
          static_cast<char>(flows_.on_source_side(t.vertex) != reversed_);
  for (const Ends& e : ends_)
    if (flows_.on_source_side(e.in) && !flows_.on_source_side(e.out)) cut.links.push_back(e.link);
  std::ranges::sort(cut.links);
  for (const LinkId link : cut.links) cut.bandwidth += links[link].bandwidth;
  return cut;
}

NarrowestCut RouteGraph::around(const std::vector<char>& inside) const {
  std::vector<Vertex> ends(static_cast<std::size_t>(flows_.vertices()));
  std::iota(ends.begin(), ends.end(), 0);
  for (const Terminal& t : places_) {
    const bool in = (inside[static_cast<std::size_t>(t.place.rank)] != 0) != reversed_;
    ends[static_cast<std::size_t>(t.vertex)] = in ? source_ : sink_;
  }
  const auto end = [&](Vertex v) { return ends[static_cast<std::size_t>(v)]; };
  std::vector<ReducedGraph::Edge> edges;
  std::vector<LinkId> links;
  for (const Ends& e : ends_) {
    edges.push_back({e.in, e.out, static_cast<int>(links.size())});
    links.push_back(e.link);
  }
  for (const Join& j : joins_) edges.push_back({end(j.from), end(j.to), ReducedGraph::no_limit});
  const auto limited = static_cast<int>(links.size());
  return {inside, std::move(links), ReducedGraph(flows_.vertices(), limited, std::move(edges))};
}

Cut NarrowestCut::operator()(const std::vector<Link>& links) {
  double together = 0;
  for (const LinkId link : links_)
    if (const double own = links[link].bandwidth.value; std::isfinite(own)) together += own;
  capacities_.clear();
  for (const LinkId link : links_)
    capacities_.push_back(whole(links[link].bandwidth.value / together * finest));
  Cut cut{inside_, {}, {}};
  for (const int number : graph_.min_cut(capacities_))
    cut.links.push_back(links_[static_cast<std::size_t>(number)]);
  std::ranges::sort(cut.links);
  for (const LinkId link : cut.links) cut.bandwidth += links[link].bandwidth;
  return cut;
}

/// Only edges from the source and edges of links have capacities; all others are unlimited.
bool RouteGraph::still_enough(Rank sink) const {
  const auto kept = enough_.find(sink);
  if (kept == enough_.end() || kept->second.size() != places_.size() + ends_.size()) return false;
  auto flow = kept->second.begin();
  for (const Terminal& t : places_)
    if (*flow++ != flows_.capacity(t.from_source)) return false;
  return std::ranges::all_of(ends_, [&](const Ends& e) { return *flow++ <= flows_.capacity(e.edge); });
}

void RouteGraph::keep_enough(Rank sink) {
  std::vector<Amount>& flow = enough_[sink];
  flow.clear();
  for (const Terminal& t : places_) flow.push_back(flows_.flow(t.from_source));
  for (const Ends& e : ends_) flow.push_back(flows_.flow(e.edge));
}

/// A time T is enough if all bytes flow from the sources to each sink when each link may pass what it carries
/// in T. If it is not, the minimum cut gives a longer T to try (Newton's method).
Cut RouteGraph::slowest(const std::vector<Link>& links, const std::vector<double>& weights,
                        std::span<const Rank> sinks, Seconds least) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  Cut slowest;
  if (!(all > 0)) return slowest;
  const double grid = finest / all;  // units per byte, so that amounts are whole numbers
  Amount sent = 0;
  for (const Terminal& t : places_) {
    const double own = t.place.memory == Memory::device ? weights[static_cast<std::size_t>(t.place.rank)] : 0;
    const auto amount = static_cast<Amount>(own * grid);
    flows_.set_capacity(t.from_source, amount);
    flows_.set_capacity(t.to_sink, 0);
    sent += amount;
  }
  const auto time_of = [&](const Cut& cut) {
    double bytes = 0;
    for (std::size_t r = 0; r < weights.size(); ++r)
      if ((cut.inside[r] != 0) != reversed_) bytes += weights[r];
    return Bytes(bytes) / cut.bandwidth;
  };
  // The first T is tiny, but not 0: flows need some capacity.
  BytesPerSecond fastest;
  for (const Ends& e : ends_) fastest = std::max(fastest, links[e.link].bandwidth);
  Seconds time = std::max(least, Bytes(all) / fastest * 1e-9);
  for (bool longer = true; longer;) {
    for (const Ends& e : ends_)
      flows_.set_capacity(e.edge, whole((links[e.link].bandwidth * time).value * grid));
    longer = false;
    Seconds next = time;
    for (const Rank sink : sinks) {
      if (still_enough(sink)) continue;
      if (flows_.max_flow(source_, places_[static_cast<std::size_t>(sink)].vertex) >= sent) {
        keep_enough(sink);
        continue;
      }
      Cut cut = shown(links);
      if (const Seconds t = time_of(cut); t > next * (1 + 1e-12))
        next = t, slowest = std::move(cut), longer = true;
    }
    time = next;
  }
  return slowest;
}

/// All ranks outside of the group are one vertex of this graph.
NarrowestCut cut_around(const Fabric& fabric, const std::vector<char>& inside, bool into,
                        std::span<const Memory> memories, std::span<const Rank> others,
                        std::optional<std::size_t> near) {
  const auto members = static_cast<Rank>(std::ranges::count_if(inside, [](char i) { return i != 0; }));
  RouteGraph graph(members + 1);
  std::vector<LinkId> route;
  Rank at = 0;
  for (Rank r = 0; r < fabric.ranks(); ++r) {
    if (!inside[static_cast<std::size_t>(r)]) continue;
    for (const Rank other : others) {
      if (inside[static_cast<std::size_t>(other)]) continue;
      for (const Memory own : memories)
        for (const Memory of_other : memories) {
          route.clear();
          const Place here{r, own}, there{other, of_other};
          into ? fabric.route(there, here, route) : fabric.route(here, there, route);
          const std::span<const LinkId> all(route);
          const std::size_t shown = near ? std::min(*near, (all.size() + 1) / 2) : all.size();
          const std::span<const LinkId> part = into ? all.last(shown) : all.first(shown);
          into ? graph.add(members, part, at) : graph.add(at, part, members);
        }
    }
    ++at;
  }
  std::vector<char> from(static_cast<std::size_t>(members) + 1, static_cast<char>(!into));
  from.back() = static_cast<char>(into);
  std::vector<char> sources = inside;
  if (into)
    for (char& i : sources) i = static_cast<char>(i == 0);
  return graph.around(from).of(std::move(sources));
}

}  // namespace collcast

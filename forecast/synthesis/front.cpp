// SPDX-License-Identifier: Apache-2.0
#include "forecast/synthesis/front.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "forecast/synthesis/earliest.hpp"
#include "forecast/synthesis/flow.hpp"
#include "libraries/segments.hpp"
#include "model/path_result.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// Finds the most parts that a group has on each level.
void add_widest(const Group& g, std::size_t depth, std::vector<int>& widest) {
  if (g.parts.empty()) return;
  if (widest.size() <= depth) widest.resize(depth + 1);
  widest[depth] = std::max(widest[depth], static_cast<int>(g.parts.size()));
  for (const Group& part : g.parts) add_widest(part, depth + 1, widest);
}
std::vector<int> widest(const Group& g) {
  std::vector<int> all;
  add_widest(g, 0, all);
  return all;
}

bool shares(Collective c) {
  return c == Collective::allreduce || c == Collective::broadcast || c == Collective::reduce;
}

std::string words(const Listing& listing) {
  std::int64_t most = 0;
  for (const auto& step : listing.steps) {
    std::map<Rank, std::int64_t> sent;
    for (const Listed& m : step) most = std::max(most, ++sent[m.from]);
  }
  return text::counted(static_cast<std::int64_t>(listing.steps.size()), "step") + " of at most " +
         text::counted(most, "message") + " a rank";
}

std::shared_ptr<const SynthesizedSchedule> synthesized(Listing listing, Collective collective,
                                                       const std::string& name) {
  const auto m = std::make_shared<SynthesizedSchedule>();
  m->algorithm = algorithm_of(listing, collective, name);
  m->words = words(listing);
  m->plan = std::move(listing);
  return m;
}

std::shared_ptr<const SynthesizedSchedule> synthesized(const Synthesis& s) {
  const auto m = std::make_shared<SynthesizedSchedule>();
  m->algorithm = s.algorithm;
  m->words = text::counted(static_cast<std::int64_t>(s.forest.trees.size()), "tree") + ", " +
             std::to_string(s.forest.trees_per_root) + " a root, at most " + std::to_string(s.depth) +
             " messages deep";
  m->plan = s.forest;
  return m;
}

/// The radices to try for groups of up to `widest` parts: all at once, a few powers of two, and three.
std::vector<int> radices(int widest) {
  std::set<int> all{widest};
  for (const int radix : {2, 3, 4, 8, 16})
    if (radix < widest) all.insert(radix);
  return {all.begin(), all.end()};
}

/// The most messages of a schedule in segments that are read by critical path, and with contention.
constexpr std::int64_t most_read = 400'000, most_played = 20'000;

/// The share of the time that more segments must gain.
constexpr double worth_cutting = 1e-3;
/// The share of a critical path that twice as many segments must gain if that is more than `most_played`
/// messages.
constexpr double worth_playing = 0.01;

std::shared_ptr<const SynthesizedSchedule> chains(
    const Group& order, Collective collective, Rank root, std::int64_t per_root, const std::string& name,
    const std::function<std::vector<Rank>(Rank from, int chain)>& ranks) {
  Forest forest{static_cast<Rank>(order.ranks.size()), per_root, {}};
  for (const Rank from : roots(collective, forest.ranks, root))
    for (int chain = 0; chain < per_root; ++chain) {
      Tree tree{from, 1, {}};
      const std::vector<Rank> way = ranks(from, chain);
      for (std::size_t i = 0; i + 1 < way.size(); ++i) tree.edges.push_back({way[i], way[i + 1]});
      forest.trees.push_back(std::move(tree));
    }
  const auto m = std::make_shared<SynthesizedSchedule>();
  m->algorithm = algorithm_of(forest, collective, root, name);
  m->words = text::counted(static_cast<std::int64_t>(forest.trees.size()), "chain") + ", " +
             text::count(forest.ranks - 1) + " messages deep";
  m->plan = std::move(forest);
  return m;
}

/// A chain from each root through all ranks, near ones after each other, so that no rank sends or sums more
/// than once.
std::shared_ptr<const SynthesizedSchedule> chains(const Group& order, Collective collective, Rank root) {
  return chains(order, collective, root, 1, "chains", [&order](Rank from, int) {
    std::vector<Rank> way = order.ranks;
    std::rotate(way.begin(), std::ranges::find(way, from), way.end());
    return way;
  });
}

constexpr int strides[] = {1, -1, 3, -3};  ///< of several chains from a root

/// Where a rank is: which part of each group, outermost first.
bool find_place(const Group& g, Rank rank, std::vector<std::size_t>& place) {
  if (g.parts.empty()) return g.ranks.front() == rank;
  for (std::size_t i = 0; i < g.parts.size(); ++i) {
    place.push_back(i);
    if (find_place(g.parts[i], rank, place)) return true;
    place.pop_back();
  }
  return false;
}

/// Appends the ranks of the group, part by part. Each part is entered in the place where the last one was
/// left (`place`), as by a rail.
void add_in_place(const Group& g, std::size_t depth, int stride, std::vector<std::size_t>& place,
                  std::vector<Rank>& way) {
  if (g.parts.empty()) return way.push_back(g.ranks.front());
  if (place.size() <= depth) place.resize(depth + 1);
  const auto n = static_cast<int>(g.parts.size());
  const int step = std::gcd(stride, n) == 1 ? stride : stride < 0 ? -1 : 1;
  const int first = static_cast<int>(place[depth]) % n;
  for (int i = 0; i < n; ++i) {
    place[depth] = static_cast<std::size_t>(((first + i * step) % n + n) % n);
    add_in_place(g.parts[place[depth]], depth + 1, stride, place, way);
  }
}

/// Several chains from each root, each group by group. They leave groups in different places, and go round
/// them in different directions and strides.
std::shared_ptr<const SynthesizedSchedule> chains(const Group& order, Collective collective, Rank root,
                                                  std::int64_t per_root) {
  return chains(order, collective, root, per_root, "chains-" + std::to_string(per_root),
                [&order](Rank from, int chain) {
                  std::vector<std::size_t> place;
                  std::vector<Rank> way;
                  find_place(order, from, place);
                  add_in_place(order, 0, strides[chain], place, way);
                  return way;
                });
}

constexpr Rank most_priced = 32;  ///< the most ranks for which prices are searched
constexpr double far_from_cut = 1.03;
constexpr std::int64_t most_grown = 128;     ///< trees in all
constexpr std::int64_t grown[] = {1, 2, 6};  ///< trees from each root
constexpr Rank most_routed = 64;             ///< the most ranks for which ways by other ranks are searched

}  // namespace

bool synthesizes(Collective c) {
  return plays_forests(c) || plays_levels(c);
}

Front::Front(Collective collective, const Forecaster& forecaster, Rank root, std::int64_t trees,
             const Stop& stop)
    : collective_(collective), forecaster_(forecaster), root_(root), stop_(stop), by_levels_(trees == 0) {
  if (!synthesizes(collective) || (trees > 0 && !plays_forests(collective)))
    throw InputError("there is no method to synthesize " + std::string(definition(collective).name) +
                     (trees > 0 ? " by trees" : "") +
                     "; there is one for allgather, reduce-scatter, allreduce, broadcast" +
                     (trees > 0 ? " and reduce" : ", reduce, gather, scatter and alltoall"));
  check_synthesized(forecaster.fabric().ranks());
  for (const Bytes size : {Bytes(0), Bytes(1 << 20)}) {
    Group groups = nearest(forecaster.fabric(), size);
    if (std::ranges::find(groups_, groups) != groups_.end()) continue;
    best_.push_back({groups_.size(), std::vector<int>(static_cast<std::size_t>(levels(groups)), 2), 0});
    groups_.push_back(std::move(groups));
  }
  if (!plays_forests(collective) && ranks() <= most_routed) add_paths();
  if (plays_forests(collective) && trees == 0 && ranks() > 1 && ranks() <= most_routed) add_chains();
  if (plays_forests(collective)) add_trees(trees);
  stopped();
}

bool Front::stopped() {
  if (!stop_ || !stop_()) return false;
  if (std::ranges::find(notes_, best_so_far) == notes_.end()) notes_.emplace_back(best_so_far);
  return true;
}

void Front::add_chains() {
  others_.push_back(chains(groups_.back(), collective_, root_));
  const Group& finest = *std::ranges::max_element(groups_, {}, [](const Group& g) { return levels(g); });
  const auto from = static_cast<std::int64_t>(roots(collective_, ranks(), root_).size());
  for (const std::int64_t per_root : {2, 4})
    if (from * per_root <= most_grown) others_.push_back(chains(finest, collective_, root_, per_root));
}

void Front::add_trees(std::int64_t trees) {
  try {
    const Synthesis forest = synthesize(collective_, forecaster_, root_, trees, stop_);
    others_.push_back(synthesized(forest));
    limit_.optimum = forest.optimum;
    limit_.on_links = {forest.busiest, forest.busiest_link, forest.algorithm.name};
    if (trees == 0) add_grown(forest.forest, forest.optimum, grown);
  } catch (const NoTrees& e) {
    add_unpacked(trees, e);
  } catch (const Stopped&) {
    by_levels_ = true;
  }
}

/// If no trees can be packed, all are grown, from edges between any pair of ranks.
void Front::add_unpacked(std::int64_t trees, const NoTrees& none) {
  std::vector<std::int64_t> numbers(std::begin(grown), std::end(grown));
  if (trees > 0) numbers = {trees};
  add_grown({}, none.optimum, numbers);
  const bool any = !limit_.on_links.name.empty();
  if (!any && trees > 0 && !stopped()) throw none;
  if (any) limit_.optimum = none.optimum;
  if (!any) by_levels_ = true;
  notes_.push_back("links differ too much by direction for trees as dense as the worst cut allows: " +
                   std::string(any ? "they are grown on the routes of messages" : "there are none"));
}

/// Adds trees like those of the optimum, grown on the routes that messages take.
void Front::add_grown(const Forest& like, SecondsPerByte optimum, std::span<const std::int64_t> numbers) {
  const std::vector<Rank> from = roots(collective_, ranks(), root_);
  if (static_cast<std::int64_t>(from.size()) > most_grown || ranks() > most_routed) return;
  const EdgeUses uses(forecaster_.fabric(), collective_);
  if (!like.trees.empty()) keep_least_busy(uses, like, limit_.on_links.name);
  for (const std::int64_t trees : numbers) {
    if (trees * static_cast<std::int64_t>(from.size()) > most_grown || stopped()) break;
    Synthesis s;
    s.root = root_;
    s.forest = grow(uses, like, from, trees, optimum, stop_);
    s.depth = depth(s.forest);
    s.algorithm = algorithm_of(s.forest, collective_, root_, "grown-" + std::to_string(trees));
    find_busiest(s, forecaster_.fabric());
    if (s.busiest * (1 + 1e-9) < limit_.on_links.busiest)
      limit_.on_links = {s.busiest, s.busiest_link, s.algorithm.name};
    keep_least_busy(uses, s.forest, s.algorithm.name);
    others_.push_back(synthesized(s));
  }
  // Trees that do not come near the cut's time may be limited by what the cut does not see; prices show that.
  // Not for an allreduce, which may do better than by trees.
  if (collective_ != Collective::allreduce && limit_.on_both.busiest > far_from_cut * optimum &&
      ranks() <= most_priced)
    limit_.by_prices = least_by_prices(uses, from, stop_);
}

/// Describes these trees in `limit_`, if their links and ports are less busy than those of the ones there.
void Front::keep_least_busy(const EdgeUses& uses, const Forest& forest, const std::string& name) {
  const Busy most = busiest(uses, forest, roots(collective_, ranks(), root_).size());
  if (most.time * (1 + 1e-9) < limit_.on_both.busiest)
    limit_.on_both = {most.time, uses.name(most.resource), name};
}

/// Trees for messages of this size.
std::shared_ptr<const SynthesizedSchedule> Front::in_time(Bytes message) {
  const std::vector<Rank> from = roots(collective_, ranks(), root_);
  Synthesis s;
  s.forest = earliest(forecaster_.fabric(), collective_, from, message / static_cast<double>(from.size()));
  s.depth = depth(s.forest);
  s.algorithm = algorithm_of(s.forest, collective_, root_, "earliest");
  return synthesized(s);
}

void Front::add_paths() {
  const Fabric& fabric = forecaster_.fabric();
  const bool one_root = definition(collective_).rooted;
  const Flow flow = least_busy(fabric, {collective_, root_},
                               one_root || ranks() <= 16 ? 12
                               : ranks() <= 32           ? 8
                                                         : 4,
                               stop_);
  const std::string name = flow.direct() ? "direct" : "paths";
  others_.push_back(synthesized(listing(flow, true), collective_, name + "-in-turns"));
  others_.push_back(synthesized(listing(flow, false), collective_, name));
  const double share = 1.0 / ranks();
  const EdgeUses uses(fabric, collective_);
  const Busy most = busiest(busy(flow, uses));
  const Reached reached{share * most.time, uses.name(most.resource), name};
  const SecondsPerByte least(share * flow.least);
  limit_ = {least, reached, least, reached};
}

std::shared_ptr<const SynthesizedSchedule> Front::levels_by(const Choice& choice) {
  std::shared_ptr<const SynthesizedSchedule>& known = levels_[choice];
  if (known) return known;
  std::string name = "levels";
  for (std::size_t i = 0; i < choice.radices.size(); ++i)
    name += (i == 0 ? "-" : "x") + std::to_string(choice.radices[i]);
  if (choice.shared > 0) name += "-shared-" + std::to_string(choice.shared);
  return known = synthesized(
             by_levels(refined(groups_[choice.groups], choice.radices), collective_, root_, choice.shared),
             collective_, name);
}

/// The choices that differ from this one in one thing.
std::vector<Front::Choice> Front::beside(const Choice& choice) const {
  std::vector<Choice> all;
  const std::vector<int> widest = collcast::widest(groups_[choice.groups]);
  for (std::size_t i = 0; i < widest.size(); ++i)
    for (const int radix : radices(widest[i])) {
      all.push_back(choice);
      all.back().radices[i] = radix;
    }
  if (!shares(collective_)) return all;
  const int most =
      collective_ == Collective::allreduce ? levels(refined(groups_[choice.groups], choice.radices)) : 1;
  for (int shared = 0; shared <= most; ++shared) {
    all.push_back(choice);
    all.back().shared = shared;
  }
  return all;
}

/// Searches downhill in the engine's time, changing one thing at a time, from radix 2 and from the widest.
/// The best of the last size stays unless one of these is better.
Front::Choice Front::best_levels(std::size_t groups, const Call& call, const Engine& engine) {
  std::map<Choice, Seconds> times;
  const auto time = [&](const Choice& choice) {
    const auto [at, added] = times.try_emplace(choice, no_limit);
    if (!added) return at->second;
    try {
      at->second = read(engine, SizedSchedule(levels_by(choice)->algorithm, call), forecaster_.fabric()).time;
    } catch (const InputError&) {  // if groups that share differ in size, or there are fewer levels
    }
    return at->second;
  };
  const std::vector<int> widest = collcast::widest(groups_[groups]);
  for (Choice choice : {Choice{groups, std::vector<int>(widest.size(), 2)}, Choice{groups, widest}}) {
    for (bool better = true; better;) {
      better = false;
      for (const Choice& other : beside(choice))
        if (time(other) < time(choice)) choice = other, better = true;
    }
    if (time(choice) < time(best_[groups])) best_[groups] = choice;
  }
  return best_[groups];
}

/// The call in the number of segments that is the fastest by critical path, found downhill from sizes at
/// which costs change, and among powers of two. Also in other powers of two, as the critical path does not
/// see shared links.
std::vector<Call> Front::in_segments(const SynthesizedSchedule& candidate, Call call) {
  const Fabric& fabric = forecaster_.fabric();
  const Algorithm& a = candidate.algorithm;
  call.segments = 1;
  const std::int64_t messages = std::max<std::int64_t>(1, traffic(a.schedule(call)).messages);
  Call many = call;
  if (call.message == Bytes(0)) return {many};
  const auto most = std::clamp<Block>(most_played / messages, 1,
                                      static_cast<Block>(std::max(1.0, call.message / least_segment)));
  std::vector<Block> starts;
  for (const Bytes size : fabric.sizes())
    for (const double carrying : {1, 2})  // how many messages carry a segment, one in each tree
      if (const double k = call.message / (carrying * size) + 1; k <= static_cast<double>(most))
        starts.push_back(static_cast<Block>(k));
  many.segments = search_segments(
      starts, most,
      [&](Block k, Seconds limit) {
        Call cut = call;
        cut.segments = k;
        return path_time(fabric, a, cut, limit);
      },
      no_limit);
  std::vector<Call> all{many};
  Seconds least = path_time(fabric, a, many, no_limit);
  for (int power = 0; std::ldexp(1, power) <= call.message.value; ++power) {
    call.segments = Block{1} << power;
    if (call.segments * messages > most_read || stopped()) break;
    const Block messages_now = call.segments * messages;
    if (messages_now <= most_played && (power % 2 == 0 || 2 * messages_now > most_played))
      all.push_back(call);
    const double worth = messages_now > most_played ? 1 - worth_playing : 1;
    if (const Seconds time = path_time(fabric, a, call, least); time < worth * least)
      many = call, least = time;
    else if (messages_now > most_played)
      break;
  }
  all.push_back(many);
  std::ranges::sort(all, {}, &Call::segments);
  return all;
}

Front::Priced Front::priced(std::shared_ptr<const SynthesizedSchedule> candidate, const Call& call,
                            const Engine& engine) {
  Priced best{candidate, call, no_limit};
  for (const Call& cut : in_segments(*candidate, call)) {
    const Seconds time = read(engine, SizedSchedule(candidate->algorithm, cut), forecaster_.fabric()).time;
    if (time < best.time * (1 - worth_cutting)) best.time = time, best.call.segments = cut.segments;
    if (stopped()) break;
  }
  return best;
}

std::vector<Front::Priced> Front::priced(Bytes message, const Engine& engine) {
  const Call call{.ranks = forecaster_.fabric().ranks(), .root = root_, .message = message};
  std::vector<std::shared_ptr<const SynthesizedSchedule>> finalists = others_;
  if (by_levels_ && plays_forests(collective_) && ranks() > 1 && ranks() <= most_routed)
    finalists.push_back(in_time(message));
  for (std::size_t i = 0; by_levels_ && i < groups_.size(); ++i)
    finalists.push_back(levels_by(best_levels(i, call, engine)));
  std::vector<Priced> all;
  for (const auto& candidate : finalists) {
    if (!all.empty() && stopped()) break;
    all.push_back(priced(candidate, call, engine));
  }
  return all;
}

Front::Fastest Front::fastest(Bytes message, const Engine& engine) {
  const std::vector<Priced> all = priced(message, engine);
  const Priced& best = *std::ranges::min_element(all, {}, &Priced::time);
  return {best.schedule, forecaster_.predict(best.schedule->algorithm, best.call, engine)};
}

}  // namespace collcast

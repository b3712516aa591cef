// SPDX-License-Identifier: Apache-2.0
#include "forecast/group.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "engines/automatic.hpp"
#include "forecast/fastest.hpp"
#include "libraries/nccl/tables.hpp"
#include "libraries/policy.hpp"
#include "libraries/situation.hpp"
#include "model/load.hpp"
#include "model/repeats.hpp"
#include "platforms/description/blueprint.hpp"
#include "platforms/description/node_graph.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

constexpr int gpu_release = 8;  // of NCCL 2
constexpr const char* host_policy = "openmpi-4.0";
constexpr int near_nodes = 32, far_nodes = 128;
/// The most ranks whose messages are played with contention. An alltoall has more messages, and would take
/// minutes on 1024.
Rank most_contended(Collective collective) {
  return collective == Collective::alltoall ? 512 : 1024;
}

/// The first release of NCCL from `gpu_release` on, or of RCCL, that knows the GPUs; "fastest" if none does.
std::string gpu_policy(const Description& platform) {
  const std::optional<Gpu> gpu = supported_gpu(platform);
  return gpu ? nccl::release_for(*gpu, gpu_release).text() : "fastest";
}

bool has_gpus(const Description& platform) {
  return !read_blueprint(platform).of_kind(Blueprint::Vertex::Kind::gpu).empty();
}

/// The node with most members of the group (the first of several), and the members' places on it.
std::pair<Rank, std::vector<int>> fullest(const RankGroup& group, Rank ranks_per_node) {
  std::map<Rank, std::vector<int>> on_node;
  for (const Rank member : group.members())
    on_node[member / ranks_per_node].push_back(member % ranks_per_node);
  return *std::ranges::max_element(on_node, {}, [](const auto& n) { return n.second.size(); });
}
std::vector<int> slots(const RankGroup& group, Rank ranks_per_node) {
  return fullest(group, ranks_per_node).second;
}

/// Of the groups like this one, those whose members lie on nodes in another way than the groups before.
std::vector<RankGroup> spread_otherwise(const RankGroup& group, Rank ranks_per_node) {
  std::vector<RankGroup> all;
  std::set<Rank> seen;
  for (const Rank first : firsts(group))
    if (first + group.members().back() - group.first < group.world &&
        seen.insert(first % ranks_per_node).second) {
      all.push_back(group);
      all.back().first = first % ranks_per_node;
    }
  return all;
}

bool is_pair(const RankGroup& group) {
  return group.dimensions.size() == 1 && group.size() == 2;
}

/// What messages between two slots of a node meet: memories, and the links between them. Without `other`:
/// what messages of the slot meet that leave the node, network cards included.
std::vector<int> met_between(const Blueprint& b, const NodeGraph& graph, int slot, std::optional<int> other) {
  std::vector<int> ends, met;
  for (const int s : {slot, other.value_or(slot)})
    for (const Memory m : {Memory::device, Memory::host}) ends.push_back(graph.place(s, m));
  const std::vector<int> nics = b.of_kind(Blueprint::Vertex::Kind::nic);
  if (!other && !nics.empty())
    for (std::size_t i = 0; i < 2; ++i) ends.push_back(nics[static_cast<std::size_t>(graph.nic_of(ends[i]))]);
  const auto add = [&](int line) {
    const auto at = static_cast<std::size_t>(line);
    met.push_back(line < 0 ? -1 : b.lines[at].kind), met.push_back(line < 0 ? 0 : b.lines[at].count);
  };
  for (const int from : ends) {
    met.push_back(b.vertices[static_cast<std::size_t>(from)].device);
    add(graph.loop(from));
    for (const int to : ends) {
      const std::vector<int>& route = graph.route(from, to);
      met.push_back(from == to ? 1 : 0), met.push_back(static_cast<int>(route.size()));
      for (const int l : route) add(graph.links()[static_cast<std::size_t>(l)].line);
    }
  }
  return met;
}

/// How many ranks of the fullest node are in groups that leave it; for pairs, as many as their members are
/// apart.
Rank leaving(const RankGroup& group, Rank ranks_per_node) {
  if (is_pair(group)) return std::min(group.dimensions[0].stride, ranks_per_node);
  const Rank node = fullest(group, ranks_per_node).first;
  const auto leaves = [&](Rank r) {
    RankGroup its = group;
    its.first = first_of(group, r);
    return std::ranges::any_of(its.members(), [&](Rank m) { return m / ranks_per_node != node; });
  };
  Rank all = 0;
  for (Rank r = node * ranks_per_node; r < std::min(group.world, (node + 1) * ranks_per_node); ++r)
    all += leaves(r) ? 1 : 0;
  return all;
}

/// How many groups share each network card of a node. A group could use as many cards as it has members on
/// the node, but all groups together have only the node's cards.
double sharing(const Blueprint& b, const RankGroup& group, std::size_t members) {
  const auto cards =
      static_cast<double>(std::max<std::size_t>(1, b.of_kind(Blueprint::Vertex::Kind::nic).size()));
  const double groups = static_cast<double>(leaving(group, b.ranks_per_node)) / static_cast<double>(members);
  return std::max(1.0, groups * std::min(cards, static_cast<double>(members)) / cards);
}

void divide(Json& parameter, double by) {
  for (const char* key : {"value", "low", "high"})
    if (parameter.contains(key)) parameter[key] = parameter[key].get<double>() / by;
}

/// How many nodes lie from one of the group's nodes to the next, at least.
Rank nodes_apart(const RankGroup& group, Rank ranks_per_node) {
  std::set<Rank> on;
  for (const Rank member : group.members()) on.insert(member / ranks_per_node);
  Rank least = group.world;
  for (auto node = on.begin(), next = std::next(node); next != on.end(); ++node, ++next)
    least = std::min(least, *next - *node);
  return least;
}

/// Leaves a group whose nodes lie apart its share of the leaf switches of a tapered tree, as all groups like
/// it send at once: of `apart` nodes below a leaf one is the group's, and of so many cables up. Returns
/// whether anything changes.
bool leave_uplinks(Json& json, const Blueprint& b, const RankGroup& group, Rank its_nodes) {
  if (b.network != Blueprint::Network::fat_tree || b.levels.size() < 2) return false;
  const Blueprint::Level& leaf = b.levels[0];
  const Rank nodes = (group.world + b.ranks_per_node - 1) / b.ranks_per_node,
             apart = std::min<Rank>(nodes_apart(group, b.ranks_per_node), b.nodes_per_switch);
  if (leaf.up >= leaf.down || b.trunks[0].cables > 1 || nodes <= b.nodes_per_switch || apart < 2)
    return false;
  const int ports = leaf.down / b.nodes_per_switch, below = is_pair(group) ? 1 : b.nodes_per_switch / apart;
  std::int64_t leaves = 1;
  for (std::size_t i = 1; i < b.levels.size(); ++i)
    leaves = std::min<std::int64_t>(leaves * b.levels[i].down, 1 << 26);
  if (its_nodes > leaves / b.switches_per_node * below) return false;  // where nodes do not divide a leaf's
  Json& network = json["network"];
  Json& level = network["levels"][0];
  if (leaf.up < apart) {
    if (!level.contains("bandwidth_GBps")) level["bandwidth_GBps"] = network["bandwidth_GBps"];
    divide(level["bandwidth_GBps"], static_cast<double>(apart) / leaf.up);
  }
  level["down"] = below * ports, level["up"] = std::max(1, leaf.up / apart);
  json["max_nodes"] = its_nodes;
  return true;
}

Call call_of(const Forecaster& forecaster, const RankGroup& group, Bytes message) {
  Call call;
  call.ranks = group.size();
  call.message = message;
  const Rank node = forecaster.ranks_per_node();
  call.ranks_per_node = call.ranks % node == 0 ? node : 1;
  return call;
}

/// The share of the time in which links carry as much as they can: by the explanation, or without one by the
/// bound.
double link_share(const Prediction& p) {
  if (p.time == Seconds()) return 0;
  Seconds busy;
  for (const Share& s : p.explanation)
    busy += s.cause == Cause::link || s.cause == Cause::queue ? s.time : s.moving;
  return std::min(1.0, (p.explanation.empty() ? p.bound.time : busy) / p.time);
}

GroupPrediction answer_of(const Prediction& p, const std::string& protocol = {}) {
  GroupPrediction a{
      p.time,       p.low, p.high, p.limited_by, p.algorithm->name + (protocol.empty() ? "" : " " + protocol),
      link_share(p)};
  a.bound = std::min(p.bound.time, p.time), a.cut = p.bound.cut;
  a.calibrated = p.calibrated, a.transferred = p.transferred;
  return a;
}

/// The forecast if the library has no rule: the fastest of the catalogue.
Prediction fastest_of(const Forecaster& forecaster, Collective collective, const Call& call,
                      const Engine& by) {
  const std::vector<const Algorithm*> all = considered(forecaster, collective, call.ranks, call.message);
  return predict_fastest(forecaster, all, call, {}, by);
}

}  // namespace

std::string usual_policy(const Description& platform) {
  if (!has_gpus(platform)) return host_policy;
  const std::string stated = platform.library();
  if (stated.empty()) return gpu_policy(platform);
  try {
    require_policy(stated);
  } catch (const InputError& e) {
    reject(platform.file(), "library.value", e.what());
  }
  return stated;
}

std::string note_on_usual_policy(const Description& platform) {
  if (!platform.library().empty() || !has_gpus(platform)) return {};
  const std::string usual = usual_policy(platform);
  return platform.name() + " names no `library`" +
         (usual == "fastest" ? ", and its ranks do not sit on GPUs that NCCL or RCCL is known to support: "
                               "collectives take the fastest of the catalogue"
                             : ": its GPUs are taken to send by " + usual);
}

Description seen_by(const Description& platform, const RankGroup& group) {
  const Blueprint b = read_blueprint(platform);
  const std::vector<int> places = slots(group, b.ranks_per_node);
  const auto on_a_node = static_cast<Rank>(places.size());
  const bool several = group.size() > on_a_node;  // the group is on several nodes
  const bool whole = places.size() == static_cast<std::size_t>(std::min<Rank>(b.ranks_per_node, group.world));
  Json json = platform.json();
  if (!whole) {
    Json vertices = Json::array();
    for (const int slot : places)
      vertices.push_back(b.vertices[static_cast<std::size_t>(b.vertex_of_slot(slot))].name);
    if (json.contains("node")) {
      json["node"]["ranks_on"] = vertices;
      json["node"]["ranks_per_node"] = places.size();
    }
    if (several && !group.alone && json["network"].contains("bandwidth_GBps"))
      divide(json["network"]["bandwidth_GBps"], sharing(b, group, places.size()));
  }
  const bool shared =
      several && !group.alone && leave_uplinks(json, b, group, (group.size() + on_a_node - 1) / on_a_node);
  return whole && !shared ? platform : Description(platform.name(), platform.file(), std::move(json));
}

void require_policy(const std::string& policy) {
  if (!policy.empty() && policy != "fastest") check_policy(policy);
}

GroupForecaster::GroupForecaster(Description platform, std::string policy, int pieces, bool direct)
    : platform_(std::move(platform)), policy_(std::move(policy)), offloaded_(platform_, pieces, direct) {
  ranks_per_node_ = read_blueprint(platform_).ranks_per_node;
  if (policy_.empty()) policy_ = usual_policy(platform_), guess_ = note_on_usual_policy(platform_);
}

GroupForecaster::~GroupForecaster() = default;

bool GroupForecaster::chooses(Collective collective) const {
  return has_rule(policy_, collective);
}

const Library& GroupForecaster::library(const RankGroup& group, const std::string& policy, Memory memory) {
  auto& known = libraries_[{group, policy, memory}];
  if (!known)
    known = std::make_unique<Library>(policy == "fastest" ? host_policy : policy, seen_by(platform_, group),
                                      group.size(), Placement::block, memory);
  return *known;
}

int GroupForecaster::nodes(const RankGroup& group) const {
  const auto first_node = static_cast<Rank>(slots(group, ranks_per_node_).size());
  return (group.size() + first_node - 1) / first_node;
}

GroupPrediction GroupForecaster::computed(Collective collective, const RankGroup& group, Bytes message,
                                          const std::string& policy, Memory memory) {
  const Library& l = library(group, policy, memory);
  const Call call = call_of(l.forecaster(), group, message);
  const Engine& by = engine(group.size() <= most_contended(collective) ? "auto" : "path");
  if (policy != "fastest") try {
      const Library::Forecast f = l.predict(collective, call, by);
      const GroupPrediction alone = answer_of(f.prediction, f.choice.protocol);
      return is_nccl(policy) ? alone : with_all_others(alone, f.choice, group, policy, memory);
    } catch (const NoRule& e) {
      if (algorithms(collective).size() > 1) unruled_.try_emplace(collective, e.what());
    }
  const Prediction p = fastest_of(l.forecaster(), collective, call, by);
  return with_all_others(answer_of(p), {p.algorithm, p.call}, group, policy, memory);
}

/// Plays the messages of all groups, or if these are too many, takes what the most loaded link needs.
GroupPrediction GroupForecaster::with_all_others(GroupPrediction a, const Choice& choice,
                                                 const RankGroup& group, const std::string& policy,
                                                 Memory memory) {
  constexpr std::int64_t most_played = 100'000, most_counted = 4'000'000;
  RankGroup form = group;
  form.first = 0;
  if (choice.algorithm->collective == Collective::sendrecv || group.alone || group.size() == group.world ||
      !fill_the_world(form))
    return a;
  const Algorithm together = by_all_alike(*choice.algorithm, form);
  const SizedSchedule all(together, choice.call);
  const std::int64_t messages = messages_of(all.schedule, most_counted);
  if (messages > most_counted) return a;
  const Fabric& fabric = library({{{group.world, 1}}, group.world}, policy, memory).fabric(choice);
  Seconds time;
  if (messages <= most_played) {
    const Reading played = read(*resolve(engine("auto"), all, fabric).engine, all, fabric);
    time = played.time, a.limited_by = played.limited_by;
  } else if (const Load load = heaviest(fabric, all.traffic()); load.time > a.time) {
    time = load.time, a.limited_by = load.link;
  }
  if (!(time > Seconds()) || !(a.time > Seconds())) return a;
  const double slower = time / a.time;
  a.load = slower > 1 ? 1 - (1 - a.load) / slower : a.load;  // the added time is waiting for links
  a.time = time, a.low = slower * a.low, a.high = slower * a.high;
  a.bound = std::min(a.bound, a.time);
  return a;
}

/// A double tree takes equally much longer for each doubling of its nodes. A bound on fewer nodes holds on
/// more.
GroupPrediction GroupForecaster::extrapolated(Collective collective, const RankGroup& group, Bytes message) {
  const int all = nodes(group);
  const auto on = [&](int few) {
    RankGroup smaller = group;
    smaller.dimensions.back().count = static_cast<Rank>(std::int64_t{group.size()} * few / all);
    return forecast(collective, smaller, message);
  };
  const GroupPrediction near = on(far_nodes), nearer = on(near_nodes);
  if (near.choice != nearer.choice || !near.choice.starts_with("double-tree"))
    return computed(collective, group, message, policy_, Memory::device);
  const double doublings = std::log2(static_cast<double>(all) / far_nodes) /
                           std::log2(static_cast<double>(far_nodes) / near_nodes);
  const auto farther = [&](Seconds GroupPrediction::*time) {
    return near.*time + doublings * std::max(Seconds(), near.*time - nearer.*time);
  };
  GroupPrediction a = near;
  a.time = farther(&GroupPrediction::time), a.low = farther(&GroupPrediction::low),
  a.high = farther(&GroupPrediction::high);
  return a;
}

const GroupPrediction& GroupForecaster::forecast(Collective collective, const RankGroup& group,
                                                 Bytes message) {
  const auto found = known_.find({collective, group, message});
  if (found != known_.end()) return found->second;
  const bool far = is_nccl(policy_) && group.dimensions.size() == 1 && nodes(group) > far_nodes;
  GroupPrediction a = far ? extrapolated(collective, group, message)
                          : computed(collective, group, message, policy_, Memory::device);
  return known_.insert_or_assign({collective, group, message}, std::move(a)).first->second;
}

GroupPrediction GroupForecaster::named(const Algorithm& algorithm, const RankGroup& group, Bytes message) {
  const Library& l = library(group, policy_, Memory::device);
  const Library::Forecast f =
      l.predict(algorithm, call_of(l.forecaster(), group, message), engine("auto"), usual_segment);
  GroupPrediction alone = answer_of(f.prediction);
  alone.choice.clear();
  return is_nccl(policy_) ? alone : with_all_others(alone, f.choice, group, policy_, Memory::device);
}

std::optional<Wire> GroupForecaster::departure(const RankGroup& pair, Bytes message) {
  if (is_nccl(policy_)) return {};
  const Wire wire = library(priced_for(on_first_node(pair)), policy_, Memory::device)
                        .forecaster()
                        .fabric()
                        .wire({0, Memory::device}, {1, Memory::device}, message);
  return wire.eager ? std::optional(wire) : std::nullopt;
}

RankGroup GroupForecaster::on_first_node(RankGroup group) const {
  const bool apart = !group.dimensions.empty() && group.dimensions[0].stride >= ranks_per_node_;
  group.first = apart ? 0 : group.first % ranks_per_node_;
  return group;
}

RankGroup GroupForecaster::priced_for(const RankGroup& group) {
  const auto blueprint = platform_.blueprint();
  if (!is_pair(group) || group.dimensions[0].stride >= ranks_per_node_ ||
      blueprint->network == Blueprint::Network::uniform)
    return group;
  if (!graph_) graph_ = std::make_unique<NodeGraph>(*blueprint);
  const Rank stride = group.dimensions[0].stride, other = group.first + stride;
  const bool leaves = other >= ranks_per_node_;
  std::vector<int> met =
      met_between(*blueprint, *graph_, group.first, leaves ? std::nullopt : std::optional(other));
  met.push_back(leaves ? stride : 0);  // as many ranks as that share the cards
  return pairs_.try_emplace({std::move(met), group.world, group.alone}, group).first->second;
}

GroupPrediction GroupForecaster::predict(Collective collective, const RankGroup& anywhere, Bytes message,
                                         const std::string& algorithm) {
  const RankGroup here = on_first_node(anywhere);
  if (here.size() == 1 || does_nothing(collective, message)) return {};
  if (collective == Collective::sendrecv) return predict_one(collective, here, message, algorithm);
  auto& spreads = spreads_[here];
  if (spreads.empty())
    spreads =
        alike_on_nodes(here, ranks_per_node_) ? std::vector{here} : spread_otherwise(here, ranks_per_node_);
  GroupPrediction slowest;
  for (const RankGroup& group : spreads)
    if (GroupPrediction a = predict_one(collective, group, message, algorithm); a.time > slowest.time)
      slowest = std::move(a);
  return slowest;
}

GroupPrediction GroupForecaster::predict_one(Collective collective, const RankGroup& here, Bytes message,
                                             const std::string& algorithm) {
  const RankGroup group = priced_for(here);
  if (!algorithm.empty()) return named(collcast::algorithm(collective, algorithm), group, message);
  if (nodes(group) <= far_nodes || message < Bytes(4096)) return forecast(collective, group, message);
  const double octaves = std::floor(2 * std::log2(message.value)) / 2;
  const Bytes below(std::floor(std::exp2(octaves))), above(std::floor(std::exp2(octaves + 0.5)));
  const GroupPrediction low = forecast(collective, group, below), high = forecast(collective, group, above);
  const double share = (message - below) / (above - below);
  const auto between = [&](Seconds GroupPrediction::*time) {
    return (1 - share) * (low.*time) + share * (high.*time);
  };
  GroupPrediction a = high;
  a.time = between(&GroupPrediction::time), a.low = between(&GroupPrediction::low),
  a.high = between(&GroupPrediction::high);
  a.bound = low.bound, a.cut = low.cut;  // the bound of the smaller message holds
  return a;
}

std::vector<std::string> GroupForecaster::notes() const {
  std::vector<std::string> all;
  if (!guess_.empty()) all.push_back(guess_);
  for (const auto& [collective, why] : unruled_)
    all.push_back(std::string(definition(collective).name) +
                  " takes the time of the catalogue's fastest algorithm: " + why);
  for (const auto& [group, spreads] : spreads_)
    if (spreads.size() > 1)
      all.push_back("collectives of groups of " + std::to_string(group.size()) +
                    " ranks all take the times of the slowest such group; with " +
                    std::to_string(ranks_per_node_) + " ranks per node some of them span more nodes");
  return all;
}

GroupPrediction GroupForecaster::predict_control(Collective collective, const RankGroup& group,
                                                 Bytes message) {
  if (group.size() == 1) return {};
  GroupPrediction a = computed(collective, group, message, host_policy, Memory::host);
  a.limited_by = "the framework's coordination", a.load = 0;
  return a;
}

GroupPrediction GroupForecaster::predict_served(const RankGroup& pair, Bytes message) {
  if (does_nothing(Collective::sendrecv, message)) return {};
  return computed(Collective::sendrecv, pair, message, host_policy, Memory::host);
}

}  // namespace collcast

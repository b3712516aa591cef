// SPDX-License-Identifier: Apache-2.0
#include "forecast/group.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "libraries/nccl/tables.hpp"
#include "libraries/situation.hpp"
#include "platforms/description/blueprint.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

constexpr int gpu_release = 8;  // of NCCL 2
constexpr const char* host_policy = "openmpi-4.0";
constexpr int near_nodes = 32, far_nodes = 128;

/// The first release that knows the GPUs, from `gpu_release` on; of GPUs that none knows, the fastest of the
/// catalogue.
std::string gpu_policy(const Description& platform) {
  const auto text = [](int minor) { return nccl::Policy{.minor = minor}.text(); };
  try {
    return text(std::max(gpu_release, nccl::first_release(situation(platform, 1, text(gpu_release)).gpu)));
  } catch (const InputError&) {
    return "fastest";
  }
}

/// Places on the first node that members have; all if the group fills whole nodes one after the other.
std::vector<int> slots(const RankGroup& group, int ranks_per_node) {
  std::vector<int> places;
  for (const Rank member : group.members())
    if (member < ranks_per_node) places.push_back(member);
  return places;
}

/// Of a node's network cards, how many ways each has to be shared: a group could use as many as it has
/// members there, and all groups of a node together only those that there are.
double sharing(const Blueprint& b, std::size_t members) {
  const auto cards =
      static_cast<double>(std::max<std::size_t>(1, b.of_kind(Blueprint::Vertex::Kind::nic).size()));
  const double groups = static_cast<double>(b.ranks_per_node) / static_cast<double>(members);
  return std::max(1.0, groups * std::min(cards, static_cast<double>(members)) / cards);
}

Call call_of(const Forecaster& forecaster, const RankGroup& group, Bytes message) {
  Call call;
  call.ranks = group.size();
  call.message = message;
  const Rank node = forecaster.ranks_per_node();
  call.ranks_per_node = call.ranks % node == 0 ? node : 1;
  return call;
}

Library::Forecast ask(const Library& library, Collective collective, const RankGroup& group, Bytes message) {
  return library.predict(collective, call_of(library.forecaster(), group, message), engine("path"));
}

/// What libraries have no rule for: the fastest of the catalogue.
Prediction fastest_of(const Forecaster& forecaster, Collective collective, const RankGroup& group,
                      Bytes message) {
  const Choice choice =
      fastest(forecaster.fabric(), common_algorithms(collective), call_of(forecaster, group, message));
  return forecaster.predict(*choice.algorithm, choice.call, engine("path"));
}

/// Whether there is more than one way to play it.
bool has_choices(Collective collective) {
  constexpr Collective lone[] = {Collective::sendrecv, Collective::halo_1d, Collective::halo_2d,
                                 Collective::halo_3d};
  return std::ranges::find(lone, collective) == std::end(lone);
}

bool has_rule(const std::string& policy, Collective collective) {
  if (policy == "fastest") return false;
  if (!policy.starts_with("nccl"))
    return collective == Collective::allreduce || collective == Collective::broadcast;
  return sent_in_pairs(collective) || collective == Collective::allreduce ||
         collective == Collective::reduce_scatter || collective == Collective::allgather ||
         collective == Collective::broadcast || collective == Collective::reduce;
}

}  // namespace

std::string usual_policy(const Description& platform) {
  const bool gpus = !read_blueprint(platform).of_kind(Blueprint::Vertex::Kind::gpu).empty();
  return gpus ? gpu_policy(platform) : host_policy;
}

Description seen_by(const Description& platform, const RankGroup& group) {
  const Blueprint b = read_blueprint(platform);
  const std::vector<int> places = slots(group, b.ranks_per_node);
  if (places.size() == static_cast<std::size_t>(b.ranks_per_node) || group.world <= b.ranks_per_node)
    if (places.size() == static_cast<std::size_t>(std::min<Rank>(b.ranks_per_node, group.world)))
      return platform;
  Json json = platform.json();
  Json vertices = Json::array();
  for (const int slot : places)
    vertices.push_back(b.vertices[static_cast<std::size_t>(b.vertex_of_slot(slot))].name);
  const bool several = group.size() > static_cast<Rank>(places.size());  // nodes
  if (json.contains("node")) {
    json["node"]["ranks_on"] = vertices;
    json["node"]["ranks_per_node"] = places.size();
  }
  if (several && json["network"].contains("bandwidth_GBps")) {
    const double ways = sharing(b, places.size());
    for (const char* key : {"value", "low", "high"})
      if (Json& bandwidth = json["network"]["bandwidth_GBps"]; bandwidth.contains(key))
        bandwidth[key] = bandwidth[key].get<double>() / ways;
  }
  return {platform.name(), platform.file(), std::move(json)};
}

GroupForecaster::GroupForecaster(Description platform, std::string policy, int pieces, bool direct)
    : platform_(std::move(platform)), policy_(std::move(policy)), offloaded_(platform_, pieces, direct) {
  ranks_per_node_ = read_blueprint(platform_).ranks_per_node;
  if (policy_.empty()) policy_ = usual_policy(platform_);
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
  int first_node = 0;
  for (const Rank member : group.members()) first_node += member < ranks_per_node_;
  return (group.size() + first_node - 1) / first_node;
}

GroupForecaster::Answer GroupForecaster::whole(Collective collective, const RankGroup& group, Bytes message) {
  const Library& l = library(group, policy_, Memory::device);
  Prediction p;
  std::string protocol;
  if (chooses(collective)) {
    const Library::Forecast choice = ask(l, collective, group, message);
    p = choice.prediction, protocol = choice.choice.protocol;
  } else {
    p = fastest_of(l.forecaster(), collective, group, message);
  }
  return {p.time, p.low, p.high, p.limited_by, p.algorithm->name + (protocol.empty() ? "" : " " + protocol)};
}

/// A double tree takes as much longer for each doubling of its nodes.
GroupForecaster::Answer GroupForecaster::extrapolated(Collective collective, const RankGroup& group,
                                                      Bytes message) {
  const int all = nodes(group);
  const auto on = [&](int few) {
    RankGroup smaller = group;
    smaller.dimensions.back().count = static_cast<Rank>(std::int64_t{group.size()} * few / all);
    return forecast(collective, smaller, message);
  };
  const Answer near = on(far_nodes), nearer = on(near_nodes);
  if (near.choice != nearer.choice || !near.choice.starts_with("double-tree"))
    return whole(collective, group, message);
  const double doublings = std::log2(static_cast<double>(all) / far_nodes) /
                           std::log2(static_cast<double>(far_nodes) / near_nodes);
  const auto farther = [&](Seconds Answer::*time) {
    return near.*time + doublings * std::max(Seconds(), near.*time - nearer.*time);
  };
  return {farther(&Answer::time), farther(&Answer::low), farther(&Answer::high), near.limited_by,
          near.choice};
}

const GroupForecaster::Answer& GroupForecaster::forecast(Collective collective, const RankGroup& group,
                                                         Bytes message) {
  const auto found = known_.find({collective, group, message});
  if (found != known_.end()) return found->second;
  const bool far = policy_.starts_with("nccl") && group.dimensions.size() == 1 && nodes(group) > far_nodes;
  Answer a = far ? extrapolated(collective, group, message) : whole(collective, group, message);
  return known_.insert_or_assign({collective, group, message}, std::move(a)).first->second;
}

GroupForecaster::Answer GroupForecaster::named(const Algorithm& algorithm, const RankGroup& group,
                                               Bytes message) {
  const Library& l = library(group, policy_, Memory::device);
  const Prediction p =
      l.predict(algorithm, call_of(l.forecaster(), group, message), engine("auto"), usual_segment).prediction;
  return {p.time, p.low, p.high, p.limited_by};
}

std::optional<Wire> GroupForecaster::departure(const RankGroup& pair, Bytes message) {
  if (policy_.starts_with("nccl")) return {};
  const Wire wire = library(pair, policy_, Memory::device)
                        .forecaster()
                        .fabric()
                        .wire({0, Memory::device}, {1, Memory::device}, message);
  return wire.eager ? std::optional(wire) : std::nullopt;
}

GroupForecaster::Answer GroupForecaster::predict(Collective collective, const RankGroup& group, Bytes message,
                                                 const std::string& algorithm) {
  if (group.size() == 1 || message == Bytes()) return {};
  if (collective != Collective::sendrecv && !alike_.contains(group))
    alike_[group] = alike_on_nodes(group, ranks_per_node_);
  if (!algorithm.empty()) return named(collcast::algorithm(collective, algorithm), group, message);
  if (nodes(group) <= far_nodes || message < Bytes(4096)) return forecast(collective, group, message);
  const double octaves = std::floor(2 * std::log2(message.value)) / 2;
  const Bytes below(std::floor(std::exp2(octaves))), above(std::floor(std::exp2(octaves + 0.5)));
  const Answer low = forecast(collective, group, below), high = forecast(collective, group, above);
  const double share = (message - below) / (above - below);
  const auto between = [&](Seconds Answer::*time) {
    return (1 - share) * (low.*time) + share * (high.*time);
  };
  return {between(&Answer::time), between(&Answer::low), between(&Answer::high), high.limited_by,
          high.choice};
}

std::vector<std::string> GroupForecaster::notes() const {
  std::vector<std::string> all;
  std::set<std::string_view> unruled;
  for (const auto& [asked, answer] : known_)
    if (policy_ != "fastest" && has_choices(asked.collective) && !chooses(asked.collective))
      unruled.insert(definition(asked.collective).name);
  for (const std::string_view name : unruled)
    all.push_back(std::string(name) + " is priced as the fastest of the catalogue's algorithms, whatever " +
                  policy_ + " would choose; `--engine` plays its choice");
  for (const auto& [group, alike] : alike_)
    if (!alike)
      all.push_back("collectives of groups of " + std::to_string(group.size()) +
                    " ranks are priced as those of the first group; on nodes of " +
                    std::to_string(ranks_per_node_) +
                    " ranks not all lie alike, and those on more nodes take longer");
  return all;
}

GroupForecaster::Answer GroupForecaster::predict_control(Collective collective, const RankGroup& group,
                                                         Bytes message) {
  if (group.size() == 1) return {};
  const Library& l = library(group, host_policy, Memory::host);
  const Prediction p = has_rule(host_policy, collective)
                           ? ask(l, collective, group, message).prediction
                           : fastest_of(l.forecaster(), collective, group, message);
  return {p.time, p.low, p.high, "the framework's coordination"};
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "forecast/predict.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "engines/simulated.hpp"
#include "model/lowering.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// What one engine says of one call on one machine.
struct Answer {
  Seconds time;
  std::string limited_by;
};

/// A resource limits a call if it is busy more than half of the time; otherwise waiting for messages to
/// arrive does.
struct Suspect {
  std::string name = "latency";
  double share = 0.5;
  void consider(Seconds busy, Seconds time, auto name_of) {
    if (time.value > 0 && busy / time > share * (1 + 1e-9)) share = busy / time, name = name_of();
  }
};

std::string largest_term(const Algorithm& a, const Call& c, const AlphaBetaGamma& m) {
  const std::pair<Seconds, const char*> terms[] = {
      {a.time(c, {m.alpha, {}, {}}), "latency"},
      {a.time(c, {{}, m.beta, {}}), "bandwidth of the slowest path"},
      {a.time(c, {{}, {}, m.gamma}), "reduction"}};
  return std::ranges::max_element(terms, {}, [](const auto& t) { return t.first; })->second;
}

Answer by_formula(const Fabric& machine, const Algorithm& a, const Call& c) {
  if (!a.time) throw InputError(full_name(a) + " has no formula: it came from a file; ask another engine");
  const Schedule schedule = a.schedule(c);
  const AlphaBetaGamma m = slowest_path(machine, schedule, layout(a, c, schedule));
  return {a.time(c, m), largest_term(a, c, m)};
}

Answer by_path(const Fabric& machine, const Algorithm& a, const Call& c) {
  const Schedule schedule = a.schedule(c);
  const PathResult path = critical_path(schedule, layout(a, c, schedule), machine);
  Suspect suspect;
  const auto port = static_cast<Port>(std::ranges::max_element(path.busy) - path.busy.begin());
  suspect.consider(path.busy[port], path.time, [&] { return machine.port_name(port); });
  suspect.consider(path.reducing, path.time, [] { return std::string("reduction"); });
  return {path.time, suspect.name};
}

Answer by_simulation(const Fabric& machine, const Algorithm& a, const Call& c) {
  Schedule schedule = a.schedule(c);
  const Layout sizes = layout(a, c, schedule);
  const Result run = simulate_program(*program(std::move(schedule), sizes), machine);
  Suspect suspect;
  const Bottleneck busiest = bottleneck(run, machine);
  suspect.consider(busiest.busy * run.time, run.time, [&] { return busiest.name; });
  return {run.time, suspect.name};
}

/// What no schedule beats here. A rank sends and receives through all its ports at once, so its bandwidth is
/// their sum; ports that are free again before a message arrives allow any number of messages in one latency.
Seconds least_time(const Fabric& fabric, const std::vector<Rank>& ranks, const Algorithm& a, const Call& c,
                   Forecaster::Bound bound) {
  if (c.ranks == 1) return {};
  AlphaBetaGamma best{Seconds(HUGE_VAL), SecondsPerByte(HUGE_VAL), SecondsPerByte(HUGE_VAL)};
  for (Rank from : ranks) {
    std::map<Port, BytesPerSecond> ports;
    for (Rank to : ranks) {
      if (from == to) continue;
      for (const Bytes bytes : fabric.sizes()) {
        const Wire w = fabric.wire(from, to, bytes);
        ports[w.out] = std::max(ports[w.out], 1.0 / (w.per_byte - w.software));
        best.alpha = std::min(best.alpha, alpha(w));
      }
    }
    BytesPerSecond all;
    for (const auto& [port, bandwidth] : ports) all += bandwidth;
    best.beta = std::min(best.beta, 1.0 / all);
    best.gamma = std::min(best.gamma, fabric.gamma(from));
  }
  const Demands d = demands(a);
  const bool single_ported =
      fabric.protocol().hold == Protocol::Hold::delivery && !d.multicast && !d.reduction;
  const AlphaBetaGamma without_latency{{}, best.beta, best.gamma};
  // With reduction in the network a rank need not receive what the others send: its own message, once, is
  // enough; what it keeps itself, less.
  const Collective reduced =
      a.collective == Collective::reduce_scatter ? Collective::allgather : Collective::broadcast;
  const Collective collective = d.reduction ? reduced : a.collective;
  const Seconds rest = lower_bound(collective, c.ranks, c.message, single_ported ? best : without_latency);
  return bound == Forecaster::Bound::messages ? std::max(rest, best.alpha) : rest;
}

}  // namespace

BytesPerSecond Prediction::algorithm_bandwidth() const {
  return time.value > 0 ? call.message / time : BytesPerSecond();
}

BytesPerSecond Prediction::bus_bandwidth() const {
  return definition(algorithm->collective).bus_factor(call.ranks) * algorithm_bandwidth();
}

std::vector<Rank> served_by(int workers, const Machine& machine) {
  if (workers == 0) return {};
  const int cores = machine.dpu_cores();
  if (cores == 0) throw InputError(machine.platform() + " has no DPU; bluefield-2-cluster has one");
  if (workers < 0 || workers > cores)
    throw InputError("the DPU of a node of " + machine.platform() + " has 1 to " + std::to_string(cores) +
                     " cores for workers, not " + std::to_string(workers));
  std::map<int, std::vector<Rank>> on_node;
  std::vector<Rank> processors;
  for (Rank r = 0; r < machine.ranks(); ++r) {
    std::vector<Rank>& ranks = on_node[machine.node(r)];
    ranks.push_back(r);
    processors.push_back(ranks[(ranks.size() - 1) % static_cast<std::size_t>(workers)]);
  }
  return processors;
}

Forecaster::Forecaster(const Description& description, Rank ranks, const Placement& placement, Memory memory,
                       int workers)
    : nominal_(description, ranks, placement, memory, workers),
      fast_(optimistic(description), ranks, placement, memory, workers),
      slow_(pessimistic(description), ranks, placement, memory, workers),
      played_in_(workers == 0 ? memory : Memory::dpu),
      ranks_per_node_(nominal_.machine.consecutive_ranks()) {}

Capabilities Forecaster::serving(const Demands& needs) const {
  return needs.between_nodes ? nominal_.machine.capabilities() : nominal_.machine.node_capabilities();
}

std::string Forecaster::lacks(const Algorithm& a) const {
  const Demands needs = demands(a);
  const Capabilities has = serving(needs);
  if (needs.reduction && !has.reduction) return "a network that reduces messages (in_network_reduction)";
  if (needs.multicast && !has.multicast) return "a network that multicasts (multicast)";
  return {};
}

std::string Forecaster::unwise(const Algorithm& a, Bytes message) const {
  const Demands needs = demands(a);
  if (!needs.reduction) return {};
  const Bytes window = serving(needs).reduction->window();
  if (message <= window) return {};
  return "libraries reduce no more than " + text::bytes(window.value) + " in these switches";
}

bool Forecaster::calibrated(const Algorithm& a) const {
  const Demands needs = demands(a);
  const Capabilities has = nominal_.machine.capabilities();
  return calibrated() && (!needs.multicast || has.multicast->stamp <= Stamp::calibrated) &&
         (!needs.reduction || has.reduction->stamp <= Stamp::calibrated);
}

Prediction Forecaster::predict(const Algorithm& a, const Call& c, Reading engine) const {
  check(a, c);
  if (const std::string missing = lacks(a); !missing.empty())
    throw InputError(a.name + " needs " + missing + ", which " + nominal_.machine.platform() +
                     " does not have; `--platform flat` has all");
  const auto quick = engine == Reading::formula ? by_formula : by_path;
  const Answer answer =
      engine == Reading::simgrid ? by_simulation(nominal_.fabric, a, c) : quick(nominal_.fabric, a, c);
  // How far the parameters' uncertainty moves the answer is asked of the quicker engine.
  const Seconds centre = engine == Reading::simgrid ? quick(nominal_.fabric, a, c).time : answer.time;
  const auto stretched = [&](const Platform& p) {
    return centre.value > 0 ? quick(p.fabric, a, c).time / centre * answer.time : answer.time;
  };
  Prediction p{&a, c, answer.time, stretched(fast_), stretched(slow_), {}, answer.limited_by, calibrated(a)};
  p.low = std::min(p.low, p.time);
  p.high = std::max(p.high, p.time);
  p.lower_bound = lower_bound(a, c);
  return p;
}

Seconds Forecaster::mean_between_barriers(const Algorithm& a, const Call& c, const Algorithm& barrier) const {
  constexpr int calls = 5;  // the ranks' lags repeat by then
  const Call empty{.ranks = c.ranks};
  const Schedule call = a.schedule(c), pause = barrier.schedule(empty);
  const Layout sizes = layout(a, c, call), none = layout(barrier, empty, pause);
  const auto finish = [this](const Schedule& schedule, const Layout& layout, const std::vector<Seconds>& at) {
    return CriticalPath(schedule, layout, nominal_.fabric).run(at).finish;
  };
  std::vector<Seconds> entered(static_cast<std::size_t>(c.ranks)), left;
  for (int i = 0; i < calls; ++i) {
    if (i > 0) entered = finish(pause, none, left);
    const Seconds first = *std::ranges::min_element(entered);
    for (Seconds& t : entered) t = t - first;
    left = finish(call, sizes, entered);
  }
  Seconds own;
  for (std::size_t r = 0; r < left.size(); ++r) own += left[r] - entered[r];
  return own / static_cast<double>(c.ranks);
}

Seconds Forecaster::lower_bound(const Algorithm& a, const Call& c, Bound bound) const {
  return least_time(HomeFabric(nominal_.machine, played_in_), nominal_.machine.representatives(), a, c,
                    bound);
}

std::vector<const Algorithm*> common_algorithms(Collective collective) {
  std::vector<const Algorithm*> common = algorithms(collective);
  std::erase_if(common, [](const Algorithm* a) {
    const Demands d = demands(*a);
    return d.multicast || d.reduction;
  });
  return common;
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "forecast/predict.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "engines/simulated.hpp"
#include "model/critical_path.hpp"
#include "model/lowering.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace collcast {
BytesPerSecond Prediction::algorithm_bandwidth() const {
  return time.value > 0 ? call.message / time : BytesPerSecond();
}

BytesPerSecond Prediction::bus_bandwidth() const {
  return definition(algorithm->collective).bus_factor(call.ranks) * algorithm_bandwidth();
}

Prediction not_below_bound(Prediction p) {
  if (p.time < p.bound.time) p.time = p.bound.time, p.limited_by = p.bound.cut, p.limited_by_share = {};
  p.low = std::min(p.low, p.time);
  p.high = std::max(p.high, p.time);
  return p;
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
      bounds_(nominal_.machine, played_in_, read_blueprint(description).nodes_per_switch),
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

Prediction Forecaster::predict(const Algorithm& a, const Call& c, const Engine& engine) const {
  check(a, c);
  if (const std::string missing = lacks(a); !missing.empty())
    throw InputError(a.name + " needs " + missing + ", which " + nominal_.machine.platform() +
                     " does not have; `--platform flat` has all");
  const SizedSchedule subject(a, c);
  const Reading answer = read(engine, subject, nominal_.fabric);
  // How far the parameters' uncertainty moves the answer is asked of a quick engine.
  const Engine& quick = engine.quick ? engine : collcast::engine("path");
  const Seconds centre = engine.quick ? answer.time : read(quick, subject, nominal_.fabric).time;
  const auto stretched = [&](const Platform& p) {
    return centre.value > 0 ? read(quick, subject, p.fabric).time / centre * answer.time : answer.time;
  };
  return not_below_bound({&a, c, answer.time, stretched(fast_), stretched(slow_), lower_bound(a, c),
                          answer.limited_by, answer.share, calibrated(a)});
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

Bound Forecaster::lower_bound(const Algorithm& a, const Call& c, Bounds::Of of) const {
  return bounds_(a, c, of);
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "forecast/library.hpp"

#include <algorithm>
#include <cmath>

#include "libraries/nccl/schedules.hpp"
#include "libraries/situation.hpp"
#include "model/load.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

/// What the transport itself leaves out: skew, other traffic, chunks that are not alike.
constexpr double transport_uncertainty = 0.20;

/// The closed form knows what takes the time beside the launch.
void explain(Prediction& p, const nccl::Play& played) {
  const Cause cause = played.limited_by == "latency" ? Cause::latency : Cause::link;
  p.explanation = {{cause, played.limited_by, played.time - played.launch},
                   {Cause::overhead, "launch", played.launch}};
  if (p.explanation[1].time > p.explanation[0].time) std::swap(p.explanation[0], p.explanation[1]);
  p.limited_by = p.explanation[0].name, p.limited_by_share = p.explanation[0].time / p.time;
}

bool knows_nccl(const Description& description) {
  return description.json().value("software", Json::object()).contains("nccl");
}

}  // namespace

Library::Library(std::string policy, const Description& description, Rank ranks, const Placement& placement,
                 Memory memory)
    : policy_(std::move(policy)),
      nccl_(nccl::parse(policy_)),
      forecaster_(description, ranks, placement, memory),
      description_(description),
      placement_(placement),
      memory_(memory) {
  const Description views[] = {description, optimistic(description), pessimistic(description)};
  const double factor[] = {1, 1 / (1 + uncertainty(Stamp::guess)), 1 + uncertainty(Stamp::guess)};
  for (std::size_t v : {nominal, fast, slow}) {
    View& view = views_[v];
    view.situation = collcast::situation(views[v], seats(forecaster_.machine()), policy_);
    if (!nccl_) continue;
    view.software = nccl::software_on(read_blueprint(views[v]), nccl_->minor, view.situation, factor[v]);
  }
  calibrated_ = knows_nccl(description);
  if (const Description blocking = with_blocking_sends(description); blocking.json() != description.json())
    blocking_.emplace(blocking, ranks, placement, memory);
  chooser_ = by_policy(policy_, description, forecaster_.machine(), forecaster_.fabric(),
                       blocking_ ? &blocking_->fabric() : nullptr);
}

Choice Library::choose(Collective collective, const Call& asked) const {
  return chooser_({collective, {}, asked});
}

const Forecaster& Library::sends(const Choice& choice) const {
  return choice.blocking && blocking_ ? *blocking_ : forecaster_;
}

Library::Forecast Library::predict(Collective collective, const Call& asked, const Engine& engine) const {
  Choice choice = choose(collective, asked);
  const bool own = nccl_ && engine.name != "formula" && asked.ranks > 1 &&
                   nccl::has_transport(nccl::choose(*nccl_, collective, asked, situation()).shape);
  const auto predicted = [&] {
    if (!own) return sends(choice).predict(*choice.algorithm, choice.call, engine);
    return engine.name == "path" ? by_transport(*choice.algorithm, choice.call)
                                 : by_schedule(*choice.algorithm, choice.call, engine);
  };
  Prediction p = predicted();
  return {std::move(choice), std::move(p)};
}

/// Open MPI's linear barrier is not in the catalogue.
const Algorithm& Library::barrier(Rank ranks) const {
  try {
    return *choose(Collective::barrier, {.ranks = ranks}).algorithm;
  } catch (const InputError&) {
    return algorithm(Collective::barrier, "dissemination");
  }
}

std::optional<Seconds> Library::mean_between_barriers(Collective collective, const Call& asked) const {
  if (nccl_) return {};
  const Choice choice = choose(collective, asked);
  return sends(choice).mean_between_barriers(*choice.algorithm, choice.call, barrier(asked.ranks));
}

nccl::Play Library::play(const View& v, Collective collective, const Call& call,
                         const nccl::Candidate& chosen) const {
  return nccl::play(*nccl_, collective, call, v.situation, chosen, v.software);
}

const Forecaster& Library::sent_by(const nccl::Candidate& chosen) const {
  const Transport transport{Transport::Kind::nccl, {nccl_->minor, chosen.shape, chosen.protocol}};
  return sent_
      .try_emplace({chosen.shape, chosen.protocol}, description_, forecaster_.machine().ranks(), placement_,
                   memory_, 0, transport)
      .first->second;
}

Algorithm Library::scheduled(const Algorithm& a, const nccl::Candidate& chosen,
                             const nccl::Play& played) const {
  const Machine& machine = forecaster_.machine();
  std::map<int, std::vector<Rank>> on_node;
  for (Rank r = 0; r < machine.ranks(); ++r) on_node[machine.node(r)].push_back(r);
  std::vector<std::vector<Rank>> nodes;
  for (auto& [node, ranks] : on_node) nodes.push_back(std::move(ranks));
  const Channels found = channels(description_, seats(machine), policy_);
  return nccl::scheduled(a.name, a.collective, chosen, played, nccl::orders(found, nodes, played.channels),
                         static_cast<Rank>(nodes.front().size()));
}

Prediction Library::by_schedule(const Algorithm& a, const Call& call, const Engine& engine) const {
  const nccl::Candidate chosen = nccl::choose(*nccl_, a.collective, call, situation());
  const nccl::Play played = play(views_[nominal], a.collective, call, chosen);
  Prediction p = sent_by(chosen).predict(scheduled(a, chosen, played), call, engine);
  p.algorithm = &a;
  p.calibrated = calibrated_ && forecaster_.calibrated();
  return p;
}

Prediction Library::by_transport(const Algorithm& a, const Call& call) const {
  check(a, call);
  const nccl::Candidate chosen = nccl::choose(*nccl_, a.collective, call, situation());
  const auto seconds = [&](const View& v) { return play(v, a.collective, call, chosen).time; };
  const nccl::Play played = play(views_[nominal], a.collective, call, chosen);
  Prediction p{&a,
               call,
               played.time,
               std::min(seconds(views_[fast]), played.time) / (1 + transport_uncertainty),
               std::max(seconds(views_[slow]), played.time) * (1 + transport_uncertainty),
               forecaster_.lower_bound(a, call, Forecaster::Bound::bandwidth),
               {},
               {},
               calibrated_ && forecaster_.calibrated()};
  p.transport = Transport{Transport::Kind::nccl, {nccl_->minor, chosen.shape, chosen.protocol}}.name();
  explain(p, played);
  if (situation().nodes == 1) return p;
  const Schedule schedule = scheduled(a, chosen, played).schedule(call);
  const Load load = heaviest(sent_by(chosen).fabric(), schedule, layout(a, call, schedule));
  if (load.time > p.time) {
    const double slower = load.time / p.time;
    p.time = load.time, p.low = slower * p.low, p.high = slower * p.high;
    p.limited_by = load.link, p.limited_by_share = 1;
    p.explanation = {{Cause::link, load.link, p.time}};
  }
  return p;
}

}  // namespace collcast

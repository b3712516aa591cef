// SPDX-License-Identifier: Apache-2.0
#include "forecast/library.hpp"

#include <algorithm>
#include <cmath>

#include "libraries/situation.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

/// What the transport itself leaves out: skew, other traffic, chunks that are not alike.
constexpr double transport_uncertainty = 0.20;
/// A further channel has no published cost; two microseconds are the most that it is thought to take.
constexpr double most_a_channel_us = 2;

/// Constants from other machines are as good as guesses.
void stretch(nccl::Software& software, double factor) {
  for (nccl::PerProtocol* values :
       {&software.ring_launch, &software.tree_launch, &software.ring_step, &software.tree_step,
        &software.ring_hop, &software.tree_hop, &software.proxy})
    for (double& us : *values) us *= factor;
  if (factor > 1) software.channel.fill(most_a_channel_us);
}

/// NCCL's published constants times `factor`, and in their place what the platform says of them.
nccl::Software software_of(const Blueprint& b, int minor, const Situation& s, double factor) {
  nccl::Software software = nccl::published_software(minor, s);
  stretch(software, factor);
  for (std::size_t p = 0; p < b.nccl.size(); ++p) {
    const Blueprint::NcclCosts& costs = b.nccl[p];
    if (costs.launch) software.ring_launch[p] = software.tree_launch[p] = costs.launch->value;
    if (costs.channel) software.channel[p] = costs.channel->value;
    if (costs.hop) software.ring_hop[p] = costs.hop->value;
    if (costs.proxy) software.proxy[p] = costs.proxy->value;
  }
  return software;
}

bool knows_nccl(const Description& description) {
  return description.json().value("software", Json::object()).contains("nccl");
}

}  // namespace

Library::Library(std::string policy, const Description& description, Rank ranks, const Placement& placement,
                 Memory memory)
    : policy_(std::move(policy)),
      nccl_(nccl::parse(policy_)),
      forecaster_(description, ranks, placement, memory) {
  const Description views[] = {description, optimistic(description), pessimistic(description)};
  const double factor[] = {1, 1 / (1 + uncertainty(Stamp::guess)), 1 + uncertainty(Stamp::guess)};
  for (std::size_t v : {nominal, fast, slow}) {
    View& view = views_[v];
    view.situation = collcast::situation(views[v], seats(forecaster_.machine()), policy_);
    if (!nccl_) continue;
    view.software = software_of(read_blueprint(views[v]), nccl_->minor, view.situation, factor[v]);
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
  const bool own = nccl_ && engine.name == "path" && asked.ranks > 1 &&
                   nccl::has_transport(nccl::choose(*nccl_, collective, asked, situation()).shape);
  Prediction p = own ? by_transport(*choice.algorithm, choice.call)
                     : sends(choice).predict(*choice.algorithm, choice.call, engine);
  const std::string transport = own ? "nccl:" + choice.protocol : "";
  return {std::move(choice), std::move(p), transport};
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

Prediction Library::by_transport(const Algorithm& a, const Call& call) const {
  check(a, call);
  const nccl::Candidate chosen = nccl::choose(*nccl_, a.collective, call, situation());
  const auto play = [&](const View& v) {
    return nccl::play(*nccl_, a.collective, call, v.situation, chosen, v.software);
  };
  const nccl::Play played = play(views_[nominal]);
  return not_below_bound({&a,
                          call,
                          played.time,
                          std::min(play(views_[fast]).time, played.time) / (1 + transport_uncertainty),
                          std::max(play(views_[slow]).time, played.time) * (1 + transport_uncertainty),
                          forecaster_.lower_bound(a, call, Bounds::Of::bandwidth),
                          played.limited_by,
                          {},
                          calibrated_ && forecaster_.calibrated()});
}

}  // namespace collcast

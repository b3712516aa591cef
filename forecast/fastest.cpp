// SPDX-License-Identifier: Apache-2.0
#include "forecast/fastest.hpp"

#include <algorithm>

#include "forecast/played_parameters.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

std::string on(Rank ranks) {
  return " on " + std::to_string(ranks) + " ranks";
}

/// Whether only a sample of its messages was played.
bool by_sample(const Prediction& p) {
  return p.engine == "path" && !p.note.empty();
}

/// The other algorithms whose critical path takes less than `best`, in that order.
std::vector<std::pair<Seconds, Choice>> rivals(const Fabric& fabric,
                                               const std::vector<const Algorithm*>& among, const Call& call,
                                               const Stated& stated, const Prediction& best) {
  std::vector<std::pair<Seconds, Choice>> able;
  for (const Algorithm* a : among) {
    if (a == best.algorithm || !a->supports(call.ranks)) continue;
    const Call c = with_parameters(fabric, *a, call, stated, best.time);
    if (const Seconds path = path_time(fabric, *a, c, best.time); path < best.time)
      able.push_back({path, {a, c}});
  }
  std::ranges::stable_sort(able, {}, &std::pair<Seconds, Choice>::first);
  return able;
}

}  // namespace

std::vector<const Algorithm*> considered(const Forecaster& forecaster, Collective collective, Rank ranks,
                                         Bytes message) {
  std::vector<const Algorithm*> all = algorithms(collective);
  std::erase_if(all, [&](const Algorithm* a) {
    return !a->supports(ranks) || !forecaster.lacks(*a).empty() ||
           !forecaster.why_avoided(*a, message).empty();
  });
  return all;
}

Choice fastest_by_path(const Fabric& fabric, const std::vector<const Algorithm*>& among, const Call& call,
                       const Stated& stated, const Progress& progress) {
  const Choice first = fastest(fabric, among, call, stated, [&](const Algorithm& a) {
    progress("looking for the fastest" + on(call.ranks) + ": " + a.name);
  });
  if (first.algorithm) return first;
  throw InputError("no algorithm of the catalogue serves " +
                   std::string(among.empty() ? "it" : definition(among[0]->collective).name) +
                   on(call.ranks));
}

Prediction predict_at_best(const Forecaster& forecaster, const Algorithm& a, const Call& call,
                           const Stated& stated, const Engine& engine) {
  check(a, call);
  const Call c = with_parameters(forecaster.fabric(), a, call, stated);
  return forecaster.predict(a, in_played_parameters(forecaster.fabric(), a, c, stated, engine), engine);
}

Prediction predict_fastest(const Forecaster& forecaster, const std::vector<const Algorithm*>& among,
                           const Call& call, const Stated& stated, const Engine& engine,
                           const Progress& progress, std::vector<std::string>* sampled) {
  const Fabric& fabric = forecaster.fabric();
  const Choice first = fastest_by_path(fabric, among, call, stated, progress);
  const auto predict = [&](const Choice& choice) {
    const Algorithm& a = *choice.algorithm;
    Prediction p =
        forecaster.predict(a, in_played_parameters(fabric, a, choice.call, stated, engine), engine);
    if (sampled && by_sample(p)) sampled->push_back(a.name);
    return p;
  };
  Prediction best = predict(first);
  if (engine.quick || (best.engine == "path" && !by_sample(best))) return best;
  for (const auto& [path, choice] : rivals(fabric, among, call, stated, best)) {
    if (!(path < best.time)) break;
    progress("playing " + choice.algorithm->name + on(call.ranks));
    if (Prediction p = predict(choice); p.time < best.time) best = std::move(p);
  }
  return best;
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "forecast/answer.hpp"
#include "forecast/forecast_cache.hpp"
#include "forecast/inquiry.hpp"
#include "forecast/sensitivity.hpp"
#include "forecast/unbound.hpp"
#include "forecast/without_bounds.hpp"
#include "libraries/nccl/transport.hpp"
#include "platforms/description/load.hpp"
#include "platforms/description/set.hpp"
#include "platforms/machine/placement.hpp"
#include "support/interrupt.hpp"
#include "support/notes.hpp"

namespace collcast {
namespace {

/// A function that returns the times of these questions on a platform, row by row. It throws Interrupted.
TimesOn times_of(std::vector<Question> questions, const Watch& watch) {
  return [questions = std::move(questions), &watch](const Description& platform) {
    std::vector<Seconds> times;
    ForecastCache cache;
    for (const Question& q : questions)
      for (const Answer::Row& r : inquire(q, watch, cache, platform).rows) times.push_back(r.prediction.time);
    const InterruptedBy user(watch.interrupt);
    end_if_interrupted();  // some times may be missing
    return times;
  };
}

/// The same, with progress shown as a number of forecasts.
TimesOn counted(TimesOn times, const Watch& watch, const std::string& what) {
  return [times = std::move(times), &watch, what, asked = 0](const Description& platform) mutable {
    watch.progress(what + ": forecast " + std::to_string(++asked));
    return times(platform);
  };
}

/// The question of one row alone, with the row's algorithm, so that the fastest is not searched again.
Question part_of(const Question& q, const Answer::Row& row) {
  Question part = q;
  const Algorithm& a = *row.prediction.algorithm;
  const Call& call = row.prediction.call;
  part.collectives = {std::string(definition(a.collective).name)};
  part.ranks = {call.ranks};
  if (!q.sizes.empty()) part.sizes = {call.message};
  if (q.own) return part;
  if (q.policy != "fastest" && q.algorithm != "all") return part;
  part.algorithm = row.picked.value_or(false) ? "auto" : a.name;
  if (!row.protocol.empty()) part.transport = parse_transport(row.prediction.transport);
  if (q.policy != "fastest") return part;
  if (a.radix) part.call.radix = std::to_string(call.radix);
  if (a.channels) part.call.channels = std::to_string(call.channels);
  if (a.segmented && q.call.counts.empty())
    part.call.segment = std::to_string(std::llround(std::ceil(call.message.value / double(call.segments))));
  return part;
}

/// Adds the overrides that move the answer on none of the platforms.
void add_unbound(Answer& answer, const Question& q, const Watch& watch) {
  const auto slowest =
      std::ranges::max_element(answer.rows, {}, [](const Answer::Row& r) { return r.prediction.time.value; });
  if (q.set.empty() || slowest == answer.rows.end()) return;
  Question part = part_of(q, *slowest);
  if (!engine(q.engine).quick) part.engine = "path";
  const Watch quiet{.interrupt = watch.interrupt};
  const TimesOn asked = counted(times_of({q}, quiet), watch, "what --set moves"),
                quick = counted(times_of({part}, quiet), watch, "what binds instead");
  for (std::size_t p = 0; p < q.platforms.size(); ++p) {
    std::vector<Seconds> now;
    Rank nodes = 0;
    for (const Answer::Row& r : answer.rows)
      if (r.which == p) now.push_back(r.prediction.time), nodes = std::max(nodes, r.occupancy.nodes);
    if (parse_placement(q.placement).order == Placement::listed) nodes = 0;
    std::vector<Unbound> here = unbound(load_platform(q.platforms[p]), q.set, now, asked, quick,
                                        slowest->prediction.limited_by, nodes);
    if (p > 0)
      std::erase_if(answer.unbound, [&](const Unbound& u) {
        return std::ranges::find(here, u.parameter, &Unbound::parameter) == here.end();
      });
    else
      answer.unbound = std::move(here);
  }
}

void add_sensitivity(Answer& answer, const Question& q, const Watch& watch) {
  Description platform = load_platform(q.platforms.at(0));
  set_all(platform, q.set);
  std::vector<Question> parts;
  for (const Answer::Row& row : answer.rows) {
    parts.push_back(part_of(q, row));
    if (q.engine == "auto") parts.back().engine = row.engine;
  }
  // A step of 1 % moves no time below its bound if all are further above it.
  const bool free = std::ranges::all_of(answer.rows, [](const Answer::Row& row) {
    return row.prediction.time > 1.1 * row.prediction.bound.time;
  });
  std::optional<WithoutBounds> quicker;
  if (free) quicker.emplace();
  const Watch quiet{.interrupt = watch.interrupt};
  auto found = sensitivity(platform, counted(times_of(std::move(parts), quiet), watch, "sensitivity"));
  answer.sensitivity = std::move(found.back());
  found.resize(std::min(found.size() - 1, answer.rows.size()));
  for (std::size_t row = 0; row < found.size(); ++row) {
    Answer::Row& r = answer.rows[row];
    r.sensitivity = std::move(found[row]);
    if (r.prediction.limited_by == nccl::node_links &&
        std::ranges::none_of(r.sensitivity, [](const Elasticity& e) {
          return e.parameter.find("bandwidth") != std::string::npos;
        }))
      add_once(answer.notes,
               "NCCL takes the speed of links in the node in steps: 1 % more or less crosses none");
  }
}

}  // namespace

Answer ask(const Question& question, ForecastCache& cache, const Watch& watch) {
  Answer answer = inquire(question, watch, cache);
  for (Answer::Row& row : answer.rows) {
    Prediction& p = row.prediction;
    if (!question.explain)
      p.explanation.clear();
    else if (p.explanation.empty() && p.time.value > 0)
      answer.notes.push_back(p.algorithm->name + " on " + std::to_string(p.call.ranks) +
                             " ranks sends too many messages for an explanation");
  }
  return answer;
}

Answer ask(const Question& question, const Watch& watch) {
  ForecastCache cache;
  Answer answer = ask(question, cache, watch);
  try {
    add_unbound(answer, question, watch);
    if (question.sensitivity) add_sensitivity(answer, question, watch);
  } catch (const Interrupted&) {
    answer.unbound.clear();  // they would be of some platforms only
    add_once(answer.notes, not_computed);
  }
  return answer;
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "workloads/playing/plan.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <span>

#include "forecast/sweep/workers.hpp"
#include "platforms/machine/machine.hpp"
#include "replay/application/replay.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/notes.hpp"
#include "support/text.hpp"
#include "workloads/compute/processor.hpp"
#include "workloads/playing/job_source.hpp"
#include "workloads/playing/playing.hpp"
#include "workloads/playing/replay_text.hpp"
#include "workloads/playing/rows.hpp"
#include "workloads/settings.hpp"

namespace collcast::workloads {
namespace {

/// The forecast of a trace or a job; a rank's memory is not known.
template <class Forecast>
Json repeated(double times, const Forecast& one, const std::vector<std::string>& notes) {
  return {{"time_s", times * one.time.value},
          {"low_s", times * one.low.value},
          {"high_s", times * one.high.value},
          {"efficiency", one.time > Seconds() ? one.compute / one.time : 1.0},
          {"memory_B", 0.0},
          {"holds_B", 0.0},
          {"limited_by", one.limited_by},
          {"notes", notes}};
}

ReplayText replay_of(const PlannedJob& job, Rank ranks) {
  ReplayText text;
  text.files = {job.trace}, text.ranks = std::to_string(ranks);
  text.policy = job.policy;
  return text;
}

Json of_trace(const PlannedJob& job, const Description& platform, Rank ranks) {
  const double runs = above_zero(job.runs, "number of runs");
  const ReplayText text = replay_of(job, ranks);
  const Trace trace = open_replayed(text);
  const ReplayReport report = replay(trace.source(), platform, replay_options(text));
  return repeated(runs, report, report.notes);
}

Json of_job(const PlannedJob& job, const Description& platform, Rank ranks) {
  const double runs = above_zero(job.runs, "number of runs");
  Playing playing(platform, {job.policy});
  const JobForecast forecast = playing.forecast(JobSource(job.job, platform).on(ranks));
  return repeated(runs, forecast, playing.notes());
}

Json of_training(const PlannedJob& job, const Description& platform, Rank ranks) {
  Training t = described(job, platform);
  t.ranks = ranks;
  require_room(platform, ranks);
  Playing playing(platform, {job.policy});
  const StepForecast step = playing.forecast(t);
  std::vector<std::string> notes = playing.notes();
  std::ranges::move(cautions(t, step), std::back_inserter(notes));
  const double steps = std::ceil(above_zero(job.samples, "number of samples") / step.samples);
  return {{"nodes", (ranks + t.ranks_per_node - 1) / t.ranks_per_node},
          {"time_s", steps * step.time.value},
          {"low_s", steps * step.low.value},
          {"high_s", steps * step.high.value},
          {"efficiency", step.efficiency},
          {"memory_B", step.memory.sum().value},
          {"holds_B", t.processor.memory.value},
          {"limited_by", step.limited_by},
          {"notes", notes}};
}

/// The whole job, or why there is no forecast of it.
Json forecast_of(const PlannedJob& job, const Description& platform, Rank ranks) {
  try {
    if (job.trace.empty() && job.job.empty()) return of_training(job, platform, ranks);
    require_room(platform, ranks);
    Json f = job.job.empty() ? of_trace(job, platform, ranks) : of_job(job, platform, ranks);
    const int per_node = ranks_per_node(platform);
    f["nodes"] = (ranks + per_node - 1) / per_node;
    return f;
  } catch (const InputError& e) {
    return {{"refused", e.what()}};
  }
}

/// The time of one run or step with parameters set, without its interval; none if there is no forecast.
std::optional<Seconds> time_of_one(const PlannedJob& job, Description platform,
                                   std::span<const std::string> set, Rank ranks) try {
  set_all(platform, {set.begin(), set.end()});
  if (!job.trace.empty()) {
    const ReplayText text = replay_of(job, ranks);
    const Trace trace = open_replayed(text);
    return replay_time(trace.source(), platform, replay_options(text));
  }
  Playing playing(platform, {job.policy});
  if (!job.job.empty()) return playing.time(JobSource(job.job, platform).on(ranks));
  Training t = described(job, platform);
  t.ranks = ranks;
  return playing.time(t);
} catch (const InputError&) {
  return {};
}

std::optional<double> value(const Description& platform, const std::string& path) {
  const std::vector<Parameter> all = platform.parameters();
  const auto found = std::ranges::find(all, path, &Parameter::path);
  if (found == all.end()) return {};
  return found->value;
}

plan::Candidate candidate(const PlannedPlatform& on, Rank ranks, const Json& f) {
  plan::Candidate c{.platform = on.name, .ranks = ranks};
  c.price_USD = value(on.platform, price_key);
  c.power_W = value(on.platform, power_key);
  if (f.contains("refused")) {
    c.refused = f["refused"];
    return c;
  }
  c.nodes = f["nodes"];
  c.time = Seconds(f["time_s"].get<double>()), c.low = Seconds(f["low_s"].get<double>());
  c.high = Seconds(f["high_s"].get<double>());
  c.efficiency = f["efficiency"];
  c.memory = Bytes(f["memory_B"].get<double>()), c.capacity = Bytes(f["holds_B"].get<double>());
  c.limited_by = f["limited_by"];
  return c;
}

/// The processes that forecast. For a trace it is one, as SimGrid's clock, and with it its rounding, goes on
/// from replay to replay.
sweep::HandOut workers(const PlannedJob& job) {
  return sweep::processes(job.trace.empty() ? sweep::processors() : 1);
}

/// The answers of `ask` for 0 to `count` - 1, computed by workers.
template <class Ask>
std::vector<Json> answers(std::size_t count, const sweep::HandOut& workers, const std::string& what,
                          const PlanProgress& progress, const Ask& ask) {
  using sweep::Outcome;
  const auto answer = [&](std::int64_t i) {
    try {
      return Outcome{Outcome::Kind::answered, dump(ask(static_cast<std::size_t>(i)))};
    } catch (const std::exception& e) {
      return Outcome{Outcome::Kind::lost, words_of(e)};
    }
  };
  const auto heard = [&](std::int64_t finished, const Outcome& o) {
    if (o.kind != Outcome::Kind::answered) throw SubstrateError(what + ": " + o.text);
    progress(what, finished, static_cast<std::int64_t>(count));
  };
  std::vector<Json> all;
  for (const Outcome& o : sweep::outcomes(static_cast<std::int64_t>(count), workers, answer, heard))
    all.push_back(parse_json(o.text));
  return all;
}

/// The assignment for --set that improves the parameter by a tenth: more of a bandwidth, a rate or a memory,
/// less of a latency or an overhead. Nothing for other parameters.
std::optional<std::string> improved(const Parameter& p) {
  if (p.path == price_key || p.path == power_key || p.value <= 0) return {};
  if (p.unit == "GBps" || p.unit == "TFLOPS" || p.unit == "GHz" || p.unit == "GiB")
    return p.path + '=' + text::exact(p.value * 1.1);
  if (p.unit == "us") return p.path + '=' + text::exact(p.value * 0.9);
  return {};
}

}  // namespace

std::vector<plan::Candidate> candidates(const std::vector<PlannedCase>& cases,
                                        const std::vector<PlannedPlatform>& platforms,
                                        const PlanProgress& progress, std::vector<std::string>& notes) {
  const auto forecast = [&](std::size_t i) -> Json {
    const PlannedCase& c = cases[i];
    if (!c.refused.empty()) return {{"refused", c.refused}};
    return forecast_of(c.job, platforms[c.platform].platform, c.ranks);
  };
  const std::vector<Json> forecasts =
      answers(cases.size(), workers(cases[0].job), "forecasts", progress, forecast);
  std::vector<plan::Candidate> all;
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    all.push_back(candidate(platforms[cases[i].platform], cases[i].ranks, forecasts[i]));
    all.back().layout = cases[i].layout;
    for (const Json& words : forecasts[i].value("notes", Json::array())) add_once(notes, words);
  }
  return all;
}

std::vector<double> times(const std::vector<PlannedCase>& cases,
                          const std::vector<PlannedPlatform>& platforms, const PlanProgress& progress) {
  // consecutive cases share platform, policy and collectives
  std::unique_ptr<Playing> last;
  const Description* on = nullptr;
  std::string policy;
  const auto time = [&](std::size_t i) -> Json {
    const PlannedCase& c = cases[i];
    try {
      const Description& platform = platforms[c.platform].platform;
      Training t = described(c.job, platform);
      t.ranks = c.ranks;
      if (!last || on != &platform || policy != c.job.policy)
        last = std::make_unique<Playing>(platform, HowPlayed{c.job.policy});
      on = &platform, policy = c.job.policy;
      const double steps = std::ceil(above_zero(c.job.samples, "number of samples") / global_batch(t));
      return steps * last->time(t).value;
    } catch (const InputError&) {
      return {};  // the forecast will say why
    }
  };
  std::vector<double> all;
  for (const Json& one : answers(cases.size(), workers(cases[0].job), "layouts", progress, time))
    all.push_back(one.is_null() ? HUGE_VAL : one.get<double>());
  return all;
}

std::vector<Saving> savings(const PlannedJob& job, const Description& platform, Rank ranks,
                            const PlanProgress& progress) {
  constexpr double next_to_nothing = 5e-4;
  using Parts = std::span<const std::string>;
  std::vector<std::string> parts;
  for (const Parameter& p : platform.parameters())
    if (const auto assignment = improved(p)) parts.push_back(*assignment);
  const Seconds now = *time_of_one(job, platform, {}, ranks);
  std::vector<Saving> all;
  // Parameters that together change nothing are not asked for one by one. Savings and losses (a library may
  // then choose otherwise) would have to cancel out exactly.
  for (std::vector<Parts> open{parts}; !open.empty();) {
    const std::vector<Json> times =
        answers(open.size(), workers(job), "a tenth more", progress, [&](std::size_t i) {
          const auto time = time_of_one(job, platform, open[i], ranks);
          return time ? Json(time->value) : Json();  // none: the value is beyond what is allowed
        });
    std::vector<Parts> next;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const Parts group = open[i];
      const double saved = times[i].is_null() ? 1 : 1 - times[i].get<double>() / now.value;
      if (std::abs(saved) <= 1e-12 || group.empty()) continue;
      if (const std::size_t half = group.size() / 2; half > 0)
        next.push_back(group.first(half)), next.push_back(group.subspan(half));
      else if (!times[i].is_null() && saved > next_to_nothing)
        all.push_back({group[0].substr(0, group[0].find('=')), saved});
    }
    open = std::move(next);
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &Saving::share);
  return all;
}

}  // namespace collcast::workloads

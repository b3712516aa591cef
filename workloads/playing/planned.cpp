// SPDX-License-Identifier: Apache-2.0
#include "workloads/playing/planned.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "forecast/report/what_if.hpp"
#include "forecast/sweep/space.hpp"
#include "model/alternatives.hpp"
#include "model/ranges.hpp"
#include "platforms/description/load.hpp"
#include "platforms/description/plausible.hpp"
#include "replay/formats/formats.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/notes.hpp"
#include "support/text.hpp"
#include "workloads/compute/processor.hpp"
#include "workloads/playing/candidates_shown.hpp"
#include "workloads/playing/layout_search.hpp"
#include "workloads/playing/plan_choices.hpp"
#include "workloads/playing/shown.hpp"
#include "workloads/settings.hpp"

namespace collcast::workloads {
namespace {

std::vector<std::string> chosen_from(const PlannedJob& job, const PlanChoice& of) {
  const std::string& text = job.*of.text;
  if (of.counts) return listed_counts(text);
  std::vector<std::string> all;
  for (const std::string& name : listed(text)) std::ranges::copy(spelled_out(name), std::back_inserter(all));
  return all;
}

/// Adds a note if one measured throughput is used for candidates that differ.
void tell_planned_throughput(report::Report& report, const PlanText& options, std::size_t platforms,
                             std::size_t ranks) {
  std::vector<std::string> differ;
  if (platforms > 1) differ.emplace_back("platform");
  for (const PlanChoice& of : plan_choices)
    if (std::string_view(of.key) != "framework" && std::string_view(of.key) != "policy" &&
        chosen_from(options, of).size() > 1)
      differ.emplace_back(of.title);
  if (!options.global_batch.empty() && ranks > 1) differ.emplace_back("batch");
  tell_throughput(report, options.throughput, differ);
}

std::optional<double> limit(const std::string& text, const std::string& what) {
  if (text.empty()) return {};
  return above_zero(text, what);
}

/// Reads "90s", "2h", "3d", or seconds.
std::optional<double> duration(const std::string& text) {
  using Unit = std::pair<std::string_view, double>;
  if (text.empty()) return {};
  const std::size_t digits = std::min(text.find_last_of("0123456789."), text.size() - 1) + 1;
  const std::string number = text.substr(0, digits), unit = text.substr(digits);
  for (const auto& [name, seconds] :
       {Unit{"", 1}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}})
    if (unit == name) try {
        return seconds * above_zero(number, "time limit");
      } catch (const InputError&) {
        break;
      }
  throw InputError("time limit '" + text +
                   "' is not a time above 0, from 1e-9 to 1e18 of a unit, as 90s, 30m, 2h, 3d or 5ms");
}

plan::Limits limits_of(const PlanText& options) {
  const plan::Limits limits{duration(options.time), limit(options.efficiency, "efficiency"),
                            limit(options.cost, "cost"), limit(options.power_limit, "power")};
  if (limits.efficiency && *limits.efficiency > 1)
    throw InputError("efficiency is a share from 0 to 1, as in 0.8, not " + options.efficiency);
  return limits;
}

/// Sets a platform's price or power from "dgx-a100=32.77", or with the platform as the user wrote it,
/// "./mine.json=32.77".
void set_for(Description& platform, const std::string& asked, const std::vector<std::string>& given,
             const std::string& path, const std::string& option) {
  bool has = false;
  for (const std::string& text : given) {
    const auto equals = text.rfind('=');
    if (equals == std::string::npos)
      throw InputError(option + " '" + text + "' is not PLATFORM=NUMBER, as in dgx-a100=32.77");
    const std::string name = text.substr(0, equals);
    if (name != asked && name != platform.name()) continue;
    if (std::exchange(has, true))
      throw InputError(option + " '" + text + "' is a second one for " + asked +
                       "; expected one for each platform");
    above_zero(text.substr(equals + 1), option + " of " + name);
    set(platform, path + text.substr(equals));
  }
}

std::vector<PlannedPlatform> platforms_of(const PlanText& options, std::vector<std::string>& notes) {
  std::vector<PlannedPlatform> all;
  const std::vector<sweep::SetCase> cases = sweep::set_cases(options.set);
  for (const std::string& asked : options.platforms)
    for (const sweep::SetCase& c : cases) {
      Description d = load_platform(asked);
      set_all(d, c.set);
      for (const std::string& words : implausible(d)) add_once(notes, words);
      set_for(d, asked, options.price, price_key, "--price");
      set_for(d, asked, options.power, power_key, "--power");
      std::string name = asked;
      for (const std::string& assignment : c.chosen) name += ',' + assignment;
      all.push_back({name, std::move(d)});
    }
  return all;
}

/// Throws InputError if a price or power is of a platform that is not in the plan.
void require_known(const PlanText& options, const std::vector<PlannedPlatform>& platforms) {
  std::vector<std::string> names;
  for (const PlannedPlatform& p : platforms) names.push_back(p.platform.name());
  names.insert(names.end(), options.platforms.begin(), options.platforms.end());
  for (const auto* given : {&options.price, &options.power})
    for (const std::string& text : *given)
      if (std::ranges::find(names, text.substr(0, text.rfind('='))) == names.end())
        throw InputError("'" + text + "' names a platform that is not in the plan, which has " +
                         text::join(options.platforms));
}

/// ", time up to 2.00 h, efficiency from 0.8": the limits.
std::string within(const PlanText& o) {
  std::string words;
  if (!o.time.empty()) words += ", time up to " + in_hours(*duration(o.time));
  if (!o.cost.empty()) words += ", cost up to " + o.cost + " USD";
  if (!o.power_limit.empty()) words += ", power up to " + o.power_limit + " W";
  if (!o.efficiency.empty()) words += ", efficiency from " + o.efficiency;
  return words;
}

/// What the plan is for: the job and its amount.
std::string subject(const PlanText& options) {
  for (const auto& [text, what] : {std::pair{options.model, "model"}, {options.job, "job"}})
    if (listed(text).size() > 1 || (!text.empty() && spelled_out(text).size() > 1))
      throw InputError("a plan is of a single " + std::string(what) + ", not of a list: " + text);
  const int subjects = !options.model.empty() + !options.trace.empty() + !options.job.empty();
  if (subjects != 1) throw InputError("plan takes exactly one of a model, a trace and a job");
  if (options.model.empty()) {
    const TrainingText unsaid;
    for (const TrainingSetting& s : training_settings())
      if (options.*s.text != unsaid.*s.text) throw InputError(std::string(s.key) + " goes with a model");
    if (!options.samples.empty()) throw InputError("samples go with a model");
    return options.trace + options.job +
           (options.runs == "1" ? std::string() : ", " + options.runs + " times");
  }
  if (options.runs != "1") throw InputError("runs are of a trace or a job: a model trains on samples");
  if (options.samples.empty())
    throw InputError("samples are required: how many the job trains on in all (--samples)");
  return options.model + ", " + options.framework + ", " + options.samples + " samples";
}

/// How many times as long a single processor takes at the slow end of its uncertainty. 1 for a measured
/// throughput.
double slower_alone(const PlannedJob& job, const Description& platform) try {
  const Training t = described(job, platform);
  return t.throughput ? 1 : 1 + t.processor.efficiency.uncertainty;
} catch (const InputError&) {
  return 1;  // there is no forecast either
}

/// The job with each combination of its choices.
std::vector<PlannedJob> combinations(const PlannedJob& job) {
  std::vector<PlannedJob> all{job};
  for (const PlanChoice& choice : plan_choices) {
    if ((job.*choice.text).empty()) continue;
    std::vector<PlannedJob> more;
    for (const PlannedJob& one : all)
      for (const std::string& value : chosen_from(job, choice)) {
        more.push_back(one);
        more.back().*choice.text = value;
      }
    all = std::move(more);
  }
  return all;
}

/// The candidates of all combinations.
std::vector<plan::Candidate> all_candidates(const PlanText& options,
                                            const std::vector<PlannedPlatform>& platforms,
                                            const std::vector<Rank>& ranks, const PlanProgress& progress,
                                            std::vector<std::string>& notes) {
  std::vector<PlannedCase> cases;
  for (const PlannedJob& job : combinations(options)) {
    Training checked;
    for (const TrainingSetting& s : training_settings())
      if (!options.model.empty() && !(job.*s.text).empty()) s.put(checked, job.*s.text);
    for (std::size_t p = 0; p < platforms.size(); ++p)
      for (const Rank n : ranks) cases.push_back({job, p, n});
  }
  if (options.layouts) cases = with_layouts(cases, options, platforms, progress, notes);
  std::vector<plan::Candidate> all = candidates(cases, platforms, progress, notes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const PlannedJob& job = cases[i].job;
    if (!options.model.empty())
      all[i].slower_alone = slower_alone(job, platforms[cases[i].platform].platform);
    for (const PlanChoice& choice : plan_choices)
      if (chosen_from(options, choice).size() > 1) all[i].*choice.chosen = job.*choice.text;
    if (options.layouts) all[i].framework = job.framework;
  }
  return all;
}

/// What the best candidate would gain if each of its parts were better by a tenth.
report::Section a_tenth_more(const PlanText& options, const std::vector<PlannedPlatform>& platforms,
                             const plan::Candidate& best, const PlanProgress& progress) {
  const auto chosen = std::ranges::find(platforms, best.platform, &PlannedPlatform::name);
  PlannedJob job = options;
  for (const PlanChoice& choice : plan_choices)
    if (!(best.*choice.chosen).empty()) job.*choice.text = best.*choice.chosen;
  Json rows = Json::array();
  for (const Saving& s : savings(job, chosen->platform, best.ranks, progress))
    rows.push_back({{"parameter", s.parameter}, {"saved", s.share}});
  return {"a_tenth_more",
          std::move(rows),
          {report::text_of("improved by a tenth", "parameter"),
           report::number_of("time saved", "saved", text::percent)}};
}

/// Throws InputError if choices are missing or do not go together.
void check_choices(const PlanText& options) {
  if (options.platforms.empty()) throw InputError("platforms are required: the machines to choose from");
  if (!options.layouts && !options.most_tensor.empty())
    throw InputError("--max-tp goes with --layouts, which tries tensor parallelism");
  if (options.layouts && options.model.empty())
    throw InputError("layouts are of a model, not of a trace or job");
}

/// The numbers of ranks to choose from; of a trace its own, unless others are given.
std::vector<Rank> ranks_of(const PlanText& options) {
  std::vector<Rank> ranks = parse_rank_counts(options.ranks);
  if (ranks.empty() && options.trace.empty())
    throw InputError("ranks are required: the numbers to choose from");
  if (ranks.empty()) ranks = {open_source({options.trace})->ranks()};
  return ranks;
}

/// The cost if all candidates have a price, else the time.
plan::Aim usual_aim(const std::vector<plan::Candidate>& all) {
  const auto priced = [](const plan::Candidate& c) { return c.price_USD.has_value(); };
  return std::ranges::all_of(all, priced) ? plan::Aim::cost : plan::Aim::time;
}

/// Throws InputError if no candidate has a forecast, all for the same reason.
void refuse_if_none_can_be(const std::vector<plan::Judged>& all) {
  const std::string& why = all[0].candidate.refused;
  const auto same = [&](const plan::Judged& j) { return j.candidate.refused == why; };
  if (!why.empty() && std::ranges::all_of(all, same)) throw InputError(why);
}

Json head_of(const PlanText& options, plan::Aim aim) {
  Json head;
  if (options.model.empty())
    head = {{options.job.empty() ? "trace" : "job", options.trace + options.job},
            {"runs", above_zero(options.runs, "number of runs")}};
  else
    head = {{"model", options.model}, {"samples", above_zero(options.samples, "number of samples")}};
  head["aim"] = plan::name(aim);
  return head;
}

/// Adds notes on overrides that change no row, but on those that candidates differ in: rows show these.
void tell_settings_without_effect(report::Report& report, const std::vector<std::string>& set,
                                  const report::RowsWith& rows_with) {
  std::vector<std::string> choices, settled;
  for (const std::string& assignment : set)
    (sweep::set_cases({assignment}).size() > 1 ? choices : settled).push_back(assignment);
  report::tell_without_effect(report, settled, [&](std::vector<std::string> others) {
    std::ranges::copy(choices, std::back_inserter(others));
    return rows_with(others);
  });
}

/// What to do if no candidate stays within the limits.
void tell_none(report::Report& report, const plan::Judged& closest, bool layouts) {
  report.remark = "No candidate stays within the limits.";
  if (!closest.candidate.refused.empty()) return;
  const plan::Margin& worst = closest.margins[0];
  if (worst.limit == "memory" && !layouts)
    report.notes.emplace_back("--layouts tries other kinds of parallelism, and recomputation");
  report.remark += " The first row comes closest: " + used_in_words(worst) + " of what it may use.";
}

}  // namespace

Planned planned(const PlanText& options, const PlanProgress& progress) {
  const std::string of = subject(options);
  check_choices(options);
  report::Report report;
  const std::vector<PlannedPlatform> platforms = platforms_of(options, report.notes);
  const std::vector<Rank> ranks = ranks_of(options);
  require_known(options, platforms);
  const plan::Limits limits = limits_of(options);
  std::optional<plan::Aim> given;
  if (!options.aim.empty()) given = plan::parse_aim(options.aim);
  const std::vector<plan::Candidate> able = all_candidates(options, platforms, ranks, progress, report.notes);
  const plan::Aim aim = given.value_or(usual_aim(able));
  const std::vector<plan::Judged> all = plan::judge(able, limits, aim);
  refuse_if_none_can_be(all);
  report.head = head_of(options, aim);
  tell_planned_throughput(report, options, platforms.size(), ranks.size());
  report.title = of + ": least " + std::string(plan::name(aim)) + within(options);
  report.sections.push_back({"candidates", candidate_rows(all), candidate_columns(all, aim)});
  tell_settings_without_effect(report, options.set, [&](const std::vector<std::string>& set) {
    PlanText other = options;
    other.set = set;
    std::vector<std::string> said;
    const std::vector<PlannedPlatform> on = platforms_of(other, said);
    return candidate_rows(plan::judge(all_candidates(other, on, ranks, progress, said), limits, aim));
  });
  if (all[0].feasible) {
    report.sections.push_back(a_tenth_more(options, platforms, all[0].candidate, progress));
    report.head["safe"] = all[0].safe;
    report.remark = best_in_words(all, aim);
  } else {
    tell_none(report, all[0], options.layouts);
  }
  return {std::move(report), all, limits};
}

}  // namespace collcast::workloads

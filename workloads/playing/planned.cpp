// SPDX-License-Identifier: Apache-2.0
#include "workloads/playing/planned.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>
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
#include "support/numbers.hpp"
#include "support/text.hpp"
#include "workloads/compute/processor.hpp"
#include "workloads/playing/shown.hpp"
#include "workloads/settings.hpp"
#include "workloads/training/layouts.hpp"

namespace collcast::workloads {
namespace {

/// A choice of a plan for a training job, besides platform and ranks.
struct PlanChoice {
  const char *key, *title;
  bool counts;
  std::string TrainingText::*text;
  std::string plan::Candidate::*chosen;
};
constexpr PlanChoice plan_choices[] = {
    {"framework", "framework", false, &TrainingText::framework, &plan::Candidate::framework},
    {"batch", "batch", true, &TrainingText::batch, &plan::Candidate::batch},
    {"global_batch", "global batch", true, &TrainingText::global_batch, &plan::Candidate::global_batch},
    {"precision", "precision", false, &TrainingText::precision, &plan::Candidate::precision},
    {"policy", "policy", false, &TrainingText::policy, &plan::Candidate::policy}};

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

Json or_null(const std::optional<double>& x) {
  return x ? Json(*x) : Json();
}

std::string verdict(const std::vector<plan::Judged>& all, std::size_t i) {
  const plan::Judged& j = all[i];
  if (!j.candidate.refused.empty()) return j.candidate.refused;
  if (!j.feasible)
    return "too much " +
           std::string(j.margins[0].limit == "efficiency" ? "loss of efficiency" : j.margins[0].limit);
  const std::string place = i == 0 ? "best" : i == 1 ? "next" : "feasible";
  return place + (j.safe ? "" : ", not safe");
}

Json judged_row(const std::vector<plan::Judged>& all, std::size_t i) {
  const plan::Judged& j = all[i];
  const plan::Candidate& c = j.candidate;
  Json margins = Json::object();
  for (const plan::Margin& m : j.margins)
    margins[std::string(m.limit)] = {{"used", m.used}, {"used_at_worst", m.used_at_worst}};
  const bool known = c.refused.empty();
  const auto known_number = [known](double x, bool said = true) { return known && said ? Json(x) : Json(); };
  Json row{{"platform", c.platform}};
  for (const PlanChoice& choice : plan_choices)
    if (const std::string& chosen = c.*choice.chosen; !chosen.empty()) row[choice.key] = chosen;
  if (!c.layout.empty()) row["layout"] = c.layout;
  row.update({{"ranks", c.ranks},
              {"nodes", known ? Json(c.nodes) : Json()},
              {"time_s", known_number(c.time.value)},
              {"low_s", known_number(c.low.value)},
              {"high_s", known_number(c.high.value)},
              {"efficiency", known_number(c.efficiency)},
              {"cost_USD", or_null(j.cost_USD)},
              {"power_W", or_null(j.power_W)},
              {"energy_kWh", or_null(j.energy_kWh)},
              {"memory_B", known_number(c.memory.value, c.memory > Bytes())},
              {"feasible", j.feasible},
              {"safe", j.safe},
              {"frontier", plan::on_frontier(all, j)},
              {"margins", margins},
              {"limited_by", c.limited_by},
              {"verdict", verdict(all, i)}});
  return row;
}

Json judged_rows(const std::vector<plan::Judged>& all) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) rows.push_back(judged_row(all, i));
  return rows;
}

std::string hours(double s) {
  return s < 600    ? text::seconds(s)
         : s < 7200 ? text::number(s / 60) + " min"
                    : text::number(s / 3600) + " h";
}

/// How much of a limit is used: "time 1.32 % (slow end: 1.52 %)".
std::string used(const plan::Margin& m) {
  return std::string(m.limit) + ' ' + text::percent(m.used) +
         (m.used_at_worst > m.used ? " (slow end: " + text::percent(m.used_at_worst) + ')' : std::string());
}

/// What tells two candidates apart that are equal by the aim: ", and the first costs less.".
std::string broken_by(const plan::Judged& best, const plan::Judged& next) {
  const auto less = [](double a, double b) { return plan::shown(a) < plan::shown(b); };
  const auto lesser = [&](std::optional<double> plan::Judged::*of) {
    return best.*of && next.*of && less(*(best.*of), *(next.*of));
  };
  if (less(best.candidate.time.value, next.candidate.time.value)) return ", and the first is faster.";
  if (lesser(&plan::Judged::cost_USD)) return ", and the first costs less.";
  if (lesser(&plan::Judged::power_W)) return ", and the first takes less power.";
  return ".";
}

/// The best candidate in words, compared with the second.
std::string in_words(const std::vector<plan::Judged>& all, plan::Aim aim) {
  const plan::Judged& best = all[0];
  const plan::Candidate& c = best.candidate;
  const std::string least =
      aim == plan::Aim::cost ? "Cheapest: " : "Least " + std::string(plan::name(aim)) + ": ";
  std::string words = least + c.name() + ", " + text::count(c.ranks) + " ranks on " + text::count(c.nodes) +
                      (c.nodes == 1 ? " node" : " nodes");
  words += ", limited by " + c.limited_by + ".";
  std::string shares;
  for (const plan::Margin& m : best.margins)
    shares += (shares.empty() ? " Of its limits it uses: " : ", ") + used(m);
  if (!shares.empty()) words += shares + (best.safe ? "." : ": not safe.");
  if (all.size() < 2 || !all[1].feasible) return words + " No other candidate stays within the limits.";
  const plan::Judged& next = all[1];
  const bool tie =
      aim == plan::Aim::nodes ? next.aimed == best.aimed : plan::shown(next.aimed) == plan::shown(best.aimed);
  words += " Next: " + next.candidate.name() + ", " + text::count(next.candidate.ranks) + " ranks, " +
           (tie ? "the same " : text::percent(next.aimed / best.aimed - 1) + " more ") +
           std::string(plan::name(aim));
  if (tie) return words + ": a tie" + broken_by(best, next);
  const bool sure = best.aimed_high < next.aimed_low;
  return words + (sure ? "; their intervals do not overlap."
                       : "; their intervals overlap, so either may be the better one.");
}

/// ", time up to 2.00 h, efficiency from 0.8": the limits.
std::string within(const PlanText& o) {
  std::string words;
  if (!o.time.empty()) words += ", time up to " + hours(*duration(o.time));
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

/// The columns that every candidate has, and those that some candidate fills.
std::vector<report::Column> columns_of(const std::vector<plan::Judged>& all, plan::Aim aim) {
  std::vector<report::Column> columns{report::text_of("platform", "platform")};
  for (const PlanChoice& c : plan_choices)
    if (!(all[0].candidate.*c.chosen).empty()) columns.push_back(report::text_of(c.title, c.key));
  const auto laid_out = [](const plan::Judged& j) { return !j.candidate.layout.empty(); };
  if (std::ranges::any_of(all, laid_out)) columns.push_back(report::text_of("layout", "layout"));
  std::ranges::move(std::vector{report::count_of("ranks", "ranks"), report::count_of("nodes", "nodes"),
                                report::number_of("time", "time_s", hours)},
                    std::back_inserter(columns));
  if (std::ranges::any_of(all, [](const plan::Judged& j) { return j.cost_USD.has_value(); }))
    columns.push_back(
        report::number_of("cost", "cost_USD", [](double x) { return text::number(x) + " USD"; }));
  if (std::ranges::any_of(all, [](const plan::Judged& j) { return j.power_W.has_value(); }))
    columns.push_back(
        report::number_of("power", "power_W", [](double x) { return text::number(x / 1000) + " kW"; }));
  if (aim == plan::Aim::energy)
    columns.push_back(
        report::number_of("energy", "energy_kWh", [](double x) { return text::number(x) + " kWh"; }));
  std::ranges::move(
      std::vector{report::text_of("verdict", "verdict"), report::number_of("low", "low_s", hours),
                  report::number_of("high", "high_s", hours),
                  report::number_of("efficiency", "efficiency", text::percent)},
      std::back_inserter(columns));
  return columns;
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

constexpr std::size_t layouts_shown = 3;

/// "dp=8 tp=4 pp=2", and what few layouts have: "ep=8".
std::string in_words(const Layout& l) {
  std::string words = "dp=" + std::to_string(l.data) + " tp=" + std::to_string(l.tensor) +
                      " pp=" + std::to_string(l.pipeline);
  if (l.context > 1) words += " cp=" + std::to_string(l.context);
  if (l.expert > 1) words += " ep=" + std::to_string(l.expert);
  return words;
}

/// All layouts that fit, and how many were left out.
struct FoundLayouts {
  std::vector<PlannedCase> cases;  ///< if nothing fits, one that does not, or that says why
  int tried = 0, too_large = 0, indivisible = 0;
};

FoundLayouts layouts_of(const PlannedCase& of, const Description& platform, const std::string& most_tensor) {
  FoundLayouts found;
  PlannedCase c = of;
  try {
    Training t = described(c.job, platform);
    t.ranks = c.ranks;
    const int most = most_tensor.empty() ? t.ranks_per_node
                                         : static_cast<int>(parse_count(most_tensor, "--max-tp", 1, 1 << 24));
    const Layouts all = layouts(t, c.job.framework, most);
    found.too_large = all.too_large, found.indivisible = all.indivisible;
    const auto add = [&](const Layout& layout) {
      c.job.framework = layout.framework;
      c.layout = in_words(layout);
      if (layout.samples > 0)
        c.least_time = std::ceil(above_zero(c.job.samples, "number of samples") / layout.samples) *
                       layout.least_step.value;
      found.cases.push_back(c);
    };
    for (const Layout& layout : all.fit) add(layout);
    found.tried = static_cast<int>(all.fit.size());
    if (all.fit.empty() && all.too_large > 0) add(all.smallest), found.cases[0].fits = false;
    if (!found.cases.empty()) return found;
    c.refused = all.reason;
  } catch (const InputError& e) {
    c.refused = e.what();
  }
  c.fits = false;
  found.cases = {c};
  return found;
}

/// The slowest time of the fastest `layouts_shown` layouts; HUGE_VAL if fewer were timed.
double time_to_beat(std::vector<double> timed) {
  if (timed.size() < layouts_shown) return HUGE_VAL;
  std::ranges::nth_element(timed, timed.begin() + (layouts_shown - 1));
  return timed[layouts_shown - 1];
}

/// The cases of a machine and a number of ranks: those from `first` on, sorted by their bounds.
struct Group {
  std::size_t first = 0, count = 0;
  std::vector<double> timed = {};
};

/// The times of all cases that may be among the fastest ones of their group, which are shown. Times first as
/// many cases as are shown, then those whose bound allows them to be as fast. HUGE_VAL for the others.
std::vector<double> times_of_fastest(const std::vector<PlannedCase>& cases, std::vector<Group>& groups,
                                     const std::vector<PlannedPlatform>& platforms,
                                     const PlanProgress& progress) {
  std::vector<double> all(cases.size(), HUGE_VAL);
  for (const bool first_round : {true, false}) {
    std::vector<std::size_t> asked;
    std::vector<PlannedCase> asked_cases;
    for (const Group& g : groups)
      for (std::size_t i = g.first; i < g.first + g.count; ++i) {
        const bool early = i < g.first + layouts_shown;
        if (early != first_round || (!early && cases[i].least_time > time_to_beat(g.timed))) continue;
        asked.push_back(i), asked_cases.push_back(cases[i]);
      }
    if (asked.empty()) break;
    const std::vector<double> found = times(asked_cases, platforms, progress);
    for (std::size_t k = 0; k < asked.size(); ++k) all[asked[k]] = found[k];
    for (Group& g : groups)
      g.timed.assign(all.begin() + static_cast<std::ptrdiff_t>(g.first),
                     all.begin() + static_cast<std::ptrdiff_t>(g.first + std::min(g.count, layouts_shown)));
  }
  return all;
}

/// The fastest layouts of each combination of the other choices, all frameworks together; on equally many
/// ranks these are the cheapest, too. A note tells how many were left out.
std::vector<PlannedCase> with_layouts(const std::vector<PlannedCase>& cases, const PlanText& options,
                                      const std::vector<PlannedPlatform>& platforms,
                                      const PlanProgress& progress, std::vector<std::string>& notes) {
  const auto place = [](const PlannedCase& c) {
    return std::tuple(c.platform, c.ranks, c.job.batch, c.job.global_batch, c.job.precision, c.job.policy);
  };
  std::vector<PlannedCase> all;
  int tried = 0, too_large = 0, indivisible = 0;
  for (const PlannedCase& c : cases) {
    FoundLayouts found = layouts_of(c, platforms[c.platform].platform, options.most_tensor);
    tried += found.tried, too_large += found.too_large, indivisible += found.indivisible;
    std::ranges::move(found.cases, std::back_inserter(all));
  }
  // cases that fit come before those that do not, and these before cases without a forecast
  std::ranges::stable_sort(all, {}, [&](const PlannedCase& c) {
    return std::tuple(place(c), !c.refused.empty(), !c.fits, c.least_time);
  });
  std::vector<Group> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || place(all[i]) != place(all[i - 1])) groups.push_back({i, 0});
    groups.back().count += all[i].fits || groups.back().count == 0;
  }
  const std::vector<double> time = times_of_fastest(all, groups, platforms, progress);
  std::vector<PlannedCase> best;
  for (const Group& g : groups) {
    std::vector<std::size_t> order(g.count);
    std::iota(order.begin(), order.end(), g.first);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return time[i]; });
    order.resize(std::min(order.size(), layouts_shown));
    for (const std::size_t i : order) best.push_back(all[i]);
  }
  notes.push_back("layouts: " + text::count(tried) + " fit; the " + std::to_string(layouts_shown) +
                  " fastest of each machine and number of ranks are candidates. Of the other splits into "
                  "tensor and pipeline parts, " +
                  text::count(too_large) + " need more memory than a device has, and " +
                  text::count(indivisible) + " do not divide the batch, the heads or the blocks");
  notes.push_back(options.most_tensor.empty()
                      ? "tensor parallelism beyond a node was not tried; --max-tp N does"
                      : "tensor parallelism of more than " + options.most_tensor + " ranks was not tried");
  if (options.global_batch.empty())
    notes.emplace_back(
        "layouts with fewer replicas have a smaller global batch; --global-batch keeps it the same");
  return best;
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
  report.remark += " The first row comes closest: " + used(worst) + " of what it may use.";
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
  report.sections.push_back({"candidates", judged_rows(all), columns_of(all, aim)});
  tell_settings_without_effect(report, options.set, [&](const std::vector<std::string>& set) {
    PlanText other = options;
    other.set = set;
    std::vector<std::string> said;
    const std::vector<PlannedPlatform> on = platforms_of(other, said);
    return judged_rows(plan::judge(all_candidates(other, on, ranks, progress, said), limits, aim));
  });
  if (all[0].feasible) {
    report.sections.push_back(a_tenth_more(options, platforms, all[0].candidate, progress));
    report.head["safe"] = all[0].safe;
    report.remark = in_words(all, aim);
  } else {
    tell_none(report, all[0], options.layouts);
  }
  return {std::move(report), all, limits};
}

}  // namespace collcast::workloads

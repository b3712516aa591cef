// SPDX-License-Identifier: Apache-2.0
#include "workloads/playing/plan.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "cli/several.hpp"
#include "cli/verbs.hpp"
#include "cli/what_if.hpp"
#include "cli/workload_options.hpp"
#include "forecast/report/plan.hpp"
#include "model/ranges.hpp"
#include "platforms/description/load.hpp"
#include "platforms/description/plausible.hpp"
#include "replay/formats/formats.hpp"
#include "support/error.hpp"
#include "support/notes.hpp"
#include "workloads/settings.hpp"

namespace collcast::cli {
using namespace workloads;
using report::count_of, report::number_of, report::text_of;

namespace {

struct PlanOptions : PlannedJob {
  std::string platforms, aim, plot;
  std::vector<std::string> ranks, set, price, power;
  std::string time, efficiency, cost, power_limit;
  Format format = Format::table;
};

/// What a plan of a training job may choose, besides platform and ranks.
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
    {"precision", "precision", false, &TrainingText::precision, &plan::Candidate::precision}};

std::vector<std::string> chosen_from(const PlannedJob& job, const PlanChoice& of) {
  const std::string& text = job.*of.text;
  return of.counts ? listed_counts(text) : listed(text);
}

/// Where one measured throughput stands for much that differs.
void tell_planned_throughput(report::Report& report, const PlanOptions& options, std::size_t platforms,
                             std::size_t ranks) {
  std::vector<std::string> differ;
  if (platforms > 1) differ.emplace_back("platform");
  for (const PlanChoice& of : plan_choices)
    if (std::string_view(of.key) != "framework" && chosen_from(options, of).size() > 1)
      differ.emplace_back(of.title);
  if (!options.global_batch.empty() && ranks > 1) differ.emplace_back("batch");
  tell_throughput(report, options.throughput, differ);
}

std::optional<double> limit(const std::string& text, const std::string& what) {
  if (text.empty()) return {};
  return above_zero(text, what);
}

/// "90s", "2h", "3d", or seconds.
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

plan::Limits limits_of(const PlanOptions& options) {
  const plan::Limits limits{duration(options.time), limit(options.efficiency, "efficiency"),
                            limit(options.cost, "cost"), limit(options.power_limit, "power")};
  if (limits.efficiency && *limits.efficiency > 1)
    throw InputError("efficiency is a share from 0 to 1, as in 0.8, not " + options.efficiency);
  return limits;
}

/// "dgx-a100=32.77" or, as the platform was asked for, "./mine.json=32.77".
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

std::vector<PlannedPlatform> platforms_of(const PlanOptions& options, std::vector<std::string>& notes) {
  std::vector<PlannedPlatform> all;
  for (const std::string& name : CLI::detail::split(options.platforms, ',')) {
    Description d = load_platform(name);
    set_all(d, options.set);
    for (const std::string& words : implausible(d)) add_once(notes, words);
    set_for(d, name, options.price, price_key, "--price");
    set_for(d, name, options.power, power_key, "--power");
    all.push_back({name, std::move(d)});
  }
  return all;
}

/// Prices and powers are of platforms in the plan.
void require_known(const PlanOptions& options, const std::vector<PlannedPlatform>& platforms) {
  std::vector<std::string> names;
  for (const PlannedPlatform& p : platforms) names.push_back(p.name), names.push_back(p.platform.name());
  for (const auto* given : {&options.price, &options.power})
    for (const std::string& text : *given)
      if (std::ranges::find(names, text.substr(0, text.rfind('='))) == names.end())
        throw InputError("'" + text + "' names a platform that is not in the plan, which has " +
                         options.platforms);
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
  const auto number = [known](double x, bool said = true) { return known && said ? Json(x) : Json(); };
  Json row{{"platform", c.platform}};
  for (const PlanChoice& choice : plan_choices)
    if (const std::string& chosen = c.*choice.chosen; !chosen.empty()) row[choice.key] = chosen;
  row.update({{"ranks", c.ranks},
              {"nodes", known ? Json(c.nodes) : Json()},
              {"time_s", number(c.time.value)},
              {"low_s", number(c.low.value)},
              {"high_s", number(c.high.value)},
              {"efficiency", number(c.efficiency)},
              {"cost_USD", or_null(j.cost_USD)},
              {"power_W", or_null(j.power_W)},
              {"energy_kWh", or_null(j.energy_kWh)},
              {"memory_B", number(c.memory.value, c.memory > Bytes())},
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
  return s < 600 ? seconds(s) : s < 7200 ? number(s / 60) + " min" : number(s / 3600) + " h";
}

/// "time 1.32 % (slow end: 1.52 %)"
std::string used(const plan::Margin& m) {
  return std::string(m.limit) + ' ' + text::percent(m.used) +
         (m.used_at_worst > m.used ? " (slow end: " + text::percent(m.used_at_worst) + ')' : std::string());
}

/// ", and the first costs less.": what tells two apart that are as good by the aim.
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

/// What the first says of itself and of the second.
std::string in_words(const std::vector<plan::Judged>& all, plan::Aim aim) {
  const plan::Judged& best = all[0];
  const plan::Candidate& c = best.candidate;
  const std::string least =
      aim == plan::Aim::cost ? "Cheapest: " : "Least " + std::string(plan::name(aim)) + ": ";
  std::string words = least + c.name() + ", " + count(c.ranks) + " ranks on " + count(c.nodes) +
                      (c.nodes == 1 ? " node" : " nodes");
  words += ", limited by " + c.limited_by + ".";
  std::string shares;
  for (const plan::Margin& m : best.margins)
    shares += (shares.empty() ? " Of its limits it uses: " : ", ") + used(m);
  if (!shares.empty()) words += shares + (best.safe ? "." : ": not safe.");
  if (all.size() < 2 || !all[1].feasible) return words + " No other candidate stays within the limits.";
  const plan::Judged& next = all[1];
  const bool tie = plan::shown(next.aimed) == plan::shown(best.aimed);
  words += " Next: " + next.candidate.name() + ", " + count(next.candidate.ranks) + " ranks, " +
           (tie ? "the same " : text::percent(next.aimed / best.aimed - 1) + " more ") +
           std::string(plan::name(aim));
  if (tie) return words + ": a tie" + broken_by(best, next);
  const bool sure = best.aimed_high < next.aimed_low;
  return words + (sure ? "; their intervals do not overlap."
                       : "; their intervals overlap, so either may be the better one.");
}

/// ", time up to 2.00 h, efficiency from 0.8": the limits.
std::string within(const PlanOptions& o) {
  std::string words;
  if (!o.time.empty()) words += ", time up to " + hours(*duration(o.time));
  if (!o.cost.empty()) words += ", cost up to " + o.cost + " USD";
  if (!o.power_limit.empty()) words += ", power up to " + o.power_limit + " W";
  if (!o.efficiency.empty()) words += ", efficiency from " + o.efficiency;
  return words;
}

/// What the plan is of, and how much of it.
std::string subject(const PlanOptions& options) {
  const int subjects = !options.model.empty() + !options.trace.empty() + !options.job.empty();
  if (subjects != 1) throw InputError("plan takes exactly one of --model, --trace and --job");
  if (options.model.empty())
    return options.trace + options.job +
           (options.runs == "1" ? std::string() : ", " + options.runs + " times");
  if (options.samples.empty())
    throw InputError("--samples is required: the number of samples that the job trains on in all");
  return options.model + ", " + options.framework + ", " + options.samples + " samples";
}

/// What every candidate has, and what any of them has.
std::vector<report::Column> columns_of(const std::vector<plan::Judged>& all, plan::Aim aim) {
  std::vector<report::Column> columns{text_of("platform", "platform")};
  for (const PlanChoice& c : plan_choices)
    if (!(all[0].candidate.*c.chosen).empty()) columns.push_back(text_of(c.title, c.key));
  std::ranges::move(
      std::vector{count_of("ranks", "ranks"), count_of("nodes", "nodes"), number_of("time", "time_s", hours)},
      std::back_inserter(columns));
  if (std::ranges::any_of(all, [](const plan::Judged& j) { return j.cost_USD.has_value(); }))
    columns.push_back(number_of("cost", "cost_USD", [](double x) { return number(x) + " USD"; }));
  if (std::ranges::any_of(all, [](const plan::Judged& j) { return j.power_W.has_value(); }))
    columns.push_back(number_of("power", "power_W", [](double x) { return number(x / 1000) + " kW"; }));
  if (aim == plan::Aim::energy)
    columns.push_back(number_of("energy", "energy_kWh", [](double x) { return number(x) + " kWh"; }));
  std::ranges::move(
      std::vector{text_of("verdict", "verdict"), number_of("low", "low_s", hours),
                  number_of("high", "high_s", hours), number_of("efficiency", "efficiency", text::percent)},
      std::back_inserter(columns));
  return columns;
}

void tell_progress(const std::string& what, std::int64_t finished, std::int64_t all) {
  progress(what + ": " + std::to_string(finished) + " of " + std::to_string(all));
}

/// By how much a processor alone is slower at the slow end of its uncertainty; a measured throughput has
/// none.
double slower_alone(const PlannedJob& job, const Description& platform) try {
  const Training t = described(job, platform);
  return t.throughput ? 1 : 1 + t.processor.efficiency.uncertainty;
} catch (const InputError&) {
  return 1;  // there is no forecast, either
}

/// The job with each combination of what may be chosen.
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

/// The candidates of each combination.
std::vector<plan::Candidate> all_candidates(const PlanOptions& options,
                                            const std::vector<PlannedPlatform>& platforms,
                                            const std::vector<Rank>& ranks, std::vector<std::string>& notes) {
  if (options.model.empty()) return candidates(options, platforms, ranks, tell_progress, notes);
  std::vector<plan::Candidate> all;
  for (const PlannedJob& job : combinations(options)) {
    Training checked;
    for (const TrainingSetting& s : training_settings())
      if (!(job.*s.text).empty()) s.put(checked, job.*s.text);
    for (plan::Candidate c : candidates(job, platforms, ranks, tell_progress, notes)) {
      const auto on = std::ranges::find(platforms, c.platform, &PlannedPlatform::name);
      c.slower_alone = slower_alone(job, on->platform);
      for (const PlanChoice& choice : plan_choices)
        if (chosen_from(options, choice).size() > 1) c.*choice.chosen = job.*choice.text;
      all.push_back(std::move(c));
    }
  }
  return all;
}

/// What the best candidate would gain by a tenth more of each of its parts.
report::Section a_tenth_more(const PlanOptions& options, const std::vector<PlannedPlatform>& platforms,
                             const plan::Candidate& best) {
  const auto chosen = std::ranges::find(platforms, best.platform, &PlannedPlatform::name);
  PlannedJob job = options;
  for (const PlanChoice& choice : plan_choices)
    if (!(best.*choice.chosen).empty()) job.*choice.text = best.*choice.chosen;
  Json rows = Json::array();
  for (const Saving& s : savings(job, chosen->platform, best.ranks, tell_progress))
    rows.push_back({{"parameter", s.parameter}, {"saved", s.share}});
  progress_end();
  return {"a_tenth_more",
          std::move(rows),
          {text_of("a tenth more (or less)", "parameter"),
           number_of("saves of the time", "saved", text::percent)}};
}

int run_plan(const PlanOptions& options) {
  const std::string of = subject(options);
  if (!options.plot.empty()) report::check_plot(options.plot);
  report::Report report;
  const std::vector<PlannedPlatform> platforms = platforms_of(options, report.notes);
  std::vector<Rank> ranks = parse_rank_counts(options.ranks);
  if (ranks.empty() && options.trace.empty())
    throw InputError("--ranks is required: the numbers to choose from");
  if (ranks.empty()) ranks = {open_source({options.trace})->ranks()};
  require_known(options, platforms);
  const plan::Limits limits = limits_of(options);
  std::optional<plan::Aim> given;
  if (!options.aim.empty()) given = plan::parse_aim(options.aim);
  const std::vector<plan::Candidate> able = all_candidates(options, platforms, ranks, report.notes);
  progress_end();
  const bool priced =
      std::ranges::all_of(able, [](const plan::Candidate& c) { return c.price_USD.has_value(); });
  const plan::Aim aim = given.value_or(priced ? plan::Aim::cost : plan::Aim::time);
  const std::vector<plan::Judged> all = plan::judge(able, limits, aim);
  const std::string& why = all[0].candidate.refused;
  const auto same = [&](const plan::Judged& j) { return j.candidate.refused == why; };
  if (!why.empty() && std::ranges::all_of(all, same)) throw InputError(why);
  const bool any = all[0].feasible;
  if (options.model.empty())
    report.head = {{options.job.empty() ? "trace" : "job", options.trace + options.job},
                   {"runs", above_zero(options.runs, "number of runs")}};
  else
    report.head = {{"model", options.model}, {"samples", above_zero(options.samples, "number of samples")}};
  report.head["aim"] = plan::name(aim);
  tell_planned_throughput(report, options, platforms.size(), ranks.size());
  report.title = of + ": least " + std::string(plan::name(aim)) + within(options);
  report.sections.push_back({"candidates", judged_rows(all), columns_of(all, aim)});
  tell_unmoved(report, options.set, [&](const std::vector<std::string>& set) {
    PlanOptions other = options;
    other.set = set;
    std::vector<std::string> said;
    const std::vector<PlannedPlatform> on = platforms_of(other, said);
    return judged_rows(plan::judge(all_candidates(other, on, ranks, said), limits, aim));
  });
  progress_end();
  if (any) {
    report.sections.push_back(a_tenth_more(options, platforms, all[0].candidate));
    report.head["safe"] = all[0].safe;
    report.remark = in_words(all, aim);
  } else {
    report.remark = "No candidate stays within the limits.";
    if (all[0].candidate.refused.empty())
      report.remark += " The first row comes closest: " + used(all[0].margins[0]) + " of what it may use.";
  }
  plot(options.plot, {report.title, {report::graph(all, limits)}}, report.notes);
  print(report, options.format);
  return any ? 0 : 1;
}

}  // namespace

void add_plan(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* verb = app.add_subcommand("plan", "Which machine, and how many ranks of it, for a job");
  CLI::Option* model = add_training(*verb, *options)->required(false);
  for (const TrainingSetting& s : training_settings()) {
    std::string name = s.key;
    std::ranges::replace(name, '_', '-');
    if (CLI::Option* of_model = verb->get_option("--" + name); of_model != model) of_model->needs(model);
  }
  verb->add_option("--samples", options->samples, "How many samples the model trains on in all")
      ->needs(model)
      ->option_text("X");
  verb->add_option("--trace", options->trace, "Or a recorded run, as `replay` reads it")->option_text("FILE");
  verb->add_option("--job", options->job, "Or an application, or a job's file, as `job` reads it")
      ->option_text("APPLICATION|FILE");
  verb->add_option("--runs", options->runs, "How often the trace or the job runs (default 1)")
      ->excludes(model)
      ->option_text("X");
  verb->add_option("-p,--platform", options->platforms,
                   "Machines to choose from: names from `collcast platforms`, or files. Several of these, of "
                   "--framework, --batch, --global-batch, --precision and of --ranks make a candidate of "
                   "each combination")
      ->required()
      ->option_text("P[,P...]");
  verb->add_option(
          "-n,--ranks", options->ranks,
          "Numbers of ranks to choose from, and ranges of them: 8:512:x2 (default of a trace: its own)")
      ->delimiter(',')
      ->option_text("N[,N...]");
  verb->add_option("--aim", options->aim,
                   "What to minimize: cost (default where all have a price), time (default otherwise), "
                   "energy or nodes")
      ->option_text("cost|time|energy|nodes");
  verb->add_option("--time", options->time, "Limit of the job's time: 90s, 30m, 2h, 3d, 5ms")
      ->option_text("T");
  verb->add_option("--efficiency", options->efficiency,
                   "Least efficiency against one processor alone, as 0.8; of a trace or a job, the share of "
                   "computation")
      ->option_text("X");
  verb->add_option("--cost", options->cost, "Limit of the job's cost, in USD")->option_text("X");
  verb->add_option("--max-power", options->power_limit, "Limit of the power of all nodes together, in W")
      ->option_text("W");
  verb->add_option("--price", options->price,
                   "USD per hour of a platform's node (its node.price_per_hour_USD)")
      ->delimiter(',')
      ->option_text("P=X[,P=X...]");
  verb->add_option("--power", options->power, "W of a platform's node (its node.power_W)")
      ->delimiter(',')
      ->option_text("P=W[,P=W...]");
  verb->add_option("--set", options->set, "Overrides a parameter of each platform")->option_text("KEY=VALUE");
  add_plot(*verb, options->plot, "every candidate's time over its cost, or its nodes");
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast plan --model resnet50 --framework ddp --precision amp --batch 128 --samples 115e6 "
      "--platform "
      "dgx-a100,abci-a --ranks 8:128:x2 --price dgx-a100=20 --price abci-a=18 --time 2h\n"
      "Example: collcast plan --trace traces/qe-si-8.cct --runs 1e4 --platform summit,edr-cluster --time 1h");
  verb->callback([options, &exit_code] { exit_code = run_plan(*options); });
}

}  // namespace collcast::cli

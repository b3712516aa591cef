// SPDX-License-Identifier: Apache-2.0
#include "forecast/plan.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <sstream>
#include <thread>
#include <utility>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "cli/replaying.hpp"
#include "cli/training.hpp"
#include "cli/verbs.hpp"
#include "forecast/report/plan.hpp"
#include "forecast/sweep/workers.hpp"
#include "model/ranges.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"
#include "platforms/machine/paths.hpp"
#include "replay/formats/formats.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/notes.hpp"
#include "workloads/compute/processor.hpp"
#include "workloads/playing/job_source.hpp"
#include "workloads/playing/playing.hpp"
#include "workloads/settings.hpp"

namespace collcast::cli {
using namespace workloads;
using report::count_of, report::number_of, report::text_of;

namespace {

constexpr const char *price_key = "node.price_per_hour_USD", *power_key = "node.power_W";

struct PlanOptions : TrainingText {
  std::string platforms, samples, aim, plot, trace, job, runs = "1";
  std::vector<std::string> ranks, set, price, power;
  std::string time, efficiency, cost, power_limit;
  Format format = Format::table;
};

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
  throw InputError("time limit '" + text + "' is not a time above 0, as 90s, 30m, 2h, 3d or 5ms");
}

plan::Limits limits_of(const PlanOptions& options) {
  const plan::Limits limits{duration(options.time), limit(options.efficiency, "efficiency"),
                            limit(options.cost, "cost"), limit(options.power_limit, "power")};
  if (limits.efficiency && *limits.efficiency > 1)
    throw InputError("efficiency is a share from 0 to 1, as in 0.8, not " + options.efficiency);
  return limits;
}

std::optional<double> value(const Description& platform, const std::string& path) {
  for (const Parameter& p : platform.parameters())
    if (p.path == path) return p.value;
  return {};
}

std::vector<std::string> asked(const PlanOptions& options) {
  return CLI::detail::split(options.platforms, ',');
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

std::vector<Description> platforms_of(const PlanOptions& options, std::vector<std::string>& notes) {
  std::vector<Description> all;
  for (const std::string& name : asked(options)) {
    Description d = load_platform(name);
    set_all(d, options.set);
    for (const std::string& words : told_of(d)) add_once(notes, words);
    set_for(d, name, options.price, price_key, "--price");
    set_for(d, name, options.power, power_key, "--power");
    all.push_back(std::move(d));
  }
  return all;
}

/// Prices and powers are of platforms in the plan.
void require_known(const PlanOptions& options, const std::vector<Description>& platforms) {
  std::vector<std::string> names = asked(options);
  for (const Description& d : platforms) names.push_back(d.name());
  for (const auto* given : {&options.price, &options.power})
    for (const std::string& text : *given)
      if (std::ranges::find(names, text.substr(0, text.rfind('='))) == names.end())
        throw InputError("'" + text + "' names a platform that is not in the plan, which has " +
                         options.platforms);
}

/// Of a trace or a job, as often as was asked for; a rank's memory is not known.
Json times(double runs, Seconds time, Seconds low, Seconds high, Seconds compute, const std::string& limit) {
  return {{"time_s", runs * time.value},
          {"low_s", runs * low.value},
          {"high_s", runs * high.value},
          {"efficiency", time > Seconds() ? compute / time : 1.0},
          {"memory_B", 0.0},
          {"holds_B", 0.0},
          {"limited_by", limit}};
}

ReplayText replayed(const PlanOptions& options, Rank ranks) {
  ReplayText text;
  text.files = {options.trace}, text.ranks = std::to_string(ranks);
  text.policy = options.policy;
  return text;
}

Json of_trace(const PlanOptions& options, const Description& platform, Rank ranks) {
  const double runs = above_zero(options.runs, "number of runs");
  const ReplayText text = replayed(options, ranks);
  const Trace trace = open_replayed(text);
  const ReplayReport r = replay(trace.source(), platform, replay_options(text));
  Json f = times(runs, r.time, r.low, r.high, r.compute, r.limited_by);
  f["notes"] = r.notes;
  return f;
}

Json of_job(const PlanOptions& options, const Description& platform, Rank ranks) {
  const double runs = above_zero(options.runs, "number of runs");
  const Job job = JobSource(options.job, platform).on(ranks);
  Playing playing(platform, {options.policy});
  const JobForecast of_one = playing.forecast(job);
  Json f = times(runs, of_one.time, of_one.low, of_one.high, of_one.compute, of_one.limited_by);
  f["notes"] = playing.notes();
  return f;
}

/// The whole job on so many ranks, of as many samples or runs as were asked for; or why there is no forecast.
Json forecast_of(const PlanOptions& options, const Description& platform, Rank ranks) {
  try {
    if (!options.trace.empty() || !options.job.empty()) {
      require_room(platform, ranks);
      Json f = options.job.empty() ? of_trace(options, platform, ranks) : of_job(options, platform, ranks);
      const int per_node = ranks_per_node(platform);
      f["nodes"] = (ranks + per_node - 1) / per_node;
      return f;
    }
    Training t = described(options, platform);
    t.ranks = ranks;
    require_room(platform, ranks);
    Playing playing(platform, {options.policy});
    const StepForecast step = playing.forecast(t);
    const double steps = std::ceil(above_zero(options.samples, "number of samples") / step.samples);
    return {{"nodes", (ranks + t.ranks_per_node - 1) / t.ranks_per_node},
            {"time_s", steps * step.time.value},
            {"low_s", steps * step.low.value},
            {"high_s", steps * step.high.value},
            {"efficiency", step.efficiency},
            {"memory_B", step.memory.sum().value},
            {"holds_B", t.processor.memory.value},
            {"limited_by", step.limited_by},
            {"notes", playing.notes()}};
  } catch (const InputError& e) {
    return {{"refused", e.what()}};
  }
}

/// Of one run or step with parameters set, without its interval; none where there is no forecast.
std::optional<Seconds> time_of_one(const PlanOptions& options, Description platform,
                                   std::span<const std::string> set, Rank ranks) try {
  set_all(platform, {set.begin(), set.end()});
  if (!options.trace.empty()) {
    const ReplayText text = replayed(options, ranks);
    const Trace trace = open_replayed(text);
    return replay_time(trace.source(), platform, replay_options(text));
  }
  Playing playing(platform, {options.policy});
  if (!options.job.empty()) return playing.time(JobSource(options.job, platform).on(ranks));
  Training t = described(options, platform);
  t.ranks = ranks;
  return playing.time(t);
} catch (const InputError&) {
  return {};
}

plan::Candidate candidate(const std::string& asked, const Description& platform, Rank ranks, const Json& f) {
  plan::Candidate c{.platform = asked, .ranks = ranks};
  c.price_USD = value(platform, price_key);
  c.power_W = value(platform, power_key);
  if (f.contains("refused")) {
    c.refused = f["refused"];
    return c;
  }
  c.nodes = f["nodes"];
  c.time = Seconds(f["time_s"].get<double>()), c.low = Seconds(f["low_s"].get<double>());
  c.high = Seconds(f["high_s"].get<double>());
  c.efficiency = f["efficiency"];
  c.memory = Bytes(f["memory_B"].get<double>()), c.holds = Bytes(f["holds_B"].get<double>());
  c.limited_by = f["limited_by"];
  return c;
}

/// Answers of many questions, asked of several processes at once.
std::vector<Json> in_parallel(std::size_t count, const std::string& what,
                              const std::function<Json(std::size_t)>& ask) {
  std::vector<Json> answers(count);
  std::int64_t at = 0, finished = 0;
  const int workers = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  sweep::processes(workers)(
      [&]() -> std::optional<std::int64_t> {
        if (at == static_cast<std::int64_t>(count)) return {};
        return at++;
      },
      [&](std::int64_t i) {
        try {
          return sweep::Outcome{sweep::Outcome::Kind::answered, dump(ask(static_cast<std::size_t>(i)))};
        } catch (const std::exception& e) {
          return sweep::Outcome{sweep::Outcome::Kind::lost, e.what()};
        }
      },
      [&](std::int64_t i, const sweep::Outcome& o) {
        if (o.kind != sweep::Outcome::Kind::answered) throw SubstrateError(what + ": " + o.text);
        answers[static_cast<std::size_t>(i)] = parse_json(o.text);
        progress(what + ": " + std::to_string(++finished) + " of " + std::to_string(count));
      });
  progress_end();
  return answers;
}

std::vector<plan::Candidate> candidates(const PlanOptions& options, const std::vector<Description>& platforms,
                                        const std::vector<Rank>& ranks, std::vector<std::string>& notes) {
  const std::vector<std::string> names = asked(options);
  const auto at = [&](std::size_t i) { return std::pair{i / ranks.size(), ranks[i % ranks.size()]}; };
  const std::vector<Json> forecasts =
      in_parallel(platforms.size() * ranks.size(), "forecasts", [&](std::size_t i) {
        const auto [platform, n] = at(i);
        return forecast_of(options, platforms[platform], n);
      });
  std::vector<plan::Candidate> all;
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    const auto [platform, n] = at(i);
    all.push_back(candidate(names[platform], platforms[platform], n, forecasts[i]));
    for (const Json& words : forecasts[i].value("notes", Json::array())) add_once(notes, words);
  }
  return all;
}

/// A tenth more of a part: of a bandwidth or an arithmetic more, of a latency or an overhead less.
std::optional<std::string> improved(const Parameter& p) {
  if (p.path == price_key || p.path == power_key || p.value <= 0) return {};
  std::ostringstream text;
  text.precision(17);
  if (p.unit == "GBps" || p.unit == "TFLOPS" || p.unit == "GiB")
    text << p.path << '=' << p.value * 1.1;
  else if (p.unit == "us")
    text << p.path << '=' << p.value * 0.9;
  else
    return {};
  return text.str();
}

/// What each would take off the time, the most first. Of parts that together save nothing to speak of, none
/// is asked for alone.
Json purchases(const PlanOptions& options, const Description& platform, Rank ranks) {
  std::vector<std::string> parts;  // as --set has them
  for (const Parameter& p : platform.parameters())
    if (const auto assignment = improved(p)) parts.push_back(*assignment);
  const Seconds now = *time_of_one(options, platform, {}, ranks);
  Json all = Json::array();
  using Parts = std::span<const std::string>;
  for (std::vector<Parts> open{parts}; !open.empty();) {
    const std::vector<Json> times = in_parallel(open.size(), "a tenth more", [&](std::size_t i) {
      const auto time = time_of_one(options, platform, open[i], ranks);
      return time ? Json(time->value) : Json();  // none: at the end of what is sound
    });
    std::vector<Parts> next;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const Parts group = open[i];
      const double saved = times[i].is_null() ? 1 : 1 - times[i].get<double>() / now.value;
      if (saved <= 5e-4 || group.empty()) continue;
      if (const std::size_t half = group.size() / 2; half > 0) {
        next.push_back(group.first(half)), next.push_back(group.subspan(half));
      } else if (!times[i].is_null()) {
        all.push_back({{"parameter", group[0].substr(0, group[0].find('='))}, {"saved", saved}});
      }
    }
    open = std::move(next);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Json& a, const Json& b) { return a["saved"] > b["saved"]; });
  return all;
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
  return {{"platform", c.platform},
          {"ranks", c.ranks},
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
          {"verdict", verdict(all, i)}};
}

std::string hours(double s) {
  return s < 600 ? seconds(s) : s < 7200 ? number(s / 60) + " min" : number(s / 3600) + " h";
}

/// "time 1.32 % (slow end: 1.52 %)"
std::string used(const plan::Margin& m) {
  return std::string(m.limit) + ' ' + text::percent(m.used) +
         (m.used_at_worst > m.used ? " (slow end: " + text::percent(m.used_at_worst) + ')' : std::string());
}

/// What the first says of itself and of the second.
std::string in_words(const std::vector<plan::Judged>& all, plan::Aim aim) {
  const plan::Judged& best = all[0];
  const plan::Candidate& c = best.candidate;
  const std::string least =
      aim == plan::Aim::cost ? "Cheapest: " : "Least " + std::string(plan::name(aim)) + ": ";
  std::string words = least + c.platform + ", " + count(c.ranks) + " ranks on " + count(c.nodes) +
                      (c.nodes == 1 ? " node" : " nodes");
  words += ", limited by " + c.limited_by + ".";
  std::string shares;
  for (const plan::Margin& m : best.margins)
    shares += (shares.empty() ? " Of its limits it uses: " : ", ") + used(m);
  if (!shares.empty()) words += shares + (best.safe ? "." : ": not safe.");
  if (all.size() < 2 || !all[1].feasible) return words + " No other candidate stays within the limits.";
  const plan::Judged& next = all[1];
  words +=
      " Next: " + next.candidate.platform + ", " + count(next.candidate.ranks) + " ranks, " +
      (number(next.aimed) == number(best.aimed) ? "the same "
                                                : text::percent(next.aimed / best.aimed - 1) + " more ") +
      std::string(plan::name(aim));
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
  std::vector<report::Column> columns{text_of("platform", "platform"), count_of("ranks", "ranks"),
                                      count_of("nodes", "nodes"), number_of("time", "time_s", hours)};
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

int run_plan(const PlanOptions& options) {
  const std::string of = subject(options);
  if (!options.plot.empty()) report::check_plot(options.plot);
  report::Report report;
  const std::vector<Description> platforms = platforms_of(options, report.notes);
  std::vector<Rank> ranks = parse_rank_counts(options.ranks);
  if (ranks.empty() && options.trace.empty())
    throw InputError("--ranks is required: the numbers to choose from");
  if (ranks.empty()) ranks = {open_source({options.trace})->ranks()};
  require_known(options, platforms);
  const plan::Limits limits = limits_of(options);
  const bool priced =
      std::ranges::all_of(platforms, [](const Description& d) { return value(d, price_key).has_value(); });
  const plan::Aim aim =
      options.aim.empty() ? (priced ? plan::Aim::cost : plan::Aim::time) : plan::parse_aim(options.aim);
  const std::vector<plan::Judged> all =
      plan::judge(candidates(options, platforms, ranks, report.notes), limits, aim);
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
  report.title = of + ": least " + std::string(plan::name(aim)) + within(options);
  Json rows = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) rows.push_back(judged_row(all, i));
  report.sections.push_back({"candidates", std::move(rows), columns_of(all, aim)});
  if (any) {
    const std::vector<std::string> names = asked(options);
    const auto chosen = std::ranges::find(names, all[0].candidate.platform) - names.begin();
    report.sections.push_back(
        {"a_tenth_more",
         purchases(options, platforms[static_cast<std::size_t>(chosen)], all[0].candidate.ranks),
         {text_of("a tenth more (or less)", "parameter"),
          number_of("saves of the time", "saved", text::percent)}});
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
  for (const TrainingSetting& s : training_settings())
    if (CLI::Option* of_model = verb->get_option("--" + std::string(s.key)); of_model != model)
      of_model->needs(model);
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
                   "Machines to choose from: names from `collcast platforms`, or files")
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

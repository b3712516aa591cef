// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/group_prices.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "cli/several.hpp"
#include "cli/training.hpp"
#include "cli/verbs.hpp"
#include "cli/what_if.hpp"
#include "model/ranges.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "workloads/training/convergence.hpp"
#include "workloads/training/step.hpp"

namespace collcast::cli {
using namespace workloads;

using namespace report;

namespace {

struct TrainOptions : TrainingText {
  std::string platform, steps;
  std::vector<std::string> ranks;
  WhatIf what_if;
  Pictures pictures;
  Format format = Format::table;
};

std::string too_large(const Training& t, const StepForecast& s) {
  const MemoryNeed& m = s.memory;
  if (t.processor.memory == Bytes() || m.sum() <= t.processor.memory) return {};
  return "does not fit: a rank needs " + bytes(m.sum().value) + " of " + bytes(t.processor.memory.value) +
         " on " + t.processor.name + " (parameters " + bytes(m.parameters.value) + ", gradients " +
         bytes(m.gradients.value) + ", optimizer " + bytes(m.optimizer.value) + ", activations " +
         bytes(m.activations.value) + ", other " + bytes(m.other.value) + ")";
}

/// A process per role, whose ranks do the same, with a row per stream.
void show(Canvas& canvas, const Training& t, const StepForecast& step, const Description& platform) {
  Timeline& timeline = canvas.timeline();
  const Job job = training_job(t);
  for (std::size_t r = 0; r < job.roles.size(); ++r)
    timeline.name_process(static_cast<std::int32_t>(r), job.roles[r].name);
  for (std::size_t s = 0; s <= job.streams.size(); ++s)
    timeline.name_row(static_cast<std::int32_t>(s), s < job.streams.size() ? job.streams[s] : "agreement");
  for (const Span& s : step.spans)
    if (s.end > s.start) timeline.add(s.role, s.stream, s.name, s.start, s.end, s.bytes);
  const Json about{{"title", t.model.name + " on " + platform.name()},
                   {"platform", platform.name()},
                   {"ranks", t.ranks},
                   {"time_s", step.time.value}};
  for (const std::string& words : canvas.write_timeline(about)) note(words);
}

/// The streams of a role's ranks over a step; of the first role, the longest stretches.
Figure one_step(const Training& t, const StepForecast& step) {
  constexpr std::size_t most = 1500;
  const Job job = training_job(t);
  std::vector<report::Stretch> all;
  Seconds end;
  for (const Span& s : step.spans) {
    end = std::max(end, s.end);
    if (s.role != 0 || !(s.end > s.start)) continue;
    const bool computes = s.kind == workloads::Activity::Kind::compute;
    all.push_back({static_cast<std::size_t>(s.stream), s.start.value, s.end.value,
                   computes ? "computation" : "communication"});
  }
  std::ranges::stable_sort(all, std::greater<>(), [](const report::Stretch& s) { return s.end - s.begin; });
  all.resize(std::min(all.size(), most));
  std::vector<std::string> rows = job.streams;
  if (job.coordinator) rows.push_back("agreement");
  return schedule("A step on " + count(t.ranks) + " ranks, " + job.roles[0].name, rows, all, end.value);
}

void write_page(Canvas& canvas, const Description& platform, const Report& report,
                std::vector<Figure> pictures) {
  if (!canvas.has_page()) return;
  const Section& section = report.sections[0];
  Chapter steps = chapter("Steps", section, report.remark);
  std::vector<Bar> all;
  Curve efficiency{"efficiency", {}};
  for (const Json& r : section.rows) {
    all.push_back({count(r["ranks"]) + " ranks",
                   {r["compute_s"].get<double>(), r["exposed_communication_s"].get<double>()}});
    const double e = r["efficiency"];
    efficiency.points.push_back({r["ranks"].get<double>(), e, e, e});
  }
  steps.figures = {bars("Where the time goes", {"computation", "exposed communication"}, all, seconds)};
  if (all.size() > 1)
    steps.figures.push_back(chart({"Efficiency",
                                   {"ranks", number, Axis::Scale::octaves, true},
                                   {"efficiency", text::percent},
                                   {efficiency}}));
  canvas.write_page(
      report.title, {std::move(steps), {"A step", "", {}, std::move(pictures)}}, Seconds(0),
      {pedigree(platform)}, as_json(report),
      "a step is made of the times of its collectives, each asked for by itself; `predict` shows "
      "the links of one");
}

Report made(const TrainOptions& options, const Training& t, const Description& platform, Json rows,
            const std::string& policy) {
  Report report;
  report.head = {{"model", options.model}, {"platform", platform.name()},    {"framework", t.framework.name},
                 {"policy", policy},       {"precision", name(t.precision)}, {"batch", t.batch}};
  report.title = t.model.name + " (" + t.model.sample + ", " + number(t.model.parameters() / 1e6) +
                 " M parameters) on " + platform.name() + ",\n" + t.framework.name + ", " +
                 std::string(name(t.precision)) + ", batch " + std::to_string(t.batch) + " per replica, " +
                 policy;
  if (options.throughput.empty())
    report.remark =
        "Computation is a roofline, its efficiencies calibrated on published single-GPU runs; "
        "--throughput takes a measured one.\n";
  if (const Json& tuned = rows.back()["tuned"]; !tuned.is_null())
    report.remark += "Autotuned for " + count(rows.back()["ranks"]) + " ranks: fusion " +
                     bytes(tuned["fusion_B"].get<double>()) + ", cycle " +
                     seconds(tuned["cycle_s"].get<double>()) +
                     (tuned["hierarchical"] ? ", level by level.\n" : ".\n");
  report.remark += "Memory of a rank: " + bytes(rows.back()["memory_B"].get<double>()) + " of " +
                   bytes(t.processor.memory.value) + ". Efficiency is against one processor alone.";
  report.sections = {
      {"rows",
       std::move(rows),
       {count_of("ranks", "ranks"), count_of("nodes", "nodes"), number_of("step", "step_s", seconds),
        number_of("low", "low_s", seconds), number_of("high", "high_s", seconds),
        number_of("samples/s", "samples_per_s", number), number_of("efficiency", "efficiency", text::percent),
        number_of("compute", "compute_s", seconds), number_of("exposed", "exposed_communication_s", seconds),
        number_of("hidden", "hidden_communication_s", seconds), text_of("limited by", "limited_by")}}};
  return report;
}

/// Of a batch outside the table nobody knows.
void add_time_to_accuracy(Json& row, const Convergence& experience, const StepForecast& step) {
  const std::optional<double> steps = experience.steps(step.samples);
  row["steps"] = steps ? Json(*steps) : Json();
  row["time_to_accuracy_s"] = steps ? Json(*steps * step.time.value) : Json();
}

/// The steps' times on a platform.
TimesOn times_of(const TrainOptions& options, const std::vector<Rank>& all) {
  return [&](const Description& platform) {
    Training t = described(options, platform);
    GroupForecaster forecaster(platform, options.policy);
    const PriceOf price = group_prices(forecaster);
    std::vector<Seconds> times;
    for (const Rank ranks : all) t.ranks = ranks, times.push_back(forecast_step(t, price).time);
    return times;
  };
}

/// The cases, and whether they are several beyond their numbers of ranks.
Several cases(const TrainOptions& options) {
  Several cases;
  cases.add("platform", options.platform);
  cases.add("policy", options.policy);
  cases.add("model", options.model);
  cases.add("framework", options.framework);
  cases.add("precision", options.precision);
  cases.add("batch", options.batch);
  cases.add("throughput", options.throughput);
  cases.add("noise", options.noise);
  cases.add("slowdown", options.slowdown);
  cases.set(options.what_if.set);
  if (!cases.more_than_one()) return cases;
  cases.add("ranks", options.ranks);
  if (!options.input.empty()) cases.add("input", std::vector{options.input});
  if (!options.checkpoint.empty()) cases.add("checkpoint", std::vector{options.checkpoint});
  cases.refuse(!options.pictures.timeline.empty(), "--timeline");
  cases.refuse(!options.pictures.report.empty(), "--report");
  cases.refuse(!options.steps.empty(), "--steps");
  cases.refuse(options.what_if.sensitivity, "--sensitivity");
  return cases;
}

int run_train(const TrainOptions& options) {
  if (const Several several = cases(options); several.more_than_one())
    return several.answer("train", options.model, options.format);
  const Description platform = platform_with(options.platform, options.what_if);
  Training t = described(options, platform);
  const std::vector<Rank> all = parse_rank_counts(options.ranks);
  std::optional<Convergence> experience;
  if (!options.steps.empty()) experience = parse_convergence(read_file(options.steps), options.steps);
  Canvas canvas(options.pictures);
  canvas.require_one(all.size());
  GroupForecaster forecaster(platform, options.policy);
  const PriceOf price = group_prices(forecaster);
  Json rows = Json::array();
  std::vector<Figure> pictures;
  std::string refusal;
  for (const Rank ranks : all) {
    progress(options.model + " on " + std::to_string(ranks) + " ranks");
    t.ranks = ranks;
    if (ranks > max_ranks(platform))
      throw InputError(platform.name() + " holds " + std::to_string(max_ranks(platform)) + " ranks, not " +
                       std::to_string(ranks));
    const StepForecast step = forecast_step(t, price);
    rows.push_back(row(t, step));
    rows.back()["start_broadcast_s"] = start_broadcast(t, price).value;
    if (experience) add_time_to_accuracy(rows.back(), *experience, step);
    if (refusal.empty()) refusal = too_large(t, step);
    if (canvas.has_timeline()) show(canvas, t, step, platform);
    if (canvas.has_page()) pictures.push_back(one_step(t, step));
  }
  progress_end();
  Report report = made(options, t, platform, std::move(rows), forecaster.policy());
  if (experience)
    report.sections[0].columns.push_back(number_of("to accuracy", "time_to_accuracy_s", seconds));
  const TimesOn times = times_of(options, all);
  answer_what_if(report, options.platform, options.what_if, times, times,
                 report.sections[0].rows.back()["limited_by"]);
  write_page(canvas, platform, report, std::move(pictures));
  print(report, options.format);
  if (refusal.empty()) return 0;
  std::cerr << "collcast: " << options.model << " " << refusal << '\n';
  return 1;
}

void list_models(Format format) {
  Report report;
  report.head = nullptr;
  Json rows = Json::array();
  for (const ModelName& known : model_names()) {
    const Model m = load_model(std::string(known.name));
    rows.push_back({{"model", known.name},
                    {"parameters", m.parameters()},
                    {"flops", m.flops()},
                    {"sample", m.sample},
                    {"description", known.description},
                    {"source", m.source}});
  }
  const auto millions = [](double n) { return number(n / 1e6) + " M"; };
  const auto giga = [](double n) { return number(n / 1e9) + " GFLOP"; };
  report.sections = {{"models",
                      rows,
                      {text_of("model", "model"), number_of("parameters", "parameters", millions),
                       number_of("forward", "flops", giga), text_of("description", "description")}}};
  print(report, format);
}

}  // namespace

void add_models(CLI::App& app, int&) {
  struct ModelsOptions {
    std::string model;
    Format format = Format::table;
  };
  auto options = std::make_shared<ModelsOptions>();
  CLI::App* verb =
      app.add_subcommand("models", "The networks that `train` knows, or the layers of one as a table");
  verb->add_option("model", options->model,
                   "A model: its layers as CSV, in the form that --model FILE.csv reads")
      ->option_text("M");
  add_format(*verb, options->format, true);
  verb->footer("Example: collcast models gpt:layers=24,hidden=1024,heads=16 > my.csv");
  verb->callback([options] {
    if (options->model.empty()) return list_models(options->format);
    std::cout << model_csv(load_model(options->model));
  });
}

void add_train(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* verb = app.add_subcommand("train", "How long a training step takes, and what limits it");
  add_training(*verb, *options);
  verb->add_option("-p,--platform", options->platform,
                   "Names from `collcast platforms`, or files. Where this, --model, --framework, --policy, "
                   "--precision, --batch or a --set has several values, each combination is a row")
      ->required()
      ->option_text("P[,P...]");
  verb->add_option("-n,--ranks", options->ranks, "How many GPUs or processes, and ranges of them: 8:512:x2")
      ->required()
      ->delimiter(',')
      ->option_text("N[,N...]");
  add_what_if(*verb, options->what_if.set, options->what_if.sensitivity);
  verb->add_option(
          "--steps", options->steps,
          "A table batch,steps: how many steps of so many samples an accuracy takes; the answer has the "
          "time to it")
      ->option_text("FILE.csv");
  add_pictures(*verb, options->pictures);
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast train --model resnet50 --platform summit --ranks 1,6,96,6144 --batch 64 --framework "
      "horovod\n"
      "Example: collcast train --model gpt3-13b --platform dgx-a100 --ranks 64 --batch 32 --precision amp "
      "--framework megatron:tp=8,pp=4,micro-batches=32");
  verb->callback([options, &exit_code] { exit_code = run_train(*options); });
}

}  // namespace collcast::cli

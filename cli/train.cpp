// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/by_messages.hpp"
#include "cli/group_prices.hpp"
#include "cli/interrupt.hpp"
#include "cli/job_report.hpp"
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
  std::string platform, steps, engine;
  std::vector<std::string> ranks;
  WhatIf what_if;
  Pictures pictures;
  bool explain = false;
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
    std::optional<ByMessages> by;
    if (!options.engine.empty()) by.emplace(platform, options.engine, forecaster.policy());
    std::vector<Seconds> times;
    for (const Rank ranks : all) {
      t.ranks = ranks;
      times.push_back(
          (by ? forecast_step(t, price, StepByMessages{*by, price}) : forecast_step(t, price)).time);
    }
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
  cases.refuse(options.explain, "--explain");
  cases.refuse(!options.engine.empty(), "--engine");
  cases.refuse(options.what_if.sensitivity, "--sensitivity");
  return cases;
}

/// Of no causes none.
std::vector<Share> with_waits(std::vector<Share> causes, const std::vector<Wait>& waits) {
  if (causes.empty()) return causes;
  for (const Wait& w : waits) causes.push_back({Cause::wait, w.name, w.time});
  std::ranges::stable_sort(causes, std::greater<>(), &Share::time);
  return causes;
}

/// One number of ranks after the other, and what is shown of them.
class Steps {
 public:
  Steps(const TrainOptions& options, const Description& platform, Canvas& canvas, bool watches)
      : options_(options),
        platform_(platform),
        canvas_(canvas),
        watches_(watches),
        forecaster_(platform, options.policy),
        price_(group_prices(forecaster_)) {
    if (!options.engine.empty()) by_.emplace(platform, options.engine, forecaster_.policy());
    if (!options.steps.empty()) experience_ = parse_convergence(read_file(options.steps), options.steps);
  }

  void add(const Training& t) {
    progress(options_.model + " on " + std::to_string(t.ranks) + " ranks");
    const StepForecast step = by_ ? by_messages(t) : by_prices(t);
    rows_.push_back(row(t, step));
    rows_.back()["start_broadcast_s"] = start_broadcast(t, price_).value;
    if (experience_) add_time_to_accuracy(rows_.back(), *experience_, step);
    if (refusal_.empty()) refusal_ = too_large(t, step);
    if (canvas_.has_timeline()) write_timeline(t, step);
  }

  Report report(const Training& t) {
    Report report = made(options_, t, platform_, std::move(rows_), forecaster_.policy());
    if (by_) report.head["engine"] = options_.engine;
    if (experience_)
      report.sections[0].columns.push_back(number_of("to accuracy", "time_to_accuracy_s", seconds));
    report.notes = std::move(played_.notes);
    if (!by_) append(report.notes, forecaster_.notes());
    if (options_.explain) explained_.write(report, options_.format);
    return report;
  }
  void write_page(const Report& report) {
    write_job_page(canvas_, platform_, report, std::move(pictures_), seen_, by_.has_value());
  }
  const std::string& refusal() const { return refusal_; }

 private:
  StepForecast by_prices(const Training& t) {
    StepForecast step = forecast_step(t, price_);
    if (options_.explain) explained_.add(t.ranks, step.activities, step.time);
    const Job job = training_job(played(t, step));
    if (canvas_.has_timeline()) show(canvas_.timeline(), job, step.spans);
    if (canvas_.has_page()) pictures_.push_back(streams_of(job, step.spans));
    return step;
  }

  StepForecast by_messages(const Training& t) {
    StepByMessages play{*by_, price_};
    StepForecast step = forecast_step(t, price_, std::ref(play));
    for (const ReplayReport& r : play.reports) add_notes(played_, r);
    if (options_.explain) explained_.add(t.ranks, with_waits(play.causes(), step.waits), step.time);
    if (const Watched watched = watches_ ? canvas_.watched(platform_) : nullptr)
      seen_ = by_->report(play.last, watched).time;
    return step;
  }

  /// As it was played, after autotuning.
  static Training played(Training t, const StepForecast& step) {
    t.framework = step.framework;
    return t;
  }

  void write_timeline(const Training& t, const StepForecast& step) {
    const Json about{{"title", t.model.name + " on " + platform_.name()},
                     {"platform", platform_.name()},
                     {"ranks", t.ranks},
                     {"time_s", step.time.value}};
    append(played_.notes, canvas_.write_timeline(about));
  }

  const TrainOptions& options_;
  const Description& platform_;
  Canvas& canvas_;
  const bool watches_;
  GroupForecaster forecaster_;
  const PriceOf price_;
  std::optional<ByMessages> by_;
  std::optional<Convergence> experience_;
  Json rows_ = Json::array();
  Explained explained_;
  Report played_;  ///< its notes
  std::vector<Figure> pictures_;
  Seconds seen_;
  std::string refusal_;
};

int run_train(const TrainOptions& options) {
  if (const Several several = cases(options); several.more_than_one())
    return several.answer("train", options.model, options.format);
  const Description platform = platform_with(options.platform, options.what_if);
  Training t = described(options, platform);
  const std::vector<Rank> all = parse_rank_counts(options.ranks);
  Canvas canvas(options.pictures);
  canvas.require_one(all.size());
  Steps steps(options, platform, canvas, all.size() == 1);
  for (const Rank ranks : all) {
    t.ranks = ranks;
    if (ranks > max_ranks(platform))
      throw InputError(platform.name() + " holds " + std::to_string(max_ranks(platform)) + " ranks, not " +
                       std::to_string(ranks));
    steps.add(t);
  }
  progress_end();
  Report report = steps.report(t);
  const TimesOn times = times_of(options, all);
  answer_what_if(report, options.platform, options.what_if, times, times, limit_of(report));
  steps.write_page(report);
  print(report, options.format);
  if (steps.refusal().empty()) return 0;
  std::cerr << "collcast: " << options.model << " " << steps.refusal() << '\n';
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
  verb->add_flag(
      "--explain", options->explain,
      "Where the time goes, by part of the step; with --engine along the chain of causes. CSV has this "
      "instead of the steps");
  add_messages(*verb, options->engine);
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

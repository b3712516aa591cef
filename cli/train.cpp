// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/runs.hpp"
#include "cli/several.hpp"
#include "cli/verbs.hpp"
#include "cli/what_if.hpp"
#include "cli/workload_options.hpp"
#include "model/ranges.hpp"
#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "support/notes.hpp"
#include "support/text.hpp"
#include "workloads/playing/rows.hpp"
#include "workloads/playing/shown.hpp"
#include "workloads/training/convergence.hpp"
#include "workloads/training/step.hpp"

namespace collcast::cli {
using namespace workloads;

using namespace report;

namespace {

struct TrainOptions : TrainingText, Shown {
  std::string platform, steps, engine;
  std::vector<std::string> ranks;
  bool layers = false;
  WhatIf what_if;
};

bool differ(const Json& rows, const char* key) {
  return std::ranges::any_of(rows, [&](const Json& row) { return row[key] != rows[0][key]; });
}

Report report_of(const TrainOptions& options, const Training& t, const Description& platform, Runs& runs) {
  Report report = runs.report(
      {{"model", options.model},
       {"platform", platform.name()},
       {"framework", t.framework.name},
       {"policy", runs.playing().policy()},
       {"precision", name(t.precision)},
       {t.whole_batch > 0 ? "global_batch" : "batch", t.whole_batch > 0 ? t.whole_batch : t.batch}},
      t.model.name + " (" + t.model.sample + ", " + number(t.model.parameters() / 1e6) +
          " M parameters) on " + platform.name() + ",\n" + t.framework.name + ", " +
          std::string(name(t.precision)) + ", batch " +
          (t.whole_batch > 0 ? std::to_string(t.whole_batch) + " of all replicas"
                             : std::to_string(t.batch) + " per replica"),
      "step");
  Section& steps = *std::ranges::find(report.sections, "rows", &Section::key);
  const Json& last = steps.rows.back();
  if (options.throughput.empty() && options.layer_times.empty())
    report.remark = std::string("Computation follows a roofline calibrated on published single-GPU runs") +
                    (t.processor.calibrated ? "" : " of other devices") +
                    "; --throughput takes a measured rate instead.\n";
  if (const Json& tuned = last["tuned"]; !tuned.is_null())
    report.remark += "Autotuned for " + text::counted(last["ranks"], "rank") + ": fusion " +
                     bytes(tuned["fusion_B"].get<double>()) + ", cycle " +
                     seconds(tuned["cycle_s"].get<double>()) +
                     (tuned["hierarchical"] ? ", level by level.\n" : ".\n");
  if (!options.throughput.empty() && t.throughput_error == 0)
    report.remark = "The interval takes the throughput as exact; " + options.throughput +
                    "+-2% would say that it may be off by 2 %.\n";
  if (differ(steps.rows, "memory_B")) {
    tell_memory(report);
  } else {
    report.remark += "Memory of a rank: " + gibibytes(last["memory_B"].get<double>());
    if (t.processor.memory > Bytes()) report.remark += " of " + gibibytes(t.processor.memory.value);
    report.remark += ". ";
  }
  if (steps.rows.size() > 1)
    steps.columns.insert(steps.columns.begin() + 2, t.whole_batch > 0
                                                        ? count_of("batch", "batch")
                                                        : count_of("global batch", "global_batch"));
  if (last["staging_s"].is_number())
    report.remark += "Before the first step, staging to " + t.input->stage + " takes " +
                     seconds(last["staging_s"].get<double>()) +
                     (steps.rows.size() > 1 ? " on " + text::counted(last["ranks"], "rank") : "") + ". ";
  report.remark += "Efficiency is against one processor alone";
  report.remark += t.framework.processes_per_gpu > 1         ? ", of one process."
                   : optimizer_share(t) < 1 && !t.throughput ? ", with a rank's share of the optimizer."
                                                             : ".";
  if (const std::string words = not_calibrated(report, options.platform); !words.empty())
    report.remark += '\n' + words;
  return report;
}

/// As CSV it is what the report has instead of its rows.
void tell_layers(Report& report, const Training& t) {
  std::vector<Column> columns{text_of("layer", "layer"), text_of("kind", "kind")};
  if (t.framework.pipeline > 1) columns.push_back(count_of("stage", "stage"));
  std::ranges::move(
      std::vector<Column>{
          number_of("forward", "forward_s", seconds), number_of("backward", "backward_s", seconds),
          number_of("share", "share", text::percent), text_of("limited by", "limited_by"),
          number_of("parameters", "parameters", [](double n) { return text::count(std::llround(n)); })},
      std::back_inserter(columns));
  report.sections.push_back({"layers", layer_rows(t), std::move(columns), std::string::npos,
                             "Layers of one rank of " + std::to_string(t.ranks) + ", for one micro-batch"});
  report.as_csv = "layers";
}

/// The steps' times on a platform.
TimesOn times_of(const TrainOptions& options, const std::vector<Rank>& all) {
  return [&](const Description& platform) {
    Training t = described(options, platform);
    Playing playing(platform, {options.policy, options.engine});
    std::vector<Seconds> times;
    for (const Rank ranks : all) {
      t.ranks = ranks;
      times.push_back(playing.time(t));
    }
    return times;
  };
}

/// The cases, and whether they are several beyond their numbers of ranks.
Several cases(const TrainOptions& options, const CLI::App& line) {
  Several cases("train", line, {"ranks"});
  if (cases.more_than_one()) cases.add("ranks", options.ranks);
  cases.refuse({"--timeline", "--report", "--steps", "--explain", "--layers", "--sensitivity"});
  return cases;
}

int run_train(const TrainOptions& options, const CLI::App& line) {
  if (const Several several = cases(options, line); several.more_than_one())
    return several.answer(options.model, options.format);
  const Description platform = platform_with(options.platform, options.what_if);
  Training t = described(options, platform);
  const std::vector<Rank> all = parse_rank_counts(options.ranks);
  std::optional<Convergence> experience;
  if (!options.steps.empty()) experience = parse_convergence(read_file(options.steps), options.steps);
  for (const Rank ranks : all) require_room(platform, ranks);
  Runs runs(platform, {options.policy, options.engine}, options, all.size());
  std::vector<std::string> notes;
  std::string refusal;
  for (const Rank ranks : all) {
    progress(options.model + " on " + text::counted(ranks, "rank"));
    t.ranks = ranks;
    const StepForecast step = runs.playing().forecast(t);
    Json told = train_row(t, step, runs.playing().price());
    if (experience) add_time_to_accuracy(told, *experience, step);
    if (refusal.empty()) refusal = too_large(t, step);
    for (const std::string& words : cautions(t, step)) add_once(notes, words);
    Training played = t;
    played.framework = step.framework;  // as autotuned
    runs.add(training_job(played), t.model.name, step, std::move(told));
  }
  progress_end();
  Report report = report_of(options, t, platform, runs);
  std::ranges::move(notes, std::back_inserter(report.notes));
  if (t.whole_batch > 0 && all.size() > 1) tell_throughput(report, options.throughput, {"batch"});
  if (options.layers) tell_layers(report, t);
  if (experience)
    std::ranges::find(report.sections, "rows", &Section::key)
        ->columns.push_back(number_of("to accuracy", "time_to_accuracy_s", seconds));
  const TimesOn times = times_of(options, all);
  answer_what_if(report, options.platform, options.what_if, times, times, limit_of(report));
  const bool fit = all.size() == 1 ? refusal.empty() : tell_what_fits(report);
  runs.write_page(report);
  print(report, options.format);
  if (!refusal.empty()) std::cerr << "collcast: " << options.model << " " << refusal << '\n';
  return fit ? 0 : 1;
}

}  // namespace

void add_train(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* verb = app.add_subcommand("train", "How long a training step takes, and what limits it");
  add_training(*verb, *options);
  verb->add_option("-p,--platform", options->platform,
                   "Names from `collcast platforms`, or files. Several values of this, --model, --framework "
                   "(ddp,horovod, and of settings horovod:fusion=16MiB:64MiB:x2), --policy, --engine, "
                   "--precision, --batch, --global-batch, --throughput, --layer-times, --noise, --slowdown, "
                   "--input, --checkpoint or a --set give a row for each combination")
      ->required()
      ->option_text("P[,P...]");
  verb->add_option("-n,--ranks", options->ranks, "Numbers of GPUs or processes, and ranges of them: 8:512:x2")
      ->required()
      ->delimiter(',')
      ->option_text("N[,N...]");
  add_what_if(*verb, options->what_if.set, options->what_if.sensitivity);
  verb->add_option("--steps", options->steps,
                   "A table batch,steps: how many steps of that batch a target accuracy takes; the answer "
                   "adds the time to it")
      ->option_text("FILE.csv");
  verb->add_flag(
      "--explain", options->explain,
      "Where the time goes, by part of the step; with --engine along the chain of causes. CSV has this "
      "instead of the steps");
  verb->add_flag(
          "--layers", options->layers,
          "The time of each layer on the last number of ranks, and what limits it. CSV has this instead "
          "of the steps")
      ->excludes("--explain");
  add_messages(*verb, options->engine);
  add_pictures(*verb, options->pictures);
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast train --model resnet50 --platform summit --ranks 1,6,96,6144 --batch 64 --framework "
      "horovod\n"
      "Example: collcast train --model gpt3-13b --platform dgx-a100 --ranks 64 --batch 32 --precision amp "
      "--framework megatron:tp=8,pp=4,micro-batches=32");
  verb->callback([options, verb, &exit_code] { exit_code = run_train(*options, *verb); });
}

}  // namespace collcast::cli

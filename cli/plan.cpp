// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/plan.hpp"

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "cli/several.hpp"
#include "cli/verbs.hpp"
#include "cli/workload_options.hpp"
#include "model/ranges.hpp"
#include "workloads/playing/planned.hpp"

namespace collcast::cli {
namespace {

using workloads::Planned, workloads::PlanText, workloads::TrainingSetting, workloads::training_settings;

struct PlanOptions : PlanText {
  std::string names, plot;
  Format format = Format::table;
};

int run_plan(PlanOptions& options) {
  options.platforms = listed(options.names);
  if (!options.plot.empty()) report::check_plot(options.plot);
  Planned plan = workloads::planned(options, [](const std::string& what, std::int64_t finished,
                                                std::int64_t all) { progress_of(what, finished, all); });
  progress_end();
  plot(options.plot, {plan.report.title, {report::graph(plan.all, plan.limits)}}, plan.report.notes);
  print(plan.report, options.format);
  return plan.all[0].feasible ? 0 : 1;
}

/// What is planned for. Returns the option of a model.
CLI::Option* add_work(CLI::App& verb, PlanOptions& options) {
  CLI::Option* model = add_training(verb, options)->required(false);
  for (const TrainingSetting& s : training_settings())
    if (CLI::Option* of_model = verb.get_option(option_of(s.key)); of_model != model) of_model->needs(model);
  verb.add_option("--samples", options.samples, "How many samples the model trains on in all")
      ->needs(model)
      ->option_text("X");
  verb.add_option("--trace", options.trace, "Or a recorded run, as `replay` reads it")->option_text("FILE");
  verb.add_option("--job", options.job, "Or an application, or a job's file, as `job` reads it")
      ->option_text("APPLICATION|FILE");
  verb.add_option("--runs", options.runs, "How often the trace or the job runs (default 1)")
      ->excludes(model)
      ->option_text("X");
  return model;
}

/// What is chosen from.
void add_candidates(CLI::App& verb, PlanOptions& options, CLI::Option* model) {
  verb.add_option("-p,--platform", options.names,
                  "Machines to choose from: names from `collcast platforms`, or files. Several of these, of "
                  "--framework, --batch, --global-batch, --precision, --policy, --ranks and a --set make a "
                  "candidate of each combination")
      ->required()
      ->option_text("P[,P...]");
  verb.add_option(
          "-n,--ranks", options.ranks,
          "Numbers of ranks to choose from, and ranges of them: 8:512:x2 (default of a trace: its own)")
      ->delimiter(',')
      ->option_text("N[,N...]");
  CLI::Option* layouts =
      verb.add_flag("--layouts", options.layouts,
                    "Also chooses how ranks share a step out: data, tensor, pipeline, context and expert "
                    "parallelism, recomputation and micro-batches that fit into memory, as far as "
                    "--framework (default here: ddp,zero1,fsdp) leaves them open")
          ->needs(model);
  verb.add_option("--max-tp", options.most_tensor,
                  "Most ranks that share a layer by tensor parallelism (default: those of a node)")
      ->needs(layouts)
      ->option_text("N");
}

void add_aim_and_limits(CLI::App& verb, PlanOptions& options) {
  verb.add_option("--aim", options.aim,
                  "What to minimize: cost (default where all have a price), time (default otherwise), "
                  "energy or nodes")
      ->option_text("cost|time|energy|nodes");
  verb.add_option("--time", options.time, "Limit of the job's time: 90s, 30m, 2h, 3d, 5ms")->option_text("T");
  verb.add_option("--efficiency", options.efficiency,
                  "Least efficiency against one processor alone, as 0.8; of a trace or a job, the share of "
                  "computation")
      ->option_text("X");
  verb.add_option("--cost", options.cost, "Limit of the job's cost, in USD")->option_text("X");
  verb.add_option("--max-power", options.power_limit, "Limit of the power of all nodes together, in W")
      ->option_text("W");
  verb.add_option("--price", options.price, "USD per hour of a platform's node (its node.price_per_hour_USD)")
      ->delimiter(',')
      ->option_text("P=X[,P=X...]");
  verb.add_option("--power", options.power, "W of a platform's node (its node.power_W)")
      ->delimiter(',')
      ->option_text("P=W[,P=W...]");
}

}  // namespace

void add_plan(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* verb = app.add_subcommand("plan", "Which machine, and how many ranks of it, for a job");
  add_candidates(*verb, *options, add_work(*verb, *options));
  add_aim_and_limits(*verb, *options);
  verb->add_option("--set", options->set,
                   "Overrides a parameter of each platform; several values are machines to choose from")
      ->option_text("KEY=VALUE[,...]");
  add_plot(*verb, options->plot, "every candidate's time over its cost, or its nodes");
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast plan --model resnet50 --framework ddp --precision amp --batch 128 --samples 115e6 "
      "--platform "
      "dgx-a100,abci-a --ranks 8:128:x2 --price dgx-a100=20 --price abci-a=18 --time 2h\n"
      "Example: collcast plan --model gpt3-13b --precision amp --global-batch 1024 --samples 1e6 --platform "
      "dgx-a100,dgx-h100 --ranks 64,128 --layouts\n"
      "Example: collcast plan --trace traces/qe-si-8.cct --runs 1e4 --platform summit,edr-cluster --time 1h");
  verb->callback([options, verb, &exit_code] {
    if (options->layouts && verb->count("--framework") == 0)
      options->framework = workloads::layout_frameworks;
    exit_code = run_plan(*options);
  });
}

}  // namespace collcast::cli

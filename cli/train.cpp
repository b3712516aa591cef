// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/group_prices.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/verbs.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "workloads/settings.hpp"
#include "workloads/training/step.hpp"

namespace collcast::cli {
using namespace workloads;

namespace {

struct Options {
  std::string model, platform, framework = "ddp", precision = "fp32", policy;
  std::vector<std::string> ranks, set;
  std::string batch = "32", throughput, slowdown = "0", noise = "0", input;
  Format format = Format::table;
};

double not_negative(const std::string& text, const std::string& what) {
  const double value = parse_real(text, what);
  if (value < 0) throw InputError(what + " must not be negative, got " + text);
  return value;
}

double positive(const std::string& text, const std::string& what) {
  const double value = parse_real(text, what);
  if (value <= 0) throw InputError(what + " must be above 0, got " + text);
  return value;
}

Training described(const Options& options, const Description& platform) {
  Training t;
  t.model = load_model(options.model);
  t.framework = parse_framework(options.framework);
  t.precision = parse_precision(options.precision);
  t.processor = processor(platform, t.precision);
  t.batch = static_cast<int>(parse_count(options.batch, "batch", 1, 1 << 24));
  if (!options.throughput.empty()) t.throughput = positive(options.throughput, "throughput");
  t.slowdown = not_negative(options.slowdown, "slowdown");
  t.noise = not_negative(options.noise, "noise");
  if (!options.input.empty()) t.input = parse_input(options.input);
  t.ranks_per_node = ranks_per_node(platform);
  return t;
}

Json row(const Training& t, const StepForecast& s) {
  Json bottlenecks = Json::object();
  for (const LimitShare& b : s.bottlenecks) bottlenecks[b.name] = b.share;
  return {{"ranks", t.ranks},
          {"step_s", s.time.value},
          {"low_s", s.low.value},
          {"high_s", s.high.value},
          {"samples_per_s", s.samples / s.time.value},
          {"efficiency", s.efficiency},
          {"compute_s", s.compute.value},
          {"exposed_communication_s", s.exposed.value},
          {"hidden_communication_s", s.hidden.value},
          {"waiting_s", s.waiting.value},
          {"io_s", s.input.value},
          {"memory_B", std::llround(s.memory.sum().value)},
          {"limited_by", s.limited_by},
          {"bottlenecks", bottlenecks}};
}

std::string too_large(const Training& t, const StepForecast& s) {
  const MemoryNeed& m = s.memory;
  if (t.processor.memory == Bytes() || m.sum() <= t.processor.memory) return {};
  return "does not fit: a rank needs " + bytes(m.sum().value) + " of " + bytes(t.processor.memory.value) +
         " on " + t.processor.name + " (parameters " + bytes(m.parameters.value) + ", gradients " +
         bytes(m.gradients.value) + ", optimizer " + bytes(m.optimizer.value) + ", activations " +
         bytes(m.activations.value) + ", other " + bytes(m.other.value) + ")";
}

void print_people(const Options& options, const Training& t, const Description& platform, const Json& rows,
                  const std::string& policy) {
  std::cout << t.model.name << " (" << t.model.sample << ", " << number(t.model.parameters() / 1e6)
            << " M parameters) on " << platform.name() << ", " << t.framework.name << ", "
            << name(t.precision) << ", batch " << t.batch << " per replica, " << policy << "\n\n";
  std::vector<std::vector<std::string>> table{{"ranks", "step", "low", "high", "samples/s", "efficiency",
                                               "compute", "exposed", "hidden", "limited by"}};
  for (const Json& r : rows)
    table.push_back({count(r["ranks"]), seconds(r["step_s"]), seconds(r["low_s"]), seconds(r["high_s"]),
                     number(r["samples_per_s"]), text::percent(r["efficiency"]), seconds(r["compute_s"]),
                     seconds(r["exposed_communication_s"]), seconds(r["hidden_communication_s"]),
                     r["limited_by"]});
  print_table(table);
  if (options.throughput.empty())
    std::cout << "\nComputation is a roofline, its efficiencies calibrated on published single-GPU runs; "
                 "--throughput takes a measured one.\n";
  std::cout << "Memory of a rank: " << bytes(rows.back()["memory_B"].get<double>()) << " of "
            << bytes(t.processor.memory.value) << ". Efficiency is against one processor alone.\n";
}

int run(const Options& options) {
  Description platform = load_platform(options.platform);
  override_platform(platform, options.set);
  Training t = described(options, platform);
  std::vector<Rank> all;
  for (const std::string& text : options.ranks) all.push_back(parse_ranks(text));
  GroupForecaster forecaster(platform, options.policy);
  const PriceOf price = group_prices(forecaster);
  Json rows = Json::array();
  std::string refusal;
  for (const Rank ranks : all) {
    progress(options.model + " on " + std::to_string(ranks) + " ranks");
    t.ranks = ranks;
    if (ranks > max_ranks(platform))
      throw InputError(platform.name() + " holds " + std::to_string(max_ranks(platform)) + " ranks, not " +
                       std::to_string(ranks));
    const StepForecast step = forecast_step(t, price);
    rows.push_back(row(t, step));
    if (refusal.empty()) refusal = too_large(t, step);
  }
  progress_end();
  if (options.format == Format::json)
    print_json({{"model", options.model},
                {"platform", platform.name()},
                {"framework", t.framework.name},
                {"policy", forecaster.policy()},
                {"precision", name(t.precision)},
                {"batch", t.batch},
                {"rows", rows}});
  else if (options.format == Format::csv)
    print_csv(rows);
  else
    print_people(options, t, platform, rows, forecaster.policy());
  if (refusal.empty()) return 0;
  std::cerr << "collcast: " << options.model << " " << refusal << '\n';
  return 1;
}

void list_models(Format format) {
  Json rows = Json::array();
  std::vector<std::vector<std::string>> table{{"model", "parameters", "forward", "description"}};
  for (const ModelName& known : model_names()) {
    const Model m = load_model(std::string(known.name));
    rows.push_back({{"model", known.name},
                    {"parameters", m.parameters()},
                    {"flops", m.flops()},
                    {"sample", m.sample},
                    {"description", known.description},
                    {"source", m.source}});
    table.push_back({std::string(known.name), number(m.parameters() / 1e6) + " M",
                     number(m.flops() / 1e9) + " GFLOP", std::string(known.description)});
  }
  if (format == Format::json)
    std::cout << dump(rows, 2) << '\n';
  else if (format == Format::csv)
    print_csv(rows);
  else
    print_table(table);
}

std::string listed_frameworks() {
  std::string text;
  for (const FrameworkName& f : framework_names())
    text += (text.empty() ? "" : "; ") + std::string(f.name) + " (" + std::string(f.description) + ")";
  return text;
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
  add_format(*verb, options->format);
  verb->footer("Example: collcast models gpt:layers=24,hidden=1024,heads=16 > my.csv");
  verb->callback([options] {
    if (options->model.empty()) return list_models(options->format);
    std::cout << model_csv(load_model(options->model));
  });
}

void add_train(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("train", "How long a training step takes, and what limits it");
  verb->add_option("--model", options->model,
                   "A name from `collcast models`, with sizes behind a colon, or a table")
      ->required()
      ->option_text("M");
  verb->add_option("--platform", options->platform, "A name from `collcast platforms`, or a file")
      ->required()
      ->option_text("P");
  verb->add_option("--ranks", options->ranks, "How many GPUs or processes")
      ->required()
      ->delimiter(',')
      ->option_text("N[,N...]");
  verb->add_option("--batch", options->batch, "Samples of a replica in a step (default 32)")
      ->option_text("B");
  verb->add_option("--precision", options->precision, "fp32 (default), tf32 or amp")
      ->option_text("fp32|tf32|amp");
  verb->add_option("--framework", options->framework,
                   "ddp (default) or another, with settings behind a colon: " + listed_frameworks() +
                       "; all take compression=fp16, tp, pp, micro-batches, schedule=1f1b|gpipe, interleave, "
                       "sequence, recompute")
      ->option_text("F");
  verb->add_option("--policy", options->policy,
                   "What chooses and sends collectives, as in predict (default nccl-2.8 between GPUs)")
      ->option_text("L");
  verb->add_option("--throughput", options->throughput,
                   "Samples per second of one processor, measured at this batch")
      ->option_text("X");
  verb->add_option("--slowdown", options->slowdown,
                   "Computation takes 1 + X times as long while collectives run (default 0; measured ones "
                   "are 0.1 to 0.4)")
      ->option_text("X");
  verb->add_option("--noise", options->noise,
                   "Standard deviation of ranks' computation, relative: the slowest decides (default 0)")
      ->option_text("X");
  verb->add_option("--input", options->input,
                   "Where samples come from: packed or files, with what is on their way behind a colon: "
                   "sample=SIZE, shared, local and copy in GB/s, opens a second, decode=TIME, cores")
      ->option_text("I");
  verb->add_option("--set", options->set, "Overrides a platform parameter, e.g. network.bandwidth_GBps=25")
      ->option_text("KEY=VALUE");
  add_format(*verb, options->format);
  verb->footer(
      "Example: collcast train --model resnet50 --platform summit --ranks 1,6,96,6144 --batch 64 --framework "
      "horovod\n"
      "Example: collcast train --model gpt3-13b --platform dgx-a100 --ranks 64 --batch 32 --precision amp "
      "--framework megatron:tp=8,pp=4,micro-batches=32");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace collcast::cli

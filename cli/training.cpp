// SPDX-License-Identifier: Apache-2.0
#include "cli/training.hpp"

#include <cmath>

#include "cli/jobs.hpp"
#include "cli/options.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "workloads/settings.hpp"

namespace collcast::cli {
using namespace workloads;

namespace {

/// Not negative.
double share(const std::string& text, const std::string& what) {
  const double value = parse_real(text, what);
  if (value < 0) throw InputError(what + " must not be negative, got " + text);
  return value;
}

std::string listed_frameworks() {
  std::string text;
  for (const FrameworkName& f : framework_names())
    text += (text.empty() ? "" : "; ") + std::string(f.name) + " (" + std::string(f.description) + ")";
  return text;
}

}  // namespace

CLI::Option* add_training(CLI::App& verb, TrainingText& text) {
  CLI::Option* model = verb.add_option("-m,--model", text.model,
                                       "A name from `collcast models`, with sizes after a colon, or a table");
  model->required()->option_text("M");
  verb.add_option("--batch", text.batch, "Samples per replica in a step (default 32)")->option_text("B");
  verb.add_option("--precision", text.precision, "fp32 (default), tf32 or amp")->option_text("fp32|tf32|amp");
  verb.add_option(
          "--framework", text.framework,
          "ddp (default) or another, with settings after a colon: " + listed_frameworks() +
              "; those that allreduce gradients take hierarchical; all take compression=fp16, tp, "
              "pp, micro-batches, schedule=1f1b|gpipe, interleave, balance=A/B/.. (layers of each part), "
              "sequence, ep, imbalance, sp, recompute=1|except-last, per-gpu")
      ->option_text("F");
  verb.add_option("--policy", text.policy,
                  "The library that chooses and sends collectives, as in predict (default between GPUs: "
                  "nccl-2.8, or the first release that supports them)")
      ->option_text("L");
  verb.add_option("--throughput", text.throughput,
                  "Samples per second of one processor, measured at this batch without recomputation")
      ->option_text("X");
  verb.add_option("--slowdown", text.slowdown,
                  "Computation takes 1 + X times as long while collectives run (default 0; measured ones "
                  "are 0.1 to 0.4)")
      ->option_text("X");
  verb.add_option("--noise", text.noise,
                  "Standard deviation of ranks' computation, relative: the slowest decides (default 0)")
      ->option_text("X");
  verb.add_option("--input", text.input,
                  "Where samples are read from: packed or files, with settings after a colon: "
                  "sample=SIZE, shared, local and copy in GB/s, opens a second, decode=TIME, cores")
      ->option_text("I");
  verb.add_option("--checkpoint", text.checkpoint,
                  "Writes parameters and optimizer state from time to time: blocking or background, with "
                  "settings after a colon: every=STEPS, shared, node and copy in GB/s")
      ->option_text("C");
  return model;
}

std::span<const TrainingSetting> training_settings() {
  using Text = const std::string&;
  static constexpr TrainingSetting all[] = {
      {"model", &TrainingText::model, [](Training& t, Text text) { t.model = load_model(text); }},
      {"framework", &TrainingText::framework,
       [](Training& t, Text text) { t.framework = parse_framework(text); }},
      {"precision", &TrainingText::precision,
       [](Training& t, Text text) { t.precision = parse_precision(text); }},
      {"batch", &TrainingText::batch,
       [](Training& t, Text text) { t.batch = static_cast<int>(parse_count(text, "batch", 1, 1 << 24)); }},
      {"throughput", &TrainingText::throughput,
       [](Training& t, Text text) { t.throughput = above_zero(text, "throughput"); }},
      {"slowdown", &TrainingText::slowdown,
       [](Training& t, Text text) { t.slowdown = share(text, "slowdown"); }},
      {"noise", &TrainingText::noise, [](Training& t, Text text) { t.noise = share(text, "noise"); }},
      {"input", &TrainingText::input, [](Training& t, Text text) { t.input = parse_input(text); }},
      {"checkpoint", &TrainingText::checkpoint,
       [](Training& t, Text text) { t.checkpoint = parse_checkpoint(text); }}};
  return all;
}

Training described(const TrainingText& text, const Description& platform) {
  Training t;
  for (const TrainingSetting& s : training_settings())
    if (!(text.*s.text).empty()) s.put(t, text.*s.text);
  t.processor = processor(platform, t.precision);
  t.ranks_per_node = ranks_per_node(platform);
  return t;
}

Json row(const Training& t, const StepForecast& s) {
  Json bottlenecks = Json::object(), tuned;
  if (const Framework& f = s.framework; f.autotune)
    tuned = {{"fusion_B", f.fusion.value}, {"cycle_s", f.cycle.value}, {"hierarchical", f.hierarchical}};
  for (const LimitShare& b : s.bottlenecks) bottlenecks[b.name] = b.share;
  Json row = run_row(t.ranks, t.ranks_per_node, s, s.samples);
  row.update({{"flops_per_s", s.samples * (t.model.flops() + t.model.backward_flops()) / s.time.value},
              {"efficiency", s.efficiency},
              {"agreement_s", s.agreement.value},
              {"waiting_s", s.waiting.value},
              {"io_s", s.input.value},
              {"checkpoint_s", s.checkpoint.value},
              {"memory_B", std::llround(s.memory.sum().value)},
              {"tuned", tuned},
              {"bottlenecks", bottlenecks}});
  return row;
}

}  // namespace collcast::cli

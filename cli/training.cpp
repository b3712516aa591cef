// SPDX-License-Identifier: Apache-2.0
#include "cli/training.hpp"

namespace collcast::cli {
using namespace workloads;

namespace {

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
              "; those that allreduce gradients take hierarchical=1; all take compression=fp16, tp, "
              "pp, micro-batches, schedule=1f1b|gpipe, interleave, balance=A/B/.. (layers of each part), "
              "sequence=1, ep, imbalance, sp, recompute=1|selective|except-last, per-gpu")
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

}  // namespace collcast::cli

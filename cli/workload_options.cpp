// SPDX-License-Identifier: Apache-2.0
#include "cli/workload_options.hpp"

#include "cli/options.hpp"
#include "support/text.hpp"

namespace collcast::cli {
using namespace workloads;

namespace {

std::string listed_frameworks() {
  return text::join(framework_names(), "; ", [](const FrameworkName& f) {
    return std::string(f.name) + " (" + std::string(f.description) + ")";
  });
}

}  // namespace

void add_trace_files(CLI::App& verb, std::vector<std::string>& files, std::string& steps) {
  verb.add_option("trace", files,
                  "A trace, or one file per rank: " + text::join(formats(), ", ", &TraceFormat::what))
      ->required()
      ->option_text("FILE...");
  verb.add_option("--steps", steps, "Only these steps of a profiler trace, by their numbers")
      ->option_text("A[-B]");
}

void add_replay_options(CLI::App& verb, ReplayText& text) {
  add_texts(verb,
            {{"--fusion", &text.fusion, "SIZE",
              "Fuses the tensors of a Horovod timeline anew, up to SIZE (0: does not fuse)"},
             {"--cycle", &text.cycle, "T", "Fuses them in rounds of this length"},
             {"--bucket", &text.bucket, "SIZE",
              "Regroups gradients that are allreduced during computation, as PyTorch's DDP does, into "
              "buckets of SIZE"},
             {"--nonblocking", &text.nonblocking, "COLLECTIVE[+...]",
              "Makes these blocking collectives nonblocking, each waited for before the next call on its "
              "communicator: the most that can be hidden. Names joined by +, all or none"},
             {"--offload", &text.offload, "COLLECTIVE[+...]",
              "Collectives that the nodes' DPUs play while ranks compute: started and waited for as "
              "with --nonblocking, in the time that `predict --offload dpu` forecasts"},
             {"--pieces", &text.pieces, "K",
              "Pieces in which DPUs pipeline what is offloaded, as in predict (default 1)"},
             {"--delivery", &text.delivery, "staged|direct",
              "Where DPUs put what they send, as in job: staged (default) or direct"},
             {"-n,--ranks", &text.ranks, "N",
              "More or fewer than the trace's: replicas along its data dimension"}});
  for (const char* of_offload : {"--pieces", "--delivery"}) verb.get_option(of_offload)->needs("--offload");
  verb.add_option("-a,--algorithm", text.algorithms,
                  "Algorithm of one collective, e.g. allreduce=ring, or of its messages from a size on: "
                  "allreduce@64KiB=ring; the others take what --policy chooses")
      ->option_text("COLLECTIVE[@SIZE]=A");
  add_policy(verb, text.policy,
             "The library that chooses for the other collectives, per communicator (default: fastest; for "
             "recorded NCCL calls the platform's `library`)");
  add_engine(verb, text.engine, true);
  add_placement(verb, text.placement);
  verb.add_option("--compute-scale", text.compute_scale,
                  "Multiplies the recorded time of computation, on a CPU or a GPU (default 1)")
      ->option_text("X");
  add_memories(verb, text.memory, "device for traces of GPUs, else host");
}

CLI::Option* add_training(CLI::App& verb, TrainingText& text) {
  CLI::Option* model = verb.add_option("-m,--model", text.model,
                                       "A name from `collcast models`, with sizes after a colon, or a table");
  model->required()->option_text("M");
  add_texts(verb,
            {{"--batch", &text.batch, "B", "Samples per replica in a step (default 32)"},
             {"--global-batch", &text.global_batch, "B",
              "Samples of all replicas in a step, instead of --batch: replicas x micro-batches divide it"},
             {"--precision", &text.precision, "fp32|tf32|amp|fp8",
              "fp32 (default), tf32, amp (also called fp16, bf16 or mixed: all the same) or fp8"},
             {"--framework", &text.framework, "F",
              "ddp (default) or another, with settings after a colon: " + listed_frameworks() +
                  "; all take compression=fp16, tp, sequence=1, tp-overlap=none|backward|all, cp, sp, "
                  "micro-batches, schedule=1f1b|gpipe, "
                  "recompute=1|selective|except-last; all but fsdp and zero3 pp, scatter=1, interleave, "
                  "balance=A/B/.. (blocks or layers of each part); those that allreduce gradients "
                  "hierarchical=1 (on full nodes, without tp, pp, cp and sp); ddp, megatron, zero1, zero2, "
                  "per-tensor, "
                  "one, tf-distribute, ddl and gems ep, imbalance; those that allreduce in buckets or rounds "
                  "per-gpu"}});
  verb.get_option("--global-batch")->excludes("--batch");
  add_library(verb, text.policy);
  add_texts(verb,
            {{"--throughput", &text.throughput, "X[+-E]",
              "Samples per second of one processor, measured at this batch without recomputation; +-E or "
              "+-E% behind it: what it may be off by (default 0)"},
             {"--layer-times", &text.layer_times, "FILE.csv",
              "A table layer,forward_ms,backward_ms[,samples], measured on one processor: replaces the "
              "roofline for these layers, or for all a.* of a row a"},
             {"--slowdown", &text.slowdown, "X",
              "Computation takes 1 + X times as long while collectives run (default 0; measured ones "
              "are 0.1 to 0.4)"},
             {"--noise", &text.noise, "X",
              "Standard deviation of ranks' computation, relative: the slowest decides (default 0)"},
             {"--input", &text.input, "I",
              "Where samples are read from: packed or files, with settings after a colon: "
              "from=NAME of the platform's storage (or nvme, ram), or shared and local in GB/s; "
              "stage=NAME,dataset=SIZE[,whole=1]: copied there first; target in GB/s, stripes, sample=SIZE, "
              "copy in GB/s, opens a second, decode=TIME, cores"},
             {"--checkpoint", &text.checkpoint, "C",
              "Writes parameters and optimizer state from time to time: blocking or background, with "
              "settings after a colon: every=STEPS, to=NAME of the platform's storage, or shared and node in "
              "GB/s; copy and target in GB/s, stripes"}});
  verb.get_option("--layer-times")->excludes("--throughput");
  return model;
}

}  // namespace collcast::cli

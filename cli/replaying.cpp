// SPDX-License-Identifier: Apache-2.0
#include "cli/replaying.hpp"

#include "cli/offload.hpp"
#include "cli/options.hpp"
#include "replay/application/report.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::cli {
namespace {

bool is_collective(const std::string& operation) {
  return operation != "send" && operation != "recv" && operation != "wait";
}

}  // namespace

void add_replaying(CLI::App& verb, ReplayText& text) {
  verb.add_option("--fusion", text.fusion,
                  "Fuses the tensors of a Horovod timeline anew, up to S bytes (0: does not fuse)")
      ->option_text("SIZE");
  verb.add_option("--cycle", text.cycle, "Fuses them in rounds of this length")->option_text("T");
  verb.add_option("--bucket", text.bucket,
                  "Regroups gradients that are allreduced during computation, as PyTorch's DDP does, into "
                  "buckets of S bytes")
      ->option_text("SIZE");
  verb.add_option("--nonblocking", text.nonblocking,
                  "Makes these blocking collectives nonblocking, each waited for before the next call on its "
                  "communicator: the most that can be hidden. Names joined by +, all or none")
      ->option_text("COLLECTIVE[+...]");
  CLI::Option* offload =
      verb.add_option("--offload", text.offload,
                      "Collectives that the nodes' DPUs play while ranks compute: started and waited for as "
                      "with --nonblocking, in the time that `predict --offload dpu` forecasts")
          ->option_text("COLLECTIVE[+...]");
  verb.add_option("--pieces", text.pieces,
                  "Pieces in which DPUs pipeline what is offloaded, as in predict (default 1)")
      ->needs(offload)
      ->option_text("K");
  verb.add_option("--delivery", text.delivery,
                  "Where DPUs put what they send, as in job: staged (default) or direct")
      ->needs(offload)
      ->option_text("staged|direct");
  verb.add_option("-n,--ranks", text.ranks,
                  "More or fewer than the trace's: replicas along its data dimension")
      ->option_text("N");
  verb.add_option("-a,--algorithm", text.algorithms,
                  "Algorithm of one collective, e.g. allreduce=ring, or of its messages from a size on: "
                  "allreduce@64KiB=ring; the others take the fastest by critical path")
      ->option_text("COLLECTIVE[@SIZE]=A");
  add_policy(verb, text.policy,
             "The library that chooses for the other collectives, per communicator (default: fastest; for "
             "recorded NCCL calls nccl-2.8, or the first release that supports the GPUs)");
  add_engine(verb, text.engine, true);
  add_placement(verb, text.placement);
  verb.add_option("--compute-scale", text.compute_scale,
                  "Multiplies the recorded CPU time of computation (default 1)")
      ->option_text("X");
  add_memory(verb, text.memory);
}

Json replay_row(const Source& trace, const Description& platform, const ReplayOptions& options,
                const ReplayReport& report) {
  const Occupancy seats = occupancy(Machine(platform, trace.ranks(), options.placement));
  Json dearest, dearest_time = 0.0;
  for (const auto& o : report.operations)
    if (is_collective(o.name)) {
      dearest = o.name, dearest_time = o.time.value;
      break;
    }
  Json row{{"platform", platform.name()},
           {"ranks", trace.ranks()},
           {"nodes", seats.nodes},
           {"ranks_per_node", seats.on_a_node}};
  row.update(report::totals(report));
  row["dearest_collective"] = dearest, row["dearest_collective_s"] = dearest_time;
  return row;
}

}  // namespace collcast::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/offload.hpp"

#include "support/strict_options.hpp"

namespace collcast::cli {

void add_offload(CLI::App& verb, Offload& options) {
  CLI::Option* offload =
      verb.add_option("--offload", options.who,
                      "Ranks compute during the collective, and the answer says how much of it that hides, "
                      "as OSU's benchmarks do. dpu: cores of each node's DPU play it; none: the ranks "
                      "themselves do, as far as they get")
          ->check(one_of({"dpu", "none"}))
          ->option_text("dpu|none");
  verb.add_option("--workers", options.workers, "Cores of a node's DPU that play (default: all)")
      ->needs(offload)
      ->option_text("W");
  verb.add_option(
          "--pieces", options.pieces,
          "Pieces of the message in a pipeline: copied to the DPU, exchanged, copied back (default 1)")
      ->needs(offload)
      ->option_text("K");
  verb.add_option("--compute", options.compute, "Computation of a rank (default: as long as the collective)")
      ->needs(offload)
      ->option_text("SECONDS");
}

}  // namespace collcast::cli

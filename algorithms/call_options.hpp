// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "algorithms/call_text.hpp"

namespace collcast {

/// The options of a call, of any program. `on_platform`: segments and ranks per node default to the
/// platform's.
inline void add_call_options(CLI::App& verb, CallText& options, bool on_platform = true) {
  verb.add_option("--root", options.root, "Root rank (default 0)")->option_text("R");
  const auto standard = [&](const std::string& plain) {
    return " (default" + std::string(on_platform ? ": the fastest; with --policy " : " ") + plain + ")";
  };
  verb.add_option("--radix", options.radix, "Radix k of k-nomial and Bruck algorithms" + standard("2"))
      ->option_text("K");
  verb.add_option("--segment", options.segment,
                  on_platform ? "Segment size of pipelined algorithms; auto (default) searches for the "
                                "fastest, from 64 B up, by critical path, and with "
                                "contention where messages meet"
                              : "Segment size of pipelined algorithms (default 64KiB)")
      ->option_text(on_platform ? "SIZE|auto" : "SIZE");
  verb.add_option("--channels", options.channels, "Rings side by side of multi-ring" + standard("1"))
      ->option_text("C");
  verb.add_option(
          "--counts", options.counts,
          "For alltoallv, gatherv, ...: sizes of each rank's block, or of each pair's, row by row; zeros are "
          "fine (default: all equal)")
      ->delimiter(',')
      ->option_text("S,S,...");
  verb.add_option("--buffer", options.buffer,
                  "Largest aggregated message of pat (default: no limit; NCCL: 512KiB)")
      ->option_text("SIZE");
  verb.add_option(
          "--ranks-per-node", options.ranks_per_node,
          "Ranks per node of hierarchical algorithms, which need a divisor of the ranks (default: " +
              std::string(on_platform ? "the platform's, where that divides them, else 1). They sit where "
                                        "--placement says"
                                      : "1)"))
      ->option_text("Q");
}

}  // namespace collcast

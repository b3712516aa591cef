// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_files.hpp"

namespace collcast::cli {

void add_trace_files(CLI::App& verb, std::vector<std::string>& files, std::string& steps) {
  std::string known;
  for (const TraceFormat& f : formats()) known += (known.empty() ? "" : ", ") + std::string(f.what);
  verb.add_option("trace", files, "A trace, or one file per rank: " + known)
      ->required()
      ->option_text("FILE...");
  verb.add_option("--steps", steps, "Only these steps of a profiler trace, by their numbers")
      ->option_text("A[-B]");
}

}  // namespace collcast::cli

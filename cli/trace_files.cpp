// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_files.hpp"

#include <charconv>

#include "support/error.hpp"

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

OpenOptions steps(const std::string& text) {
  OpenOptions options;
  if (text.empty()) return options;
  const char* const end = text.data() + text.size();
  const auto [middle, error] = std::from_chars(text.data(), end, options.first_step);
  options.last_step = options.first_step;
  bool good = error == std::errc() && options.first_step >= 0;
  if (good && middle != end) {
    const auto [last, last_error] = std::from_chars(middle + 1, end, options.last_step);
    good =
        *middle == '-' && last_error == std::errc() && last == end && options.last_step >= options.first_step;
  }
  if (!good) throw InputError("--steps takes A or A-B, as in 3-5, got '" + text + "'");
  return options;
}

}  // namespace collcast::cli

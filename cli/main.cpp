// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <limits>
#include <string>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/interrupt.hpp"
#include "support/error.hpp"
#include "support/printable.hpp"
#include "support/standard_streams.hpp"

namespace {

constexpr int bad_input = 2, substrate_failed = 3, interrupted = 130;

/// Prints "collcast: what" on one line; returns the exit code.
int report(const std::string& what, int code) {
  std::cerr << "collcast: " << collcast::one_line(what) << '\n';
  return code;
}

/// Keeps freed memory in the process, for the next reading to use. The system would clear its pages each
/// time.
void keep_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

int run(int argc, char** argv) {
  CLI::App app;
  int exit_code = 0;
  collcast::cli::describe(app, exit_code);
  try {
    collcast::cli::take(app, {argv + std::min(1, argc), argv + argc});
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return report(collcast::cli::mistake(app, argc, argv, e), bad_input);
  }
  return exit_code;
}

std::string words(int argc, char** argv) {
  std::string all;
  for (int i = 1; i < argc; ++i) all += std::string(" ") + argv[i];
  return all;
}

/// The exit code of a run, however it ended.
int guarded(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const collcast::InputError& e) {
    return report(e.what(), bad_input);
  } catch (const std::exception& e) {
    const bool memory = collcast::lacks_memory(e);
    return report(memory ? "there is not enough memory for:" + words(argc, argv) : e.what(),
                  substrate_failed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  keep_memory();
  collcast::prepare_standard_streams();
  const int code = guarded(argc, argv);
  const std::string trouble = collcast::output_trouble();
  if (!trouble.empty() && code < bad_input) return report(trouble, substrate_failed);
  return collcast::cli::interrupted() ? interrupted : code;
}

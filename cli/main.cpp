// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <limits>
#include <string>
#include <vector>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli/help.hpp"
#include "cli/interrupt.hpp"
#include "cli/verbs.hpp"
#include "support/error.hpp"
#include "support/printable.hpp"
#include "support/standard_streams.hpp"
#include "support/strict_options.hpp"

namespace {

constexpr int bad_input = 2, substrate_failed = 3, interrupted = 130;

/// "collcast: what", on one line, and the exit code that belongs to it.
int report(const std::string& what, int code) {
  std::cerr << "collcast: " << collcast::one_line(what) << '\n';
  return code;
}

/// What one reading gives back the next one takes again; the system would clear its pages each time.
void keep_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

/// CLI11 takes a -- behind a list for the end of the list: a second one begins the command.
void keep_command(const CLI::App& verb, std::vector<std::string>& words) {
  const auto dashes = std::ranges::find(words, "--");
  if (dashes == words.end() || verb.get_option_no_throw("command") == nullptr) return;
  const auto last = std::find_if(std::make_reverse_iterator(dashes), words.rend(),
                                 [](const std::string& word) { return word.starts_with('-'); });
  if (last == words.rend()) return;
  const CLI::Option* option = verb.get_option_no_throw(last->substr(0, last->find('=')));
  if (option != nullptr && option->get_allow_extra_args()) words.insert(dashes, "--");
}

int run(int argc, char** argv) {
  CLI::App app{"Forecasts how long collective communication takes, and what it does to an application.",
               "collcast"};
  app.require_subcommand(1);
  app.set_version_flag("-V,--version", COLLCAST_VERSION);
  int exit_code = 0;
  for (auto add : {collcast::cli::add_algorithms, collcast::cli::add_platforms, collcast::cli::add_prove,
                   collcast::cli::add_predict,    collcast::cli::add_export,    collcast::cli::add_inspect,
                   collcast::cli::add_convert,    collcast::cli::add_replay,    collcast::cli::add_compare,
                   collcast::cli::add_record,     collcast::cli::add_validate,  collcast::cli::add_calibrate,
                   collcast::cli::add_models,     collcast::cli::add_train,     collcast::cli::add_job,
                   collcast::cli::add_sweep,      collcast::cli::add_tune,      collcast::cli::add_plan,
                   collcast::cli::add_synthesize, collcast::cli::add_gap,       collcast::cli::add_explain,
                   collcast::cli::add_man,        collcast::cli::add_completion})
    add(app, exit_code);
  collcast::make_strict(app);
  collcast::cli::format_help(app);
  try {
    std::vector<std::string> words(argv + std::min(1, argc), argv + argc);
    if (!words.empty() && words[0] == "help") words.erase(words.begin()), words.push_back("--help");
    if (!words.empty() && !words[0].starts_with('-') && words[0] != "version")
      if (const std::string what = collcast::cli::no_verb(words[0], app); !what.empty())
        throw collcast::InputError(what);
    if (!words.empty() && words[0] == "version") words[0] = "--version";
    if (!words.empty() && words[0] != "record")  // mpirun's own words of `record` and behind --
      std::replace(words.begin(), std::ranges::find(words, "--"), std::string("-np"), std::string("-n"));
    if (!words.empty() && !words[0].starts_with('-')) {
      collcast::refuse_empty_items(*app.get_subcommand(words[0]), words);
      keep_command(*app.get_subcommand(words[0]), words);
    }
    std::ranges::reverse(words);  // as CLI11 takes them
    app.parse(std::move(words));
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

/// The exit code of a run, whatever became of it.
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

// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"

#include <algorithm>
#include <iterator>

#include "cli/help.hpp"
#include "cli/verbs.hpp"
#include "support/error.hpp"
#include "support/strict_options.hpp"

namespace collcast::cli {
namespace {

/// CLI11 takes a -- after a list for the end of the list. A second one is added then, which begins the
/// command.
void keep_command(const CLI::App& verb, std::vector<std::string>& words) {
  const auto dashes = std::ranges::find(words, "--");
  if (dashes == words.end() || verb.get_option_no_throw("command") == nullptr) return;
  const auto last = std::find_if(std::make_reverse_iterator(dashes), words.rend(),
                                 [](const std::string& word) { return word.starts_with('-'); });
  if (last == words.rend()) return;
  const CLI::Option* option = verb.get_option_no_throw(last->substr(0, last->find('=')));
  if (option != nullptr && option->get_allow_extra_args()) words.insert(dashes, "--");
}

}  // namespace

void describe(CLI::App& app, int& exit_code) {
  app.description("Forecasts how long collective communication takes, and what it does to an application.");
  app.name("collcast");
  app.require_subcommand(1);
  app.set_version_flag("-V,--version", COLLCAST_VERSION);
  for (auto add : {add_algorithms, add_platforms, add_prove,   add_predict, add_export,    add_inspect,
                   add_convert,    add_replay,    add_compare, add_record,  add_validate,  add_calibrate,
                   add_models,     add_train,     add_job,     add_sweep,   add_tune,      add_plan,
                   add_synthesize, add_gap,       add_explain, add_man,     add_completion})
    add(app, exit_code);
  make_strict(app);
  format_help(app);
}

void take(CLI::App& app, std::vector<std::string> words) {
  if (!words.empty() && words[0] == "help") words.erase(words.begin()), words.push_back("--help");
  if (!words.empty() && words[0] == "version") words[0] = "--version";
  if (!words.empty() && !words[0].starts_with('-')) {
    if (const std::string what = no_verb(words[0], app); !what.empty()) throw InputError(what);
    if (words[0] != "record")  // words of `record` and after -- are mpirun's own
      std::replace(words.begin(), std::ranges::find(words, "--"), std::string("-np"), std::string("-n"));
    const CLI::App& verb = *app.get_subcommand(words[0]);
    refuse_empty_items(verb, words);
    keep_command(verb, words);
  }
  std::ranges::reverse(words);  // CLI11 takes them in reverse
  app.parse(std::move(words));
}

}  // namespace collcast::cli

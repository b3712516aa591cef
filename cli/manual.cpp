// SPDX-License-Identifier: Apache-2.0
#include "cli/manual.hpp"

#include <iostream>
#include <set>

#include "algorithms/catalogue.hpp"
#include "cli/verbs.hpp"
#include "libraries/policy.hpp"
#include "libraries/tuner/tuner.hpp"
#include "model/collective.hpp"
#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/output_file.hpp"
#include "support/suggest.hpp"
#include "workloads/models/model.hpp"
#include "workloads/training/framework.hpp"

namespace collcast::cli {
namespace {

/// The names of the algorithms of all collectives.
std::vector<std::string> algorithm_names() {
  std::set<std::string> names;
  for (const Algorithm* a : catalogue()) names.insert(a->name);
  return {names.begin(), names.end()};
}

/// The names of a list's items.
template <class List>
std::vector<std::string> listed_names(const List& list) {
  std::vector<std::string> names;
  for (const auto& one : list) names.emplace_back(one.name);
  return names;
}

/// The alternatives of "table|json|csv"; none for "SIZE|auto".
std::vector<std::string> alternatives(const std::string& text) {
  if (text.find('|') == std::string::npos ||
      text.find_first_of("[ABCDEFGHIJKLMNOPQRSTUVWXYZ:=") != std::string::npos)
    return {};
  return CLI::detail::split(text, '|');
}

std::vector<std::string> values(const CLI::Option& option) {
  const std::string& name = option.get_single_name();
  if (name == "platform" || name == "on" || name == "base") return shipped_platforms();
  if (name == "collective") return listed_names(definitions());
  if (name == "policy") return policies();
  if (name == "model") return listed_names(workloads::model_names());
  if (name == "framework") return listed_names(workloads::framework_names());
  if (name == "for") return listed_names(tuner::formats());
  if (name == "algorithm" && option.get_option_text() == "A") return algorithm_names();
  return alternatives(option.get_option_text());
}

std::vector<std::string> dashed_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

Manual::Option described(const CLI::Option& option, std::vector<std::string> names) {
  Manual::Option o{std::move(names), {}, option.get_description(), values(option)};
  if (option.get_expected_max() > 0)
    o.text = option.get_option_text().empty() ? option.get_type_name() : option.get_option_text();
  return o;
}

Manual::Verb described(const CLI::App& verb) {
  Manual::Verb v;
  v.name = verb.get_name();
  v.description = verb.get_description();
  v.usage = v.name + " [options]";
  v.examples = verb.get_footer();
  for (const CLI::Option* option : verb.get_options()) {
    if (option->nonpositional()) v.options.push_back(described(*option, dashed_names(*option)));
    if (!option->get_positional()) continue;
    const std::string name = option->get_name(true, false),
                      shown = name + (option->get_expected_max() > 1 ? "..." : "");
    v.words.push_back(described(*option, {name}));
    v.usage += option->get_required() ? " " + shown : " [" + shown + "]";
    if (v.values.empty()) v.values = values(*option);
  }
  return v;
}

}  // namespace

Manual manual(const CLI::App& app) {
  Manual m{app.get_name(), app.get_description(), COLLCAST_VERSION, {}};
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) {
    m.verbs.push_back(described(*verb));
    names.push_back(verb->get_name());
  }
  for (Manual::Verb& v : m.verbs)
    if (v.name == "man") v.values = names;
  return m;
}

void add_man(CLI::App& app, int&) {
  const auto verb_asked = std::make_shared<std::string>(), folder = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("man", "Manual pages: of the program, of a verb, or all into a folder");
  CLI::Option* one =
      verb->add_option("verb", *verb_asked, "The verb (default: the page of the program itself)");
  verb->add_option("-o,--output", *folder, "Writes collcast.1 and a page for each verb into this folder")
      ->excludes(one)
      ->option_text("DIR");
  verb->footer("Example: collcast man predict | man -l -");
  verb->callback([verb_asked, folder, &app] {
    const Manual m = manual(app);
    if (folder->empty()) {
      std::cout << man_page(m, *verb_asked);
      return;
    }
    write_file(*folder + "/collcast.1", man_page(m, ""));
    for (const Manual::Verb& v : m.verbs)
      write_file(*folder + "/collcast-" + v.name + ".1", man_page(m, v.name));
  });
}

void add_completion(CLI::App& app, int&) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* verb =
      app.add_subcommand("completion", "What a shell sources to complete verbs, options and names");
  verb->add_option("shell", *shell, "Whose completion")->required()->option_text("bash|zsh|fish");
  verb->footer("Example: source <(collcast completion bash)");
  verb->callback([shell, &app] { std::cout << completion(manual(app), *shell); });
}

}  // namespace collcast::cli

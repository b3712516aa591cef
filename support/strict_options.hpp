// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/error.hpp"
#include "support/narrow_help.hpp"
#include "support/numbers.hpp"
#include "support/suggest.hpp"

namespace collcast {

/// A validator for CLI11's `check`: the text is one of these words.
inline CLI::Validator one_of(std::vector<std::string> words) {
  return {[words = std::move(words)](const std::string& text) {
            const bool known = std::ranges::find(words, text) != words.end();
            return known ? "" : "'" + text + "' is not known" + suggestion(text, words);
          },
          ""};
}

/// A validator for CLI11's `transform`: the text is one of these words, and becomes its meaning.
template <class T>
CLI::Validator one_of(const std::map<std::string, T>& meanings) {
  std::vector<std::string> words;
  for (const auto& [word, meaning] : meanings) words.push_back(word);
  return {[known = one_of(std::move(words)), meant = CLI::Transformer(meanings)](std::string& text) {
            std::string mistake = known(text);
            return mistake.empty() ? meant(text) : mistake;
          },
          ""};
}

/// Makes options refuse empty texts, and number options refuse all but finite numbers; CLI11 accepts both.
/// Call it once all verbs and options have been added.
inline void make_strict(CLI::App& app) {
  constexpr auto whole = std::numeric_limits<std::int64_t>::max();
  constexpr double any = std::numeric_limits<double>::max();
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (option->get_name() == "command" || option->get_expected_max() == 0) continue;
    option->check([=](const std::string& text) {
      if (text.empty()) return std::string("must not be empty");
      try {
        if (type.starts_with("INT") || type.starts_with("UINT")) parse_count(text, "number", -whole, whole);
        if (type.starts_with("FLOAT")) parse_number(text, "number", -any, any);
      } catch (const std::exception& e) {
        return std::string(e.what());
      }
      return std::string();
    });
  }
  for (CLI::App* verb : app.get_subcommands({})) make_strict(*verb);
}

/// Throws InputError if a list among the words of a verb has an empty item, which CLI11 would drop.
inline void refuse_empty_items(const CLI::App& verb, const std::vector<std::string>& words) {
  for (auto word = words.begin(); word != words.end() && *word != "--"; ++word) {
    if (!word->starts_with('-')) continue;
    const std::string name = word->starts_with("--") ? word->substr(0, word->find('=')) : word->substr(0, 2);
    const CLI::Option* option = verb.get_option_no_throw(name);
    if (!option || option->get_delimiter() != ',') continue;
    const bool apart = name == *word;
    if (apart && word + 1 == words.end()) continue;
    const std::string list = apart ? word[1] : word->substr(name.size() + word->starts_with("--"));
    if (("," + list + ",").find(",,") != std::string::npos)
      throw InputError(name + ": '" + list + "' has an empty item");
  }
}

/// The names of a verb's options: "--format", "-o", ...
inline std::vector<std::string> options_of(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

inline bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
}

/// The first option among the words before `--` that is not one of `known`; empty if all are.
inline std::string unknown_option(const std::vector<std::string>& words,
                                  const std::vector<std::string>& known) {
  const auto is_known = [&](const std::string& name) {
    return std::ranges::find(known, name) != known.end() ||
           (name[1] != '-' && std::ranges::find(known, name.substr(0, 2)) != known.end());
  };
  for (const std::string& word : words) {
    if (word == "--") break;
    if (const std::string name = word.substr(0, word.find('=')); is_option(name) && !is_known(name))
      return name;
  }
  return {};
}

/// The message of CLI11, in the words of these programs if it is a common mistake.
inline std::string plain_words(std::string what) {
  const auto behind = [&](const std::string& words) {
    const auto at = what.find(words);
    return at == std::string::npos ? std::string() : what.substr(at + words.size());
  };
  const auto before = [&](const std::string& words) { return what.substr(0, what.find(words)); };
  if (!behind(": At Most 1 required but received ").empty())
    return before(": At Most 1") + " is given more than once";
  if (!behind(" not in range 0.000000 to ").empty())  // CLI::PositiveNumber
    return before(" not in range") + " must be above 0";
  if (const std::string range = behind(" not in range "); !range.empty() && !behind(": Value ").empty())
    return before(": Value ") + ": '" + before(" not in range ").substr(before(": Value ").size() + 8) +
           "' is not from " + range;
  if (!behind(": 1 required ").empty()) return before(": 1 required ") + " needs a value";
  for (const std::string known : {"argument was not expected: ", "arguments were not expected: "})
    if (const std::string words = behind(known); !words.empty()) return "too many words: " + words;
  return what;
}

/// Parses the arguments strictly. Returns the help if asked for, else an empty text. Throws InputError.
inline std::string parse_strictly(CLI::App& app, int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(1, argc), argv + argc);
  make_strict(app);
  app.formatter(std::make_shared<NarrowHelp>());
  refuse_empty_items(app, words);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::ParseError& e) {
    const std::vector<std::string> known = options_of(app);
    const std::string unknown = unknown_option(words, known);
    throw InputError(unknown.empty() ? plain_words(e.what())
                                     : "there is no " + unknown + suggestion(unknown, known));
  }
  return {};
}

}  // namespace collcast

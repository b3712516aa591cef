// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace collcast::cli {

/// What --help says, as data, from which manual pages and completions are made.
struct Manual {
  struct Option {
    std::vector<std::string> names;  ///< "--format", "-o"
    std::string text;                ///< text for its value: "table|json|csv"; empty: a flag
    std::string description;
    std::vector<std::string> values;  ///< accepted values; empty: files, numbers, ...
  };
  struct Verb {
    std::string name, description, usage;
    std::vector<Option> words;  ///< what has no dash, as the collective
    std::vector<Option> options;
    std::vector<std::string> values;  ///< values of its first word; empty: files
    std::string examples;
  };
  std::string name, description, version;
  std::vector<Verb> verbs;
};
Manual manual(const CLI::App& app);

/// The manual page of one verb, or of the program if `verb` is empty, in the language of man(7).
std::string man_page(const Manual& manual, const std::string& verb);

/// The completion script for bash, zsh or fish. Throws InputError for another shell.
std::string completion(const Manual& manual, const std::string& shell);

}  // namespace collcast::cli

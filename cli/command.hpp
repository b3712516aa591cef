// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace collcast::cli {

/// The program with all its verbs. A verb runs when its words are parsed, and leaves its exit code in
/// `exit_code`.
void describe(CLI::App& app, int& exit_code);

/// Parses the words after the program's name, which runs the verb that they ask for. Throws InputError, and
/// CLI11's errors.
void take(CLI::App& app, std::vector<std::string> words);

}  // namespace collcast::cli

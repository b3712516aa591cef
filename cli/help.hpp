// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace collcast::cli {

/// Lays out --help of the program and of its verbs in 80 columns.
void format_help(CLI::App& app);

/// What to tell the user about a word that is no verb; empty: it is one.
std::string no_verb(const std::string& word, const CLI::App& app);

/// What a refused command line probably meant, in one line: the option that resembles its words, or a list of
/// what there is.
std::string mistake(const CLI::App& app, int argc, char** argv, const CLI::ParseError& error);

}  // namespace collcast::cli

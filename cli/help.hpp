// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace collcast::cli {

/// Lays out --help of the program and of its verbs in 80 columns.
void format_help(CLI::App& app);

/// One line on a refused command line: the verb or option that was probably meant, or a list of them.
std::string mistake(const CLI::App& app, int argc, char** argv, const CLI::ParseError& error);

}  // namespace collcast::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <sstream>
#include <string>

#include "support/wrap.hpp"

namespace collcast {

/// Lays out --help in 80 columns.
class NarrowHelp : public CLI::Formatter {
 public:
  NarrowHelp() { column_width(28); }

  std::string make_option_desc(const CLI::Option* option) const override {
    const bool required = option->get_required();
    return wrap(option->get_description() + (required ? " (required)" : ""), width - get_column_width());
  }
  std::string make_description(const CLI::App* app) const override {
    return wrap(CLI::Formatter::make_description(app), width);
  }
  std::string make_subcommand(const CLI::App* verb) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, verb->get_name(), wrap(verb->get_description(), width - get_column_width()),
                             get_column_width());
    return out.str();
  }
  std::string make_footer(const CLI::App* app) const override {
    return wrap(CLI::Formatter::make_footer(app), width, "    ", " \\");
  }

 private:
  static constexpr std::size_t width = 80;
};

}  // namespace collcast

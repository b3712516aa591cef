// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/report/report.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast::cli {

using report::Format;

/// How many columns the terminal has that answers go to; 0: it is none, or --wide was given.
std::size_t terminal_width();
/// --wide was given.
void show_all_columns();

/// Text for people, with lines that fit the terminal.
void print_text(const std::string& words);

/// "note: words" on standard error: a line, or as many as a terminal needs.
void note(const std::string& words);

/// An answer as JSON. Names that are no UTF-8 show a replacement character.
void print_json(const Json& answer);

/// A table for people: the first row is its header; numbers are aligned to the right.
void print_table(const std::vector<std::vector<std::string>>& rows);

/// An array of flat objects as CSV (RFC 4180), one column per key of the first object.
void print_csv(const Json& rows);

/// A report on standard output; its notes on standard error where they are no part of it.
void print(const report::Report& report, Format format);

using text::bytes;
using text::count;
using text::gbps;
using text::number;
using text::seconds;

}  // namespace collcast::cli

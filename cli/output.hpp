// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/report/report.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast::cli {

using report::Format;

/// How many columns the terminal of standard output has; 0: it is not a terminal, or --wide was given.
std::size_t terminal_width();
/// For --wide.
void show_all_columns();

/// Text for people, with lines that fit the terminal.
void print_text(const std::string& words);

/// Prints "note: words" on standard error, wrapped on a terminal.
void note(const std::string& words);

/// An answer as JSON. Names that are no UTF-8 show a replacement character.
void print_json(const Json& answer);

/// A table for people: the first row is its header; numbers are aligned to the right.
void print_table(const std::vector<std::vector<std::string>>& rows);

/// An array of flat objects as CSV (RFC 4180), one column per key of the first object.
void print_csv(const Json& rows);

/// Prints rows that are the whole answer; as JSON, an array of them.
void print_rows(Json rows, std::vector<report::Column> columns, Format format);

/// Prints a report on standard output, and its notes on standard error if the format has no place for them.
void print(const report::Report& report, Format format);

using text::bytes;
using text::count;
using text::gbps;
using text::number;
using text::seconds;

}  // namespace collcast::cli

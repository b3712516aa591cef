// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/json.hpp"

namespace collcast::report {

enum class Format : std::uint8_t { table, json, csv, markdown };

/// A column of a table, and the text that it shows of a row. Rows are objects of the JSON, so that people and
/// machines read the same numbers.
struct Column {
  std::string title;
  std::function<std::string(const Json& row)> text;
};

/// Rows under one key of the JSON. A section without a key is for people only, one without columns for
/// machines only.
struct Section {
  std::string key;
  Json rows = Json::array();
  std::vector<Column> columns;
  std::size_t shown = std::string::npos;  ///< rows that people see, at most
  std::string title = {};                 ///< a line over the table
};

/// Columns that show a key of the rows, texts and whole numbers, as it is; null is "-".
Column text_of(std::string title, const char* key);
Column count_of(std::string title, const char* key);
/// A column that shows numbers by a function of support/text.hpp: seconds, bytes, percent, ...
Column number_of(std::string title, const char* key, std::string (*text)(double));

/// An answer from which all formats are rendered.
struct Report {
  Json head = Json::object();  ///< the JSON's other keys; null: it is the first section's rows alone
  std::string title;           ///< one line for people
  std::vector<Section> sections;
  std::string remark;              ///< for people, after the tables
  std::vector<std::string> notes;  ///< in the JSON too
  std::string as_csv = {};         ///< key of the section that CSV holds; empty: that of the first with a key
};

/// The JSON of a report.
Json as_json(const Report& report);

/// Renders a report. CSV holds only one section, a column per key of its first row. Tables for people fit
/// `width` characters.
std::string render(const Report& report, Format format, std::size_t width = 0);

/// A table for people: the first row is its header; numbers are aligned to the right. If the columns do not
/// fit `width` characters (0: any number), the last ones are left out and named in a line below; the time
/// goes before what leads to it. `last_stays`: the last column is kept if the first four and the time fit
/// beside it.
std::string text_table(const std::vector<std::vector<std::string>>& rows, std::size_t width = 0,
                       bool last_stays = false);
/// The same in Markdown.
std::string markdown_table(const std::vector<std::vector<std::string>>& rows);
/// An array of flat objects as CSV (RFC 4180), one column per key of the first object.
std::string csv(const Json& rows);

}  // namespace collcast::report

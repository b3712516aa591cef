// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "forecast/report/report.hpp"
#include "support/json.hpp"
#include "support/printable.hpp"

namespace collcast::report {
namespace {

/// Width on a terminal: UTF-8 continuation bytes take no place.
std::size_t width(const std::string& s) {
  std::size_t n = 0;
  for (unsigned char c : s) n += (c & 0xC0) != 0x80;
  return n;
}

bool numeric(const std::string& s) {
  return !s.empty() &&
         (std::isdigit(static_cast<unsigned char>(s[0])) ||
          (s.size() > 1 && (s[0] == '-' || s[0] == '+') && std::isdigit(static_cast<unsigned char>(s[1]))));
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  const std::string text = value.is_string() ? value.get<std::string>() : dump(value);
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::vector<std::vector<std::string>> texts(const Section& section) {
  std::vector<std::vector<std::string>> table(1);
  for (const Column& c : section.columns) table[0].push_back(c.title);
  for (const Json& row : section.rows) {
    if (table.size() > section.shown) break;
    table.emplace_back();
    for (const Column& c : section.columns) table.back().push_back(c.text(row));
  }
  return table;
}

Json json(const Report& report) {
  Json answer = report.head;
  for (const Section& s : report.sections) answer[s.key] = s.rows;
  if (!report.notes.empty()) answer["notes"] = report.notes;
  return answer;
}

}  // namespace

std::string render(const Report& report, Format format) {
  if (format == Format::json) return dump(json(report), 2) + '\n';
  if (format == Format::csv) return csv(report.sections.at(0).rows);
  const bool plain = format == Format::table;
  std::string text = (plain ? "" : "## ") + report.title + "\n";
  for (const Section& s : report.sections)
    if (!s.columns.empty()) text += '\n' + (plain ? text_table(texts(s)) : markdown_table(texts(s)));
  if (!report.remark.empty()) text += '\n' + report.remark + '\n';
  if (!plain)
    for (const std::string& note : report.notes) text += "\n- " + note + '\n';
  return text;
}

std::string text_table(const std::vector<std::vector<std::string>>& cells) {
  if (cells.empty()) return {};
  std::vector<std::vector<std::string>> rows = cells;
  for (auto& row : rows)
    for (std::string& cell : row) cell = printable(cell);
  std::string text;
  const std::size_t columns = rows[0].size();
  std::vector<std::size_t> widths(columns);
  std::vector<bool> right(columns, rows.size() > 1);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], width(rows[r][c]));
      if (r > 0 && !rows[r][c].empty() && rows[r][c] != "-" && !numeric(rows[r][c])) right[c] = false;
    }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string pad(widths[c] - width(row[c]), ' ');
      line += (right[c] ? pad + row[c] : row[c] + pad) + (c + 1 < columns ? "  " : "");
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string markdown_table(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    text += '|';
    for (const std::string& cell : rows[r]) {
      text += ' ';
      for (const char ch : cell) text += ch == '|' ? std::string("\\|") : std::string(1, ch);
      text += " |";
    }
    text += '\n';
    if (r > 0) continue;
    for (std::size_t c = 0; c < rows[0].size(); ++c) text += "| --- ";
    text += "|\n";
  }
  return text;
}

std::string csv(const Json& rows) {
  if (rows.empty()) return {};
  std::string header;
  for (const auto& [key, value] : rows[0].items()) header += (header.empty() ? "" : ",") + csv_cell(key);
  std::string text = header + '\n';
  for (const Json& row : rows) {
    std::string line;
    bool first = true;
    for (const auto& [key, value] : rows[0].items()) {
      line += (first ? "" : ",") + (row.contains(key) ? csv_cell(row[key]) : "");
      first = false;
    }
    text += line + '\n';
  }
  return text;
}

}  // namespace collcast::report

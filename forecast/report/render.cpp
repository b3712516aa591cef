// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>

#include "forecast/report/report.hpp"
#include "support/json.hpp"
#include "support/printable.hpp"
#include "support/text.hpp"
#include "support/wrap.hpp"

namespace collcast::report {
namespace {

std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows[0].size());
  for (const auto& row : rows)
    for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], shown_width(row[c]));
  return widths;
}

/// How many columns, two characters apart, fit `most` characters (0: all); the first always does.
std::size_t fitting(const std::vector<std::size_t>& widths, std::size_t most) {
  std::size_t columns = 1, sum = widths[0];
  while (columns < widths.size() && (most == 0 || sum + 2 + widths[columns] <= most))
    sum += 2 + widths[columns++];
  return columns;
}

constexpr std::size_t least_columns = 4;

/// How many of the first columns a reader needs: four, or as many as lead to the time.
std::size_t needed(const std::vector<std::string>& header) {
  constexpr std::array times = {"time", "step", "total"};
  const auto time =
      std::ranges::find_first_of(header, times, [](const std::string& a, const char* b) { return a == b; });
  const auto place = static_cast<std::size_t>(time - header.begin());
  return std::max(least_columns, place < header.size() ? place + 1 : 0);
}

/// Moves a column that does not fit to where it does, behind `least` of those before it; if they leave no
/// room, it stays.
void keep(std::vector<std::vector<std::string>>& rows, std::size_t column, std::size_t least,
          std::size_t width) {
  const std::vector<std::size_t> widths = column_widths(rows);
  if (fitting(widths, width) > column || widths[column] + 2 >= width) return;
  const std::size_t before = fitting(widths, width - 2 - widths[column]);
  if (before < least) return;
  for (auto& row : rows) {
    const auto from = row.begin() + static_cast<std::ptrdiff_t>(column);
    std::rotate(row.begin() + static_cast<std::ptrdiff_t>(before), from, from + 1);
  }
}

bool numeric(const std::string& s) {
  return !s.empty() &&
         (std::isdigit(static_cast<unsigned char>(s[0])) ||
          (s.size() > 1 && (s[0] == '-' || s[0] == '+') && std::isdigit(static_cast<unsigned char>(s[1]))));
}

/// About so many characters of a word.
std::string cut(const std::string& word, std::size_t most) {
  if (shown_width(word) <= most) return word;
  std::size_t end = most - 2;
  while ((static_cast<unsigned char>(word[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return word.substr(0, end) + "..";
}

/// For a terminal that is too narrow for four columns: shortens the words of the widest one.
void narrow(std::vector<std::vector<std::string>>& rows, std::size_t width) {
  constexpr std::size_t least_word = 8;
  const std::vector<std::size_t> widths = column_widths(rows);
  const std::size_t first = std::min(least_columns, widths.size());
  if (width == 0 || fitting(widths, width) >= first) return;
  const auto end = widths.begin() + static_cast<std::ptrdiff_t>(first);
  const auto widest = static_cast<std::size_t>(std::max_element(widths.begin(), end) - widths.begin());
  const std::size_t others = std::accumulate(widths.begin(), end, 2 * (first - 1)) - widths[widest];
  const std::size_t left = width > others + least_word ? width - others : least_word;
  for (auto& row : rows) row[widest] = cut(row[widest], left);
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

/// A heading of Markdown ends with its line.
std::string one_line(std::string title) {
  std::ranges::replace(title, '\n', ' ');
  return title;
}

/// The rows of the section with this key; empty: of the first that machines read.
const Json& rows_of(const Report& report, const std::string& key = {}) {
  return std::ranges::find_if(report.sections,
                              [&](const Section& s) { return key.empty() ? !s.key.empty() : s.key == key; })
      ->rows;
}

}  // namespace

Json as_json(const Report& report) {
  if (report.head.is_null()) return rows_of(report);
  Json answer = report.head;
  for (const Section& s : report.sections)
    if (!s.key.empty()) answer[s.key] = s.rows;
  if (!report.notes.empty()) answer["notes"] = report.notes;
  return answer;
}

Column text_of(std::string title, const char* key) {
  return {std::move(title),
          [key](const Json& r) { return r[key].is_null() ? "-" : r[key].get<std::string>(); }};
}

Column count_of(std::string title, const char* key) {
  return {std::move(title),
          [key](const Json& r) { return r[key].is_null() ? "-" : text::count(r[key].get<std::int64_t>()); }};
}

Column number_of(std::string title, const char* key, std::string (*text)(double)) {
  return {std::move(title),
          [key, text](const Json& r) { return r[key].is_null() ? "-" : text(r[key].get<double>()); }};
}

std::string render(const Report& report, Format format, std::size_t width) {
  if (format == Format::json) return dump(as_json(report), 2) + '\n';
  if (format == Format::csv) return csv(rows_of(report, report.as_csv));
  const bool plain = format == Format::table;
  const auto fits = [&](const std::string& words) { return plain && width > 0 ? wrap(words, width) : words; };
  std::string text;
  if (!report.title.empty())
    text = plain ? fits(printable(report.title, "\n")) + '\n' : "## " + one_line(report.title) + '\n';
  for (const Section& s : report.sections) {
    if (s.columns.empty() || s.rows.empty()) continue;
    if (!text.empty()) text += '\n';
    if (!s.title.empty()) text += plain ? printable(s.title) + '\n' : "### " + s.title + "\n\n";
    const bool reason = s.columns.back().title == "limited by";
    text += plain ? text_table(texts(s), width, reason) : markdown_table(texts(s));
    if (s.rows.size() > s.shown)
      text += std::string(plain ? "" : "\n") + "and " +
              text::count(static_cast<std::int64_t>(s.rows.size() - s.shown)) + " more" +
              (s.key.empty() ? "\n" : "; --format json has all\n");
  }
  if (!report.remark.empty()) text += '\n' + fits(report.remark) + '\n';
  if (!plain)
    for (const std::string& note : report.notes) text += "\n- " + note + '\n';
  return text;
}

std::string text_table(const std::vector<std::vector<std::string>>& cells, std::size_t width,
                       bool last_stays) {
  if (cells.empty()) return {};
  std::vector<std::vector<std::string>> rows = cells;
  for (auto& row : rows)
    for (std::string& cell : row) cell = printable(cell);
  if (needed(rows[0]) > least_columns) keep(rows, needed(rows[0]) - 1, 1, width);
  if (last_stays) keep(rows, rows[0].size() - 1, needed(rows[0]), width);
  narrow(rows, width);
  const std::vector<std::size_t> widths = column_widths(rows);
  const std::size_t columns = fitting(widths, width);
  std::vector<bool> right(columns, rows.size() > 1);
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (std::size_t c = 0; c < columns; ++c)
      if (!rows[r][c].empty() && rows[r][c] != "-" && !numeric(rows[r][c])) right[c] = false;
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string pad(widths[c] - shown_width(row[c]), ' ');
      line += (right[c] ? pad + row[c] : row[c] + pad) + (c + 1 < columns ? "  " : "");
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  if (columns == widths.size()) return text;
  std::string left_out;
  for (std::size_t c = columns; c < widths.size(); ++c)
    left_out += (left_out.empty() ? "" : ", ") + rows[0][c];
  return text + wrap("(too wide for this terminal: " + left_out + "; --wide shows all)", width) + '\n';
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

// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"

#include <cctype>
#include <iostream>

namespace collcast::cli {
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
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

void print_table(const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return;
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
    std::cout << line << '\n';
  }
}

void print_csv(const Json& rows) {
  if (rows.empty()) return;
  std::string header;
  for (const auto& [key, value] : rows[0].items()) header += (header.empty() ? "" : ",") + csv_cell(key);
  std::cout << header << '\n';
  for (const Json& row : rows) {
    std::string line;
    bool first = true;
    for (const auto& [key, value] : rows[0].items()) {
      line += (first ? "" : ",") + (row.contains(key) ? csv_cell(row[key]) : "");
      first = false;
    }
    std::cout << line << '\n';
  }
}

}  // namespace collcast::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "support/json.hpp"
#include "support/printable.hpp"
#include "support/wrap.hpp"

namespace collcast::cli {

namespace {

bool wide = false;

std::size_t width_of(int descriptor) {
  constexpr int usual = 80, least = 20;
  if (wide || !isatty(descriptor)) return 0;
  const char* asked = std::getenv("COLUMNS");
  winsize size{};
  auto columns = static_cast<int>(asked ? std::strtol(asked, nullptr, 10) : 0);
  if (columns <= 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  return static_cast<std::size_t>(columns <= 0 ? usual : std::max(columns, least));
}

}  // namespace

std::size_t terminal_width() {
  return width_of(STDOUT_FILENO);
}

void show_all_columns() {
  wide = true;
}

void print_text(const std::string& words) {
  const std::size_t width = terminal_width();
  std::cout << (width == 0 ? words : wrap(words, width));
}

void note(const std::string& words) {
  const std::string text = "note: " + one_line(words);
  const std::size_t width = width_of(STDERR_FILENO);
  std::cerr << (width == 0 ? text : wrap(text, width, "      ")) << '\n';
}

void print_json(const Json& answer) {
  std::cout << dump(answer, 2) << '\n';
}

void print_table(const std::vector<std::vector<std::string>>& rows) {
  std::cout << report::text_table(rows, terminal_width());
}

void print_csv(const Json& rows) {
  std::cout << report::csv(rows);
}

void print_rows(Json rows, std::vector<report::Column> columns, Format format) {
  report::Report report;
  report.head = nullptr;
  report.sections = {{"rows", std::move(rows), std::move(columns)}};
  print(report, format);
}

void print(const report::Report& report, Format format) {
  std::cout << report::render(report, format, terminal_width());
  if (format == Format::table || format == Format::csv)
    for (const std::string& words : report.notes) note(words);
}

}  // namespace collcast::cli

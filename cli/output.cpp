// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"

#include <iostream>

#include "support/json.hpp"
#include "support/printable.hpp"

namespace collcast::cli {

void note(const std::string& words) {
  std::cerr << "note: " << printable(words) << '\n';
}

void print_json(const Json& answer) {
  std::cout << dump(answer, 2) << '\n';
}

void print_table(const std::vector<std::vector<std::string>>& rows) {
  std::cout << report::text_table(rows);
}

void print_csv(const Json& rows) {
  std::cout << report::csv(rows);
}

void print(const report::Report& report, Format format) {
  std::cout << report::render(report, format);
  if (format == Format::table || format == Format::csv)
    for (const std::string& words : report.notes) note(words);
}

}  // namespace collcast::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"

#include <iostream>

namespace collcast::cli {

void print_table(const std::vector<std::vector<std::string>>& rows) {
  std::cout << report::text_table(rows);
}

void print_csv(const Json& rows) {
  std::cout << report::csv(rows);
}

void print(const report::Report& report, Format format) {
  std::cout << report::render(report, format);
  if (format == Format::table || format == Format::csv)
    for (const std::string& note : report.notes) std::cerr << "note: " << note << '\n';
}

}  // namespace collcast::cli

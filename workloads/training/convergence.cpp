// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/convergence.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "support/error.hpp"
#include "support/input_file.hpp"
#include "workloads/settings.hpp"

namespace collcast::workloads {

std::optional<double> Convergence::steps(double batch) const {
  const auto above = std::ranges::lower_bound(points, batch, {}, &Point::batch);
  if (above == points.end()) return std::nullopt;
  if (above->batch == batch) return above->steps;
  if (above == points.begin()) return std::nullopt;
  const Point &a = *(above - 1), &b = *above;
  return a.steps * std::pow(b.steps / a.steps, std::log(batch / a.batch) / std::log(b.batch / a.batch));
}

Convergence parse_convergence(const std::string& csv, const std::string& file) {
  std::istringstream in(csv);
  std::string line;
  if (!next_line(in, line) || line != "batch,steps") throw InputError(file + ":1: the header is batch,steps");
  Convergence table;
  for (int number = 2; next_line(in, line); ++number) {
    if (line.empty()) continue;
    const std::string where = file + ":" + std::to_string(number);
    const std::size_t comma = line.find(',');
    if (comma == std::string::npos) throw InputError(where + ": a line is BATCH,STEPS, got '" + line + "'");
    const Convergence::Point p{above_zero(line.substr(0, comma), where + ": batch"),
                               above_zero(line.substr(comma + 1), where + ": steps")};
    if (!table.points.empty() && table.points.back().batch >= p.batch)
      throw InputError(where + ": batches ascend");
    table.points.push_back(p);
  }
  if (table.points.empty()) throw InputError(file + ": needs a line BATCH,STEPS");
  return table;
}

}  // namespace collcast::workloads

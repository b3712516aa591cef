// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/calibrated_on.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/json.hpp"
#include "support/suggest.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

CalibratedOn::Range range(const Json& item, const std::string& key, const std::string& file,
                          const std::string& path) {
  const Json& ends = item[key];
  if (ends.size() != 2 || ends[0] > ends[1])
    reject(file, below(path, key), "must be the least and the most, as in [4, 8]");
  return {ends[0].get<std::int64_t>(), ends[1].get<std::int64_t>()};
}

Json ends(const CalibratedOn::Range& range) {
  return {range.least, range.most};
}

Json item(const CalibratedOn& c) {
  return {{"transport", c.transport},           {"source", c.source},
          {"collectives", c.collectives},       {"ranks", ends(c.ranks)},
          {"message_B", ends(c.message)},       {"tables", c.tables},
          {"between_tables", c.between_tables}, {"within_tables", c.within_tables}};
}

double mean(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

/// A standard deviation, with three digits.
double share(double squares, double degrees) {
  const double deviation = degrees > 0 ? std::sqrt(squares / degrees) : 0;
  return std::min(1.0, std::round(deviation * 1e3) / 1e3);
}

}  // namespace

std::vector<CalibratedOn> calibrated_on(const Description& platform) {
  std::vector<CalibratedOn> all;
  const Json items = platform.json().value("calibrated_on", Json::array());
  for (const Json& i : items) {
    const std::string path = below("calibrated_on", std::to_string(all.size()));
    all.push_back({i["transport"].get<std::string>(), i["source"].get<std::string>(),
                   i["collectives"].get<std::vector<std::string>>(), range(i, "ranks", platform.file(), path),
                   range(i, "message_B", platform.file(), path), i["tables"].get<int>(),
                   i["between_tables"].get<double>(), i["within_tables"].get<double>()});
  }
  return all;
}

std::string CalibratedOn::text() const {
  const auto span = [](const Range& r, auto&& say) {
    return r.least == r.most ? say(r.least) : say(r.least) + " to " + say(r.most);
  };
  const auto number = [](std::int64_t n) { return std::to_string(n); };
  const auto bytes = [](std::int64_t n) { return text::bytes(static_cast<double>(n)); };
  return transport + ": " + join(collectives) + ", " + span(ranks, number) + " ranks, " +
         span(message, bytes);
}

void set_residuals(CalibratedOn& calibrated, const std::vector<std::vector<double>>& errors) {
  std::vector<double> means;
  double within = 0, between = 0, points = 0;
  for (const std::vector<double>& table : errors) {
    means.push_back(mean(table));
    for (const double e : table) within += (e - means.back()) * (e - means.back());
    points += static_cast<double>(table.size());
  }
  for (const double m : means) between += (m - mean(means)) * (m - mean(means));
  const auto tables = static_cast<double>(errors.size());
  calibrated.tables = static_cast<int>(errors.size());
  calibrated.within_tables = share(within, points - tables);
  calibrated.between_tables = share(between, tables - 1);
}

Json calibrated_on(const Description& base, const CalibratedOn& calibrated) {
  Json items = Json::array();
  for (const CalibratedOn& c : calibrated_on(base))
    if (c.transport != calibrated.transport || c.collectives != calibrated.collectives)
      items.push_back(item(c));
  items.push_back(item(calibrated));
  return items;
}

}  // namespace collcast

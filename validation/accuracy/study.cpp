// SPDX-License-Identifier: Apache-2.0
#include "validation/accuracy/study.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <map>
#include <sstream>

#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "validation/measurements/read.hpp"

namespace collcast::accuracy {
namespace {

struct Result {
  const Study::Table* table;
  Comparison comparison;
};

/// A JSON value with its path, for errors.
struct At {
  const Json& value;
  std::string place;

  [[noreturn]] void fail(const std::string& reason) const { throw InputError(place + ": " + reason); }
  At operator[](const std::string& key) const {
    if (!value.is_object() || !value.contains(key)) fail("lacks the key " + key);
    return {value[key], place + "." + key};
  }
  std::string text() const {
    if (!value.is_string()) fail("must be a string");
    return value.get<std::string>();
  }
  double positive() const {
    if (!value.is_number() || !(value.get<double>() > 0)) fail("must be a number above 0");
    return value.get<double>();
  }
  bool truth() const {
    if (!value.is_boolean()) fail("must be true or false");
    return value.get<bool>();
  }
  template <class F>
  void each(F&& use) const {
    if (!value.is_array()) fail("must be a list");
    for (std::size_t i = 0; i < value.size(); ++i) use(At{value[i], place + "." + std::to_string(i)});
  }
  void only(const std::vector<std::string>& keys) const {
    if (!value.is_object()) fail("must be an object");
    for (const auto& [key, unused] : value.items())
      if (std::ranges::find(keys, key) == keys.end()) fail("has an unknown key " + key);
  }
};

Study study(const At& at) {
  at.only({"title", "platform", "policy", "words", "every_point", "tables"});
  Study s;
  s.title = at["title"].text(), s.platform = at["platform"].text();
  if (at.value.contains("policy")) s.policy = at["policy"].text();
  at["words"].each([&](const At& paragraph) { s.words.push_back(paragraph.text()); });
  if (at.value.contains("every_point")) s.every_point = at["every_point"].truth();
  at["tables"].each([&](const At& table) {
    table.only({"file", "purpose", "disturbed_from_B"});
    const std::string purpose = table["purpose"].text();
    if (purpose != "calibrated on" && purpose != "chosen on" && purpose != "validated on")
      table["purpose"].fail("must be 'calibrated on', 'chosen on' or 'validated on', got '" + purpose + "'");
    s.tables.push_back({table["file"].text(), purpose, {}});
    if (table.value.contains("disturbed_from_B"))
      s.tables.back().disturbed_from = Bytes(table["disturbed_from_B"].positive());
  });
  return s;
}

std::string percent(double share, bool with_sign = false) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << (with_sign ? std::showpos : std::noshowpos) << 100 * share
      << " %";
  return out.str();
}

std::string microseconds(Seconds t) {
  std::ostringstream out;
  out << std::setprecision(4) << t.value * 1e6;
  return out.str();
}

std::string what(const Point& p) {
  if (p.measurement.timing != Timing::collective) return operation(p.measurement) + ", " + p.algorithm;
  const std::string& told = p.measurement.settings;
  return operation(p.measurement) + ", " + std::to_string(p.measurement.ranks) + " ranks" +
         (told.empty() ? "" : ", " + told);
}

/// Groups the points of a table that were measured alike; short names first, so that 2 channels come before
/// 12.
auto alike(const std::vector<Point>& points) {
  constexpr auto before = [](const std::string& a, const std::string& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  };
  std::map<std::string, std::vector<Point>, decltype(before)> groups;
  for (const Point& p : points) groups[what(p)].push_back(p);
  return groups;
}

std::string how(const Point& p) {
  return p.protocol.empty() ? p.algorithm : p.algorithm + " " + p.protocol;
}

void row(std::ostream& out, const std::vector<std::string>& cells) {
  for (const std::string& c : cells) out << "| " << c << ' ';
  out << "|\n";
}
void header(std::ostream& out, const std::vector<std::string>& cells) {
  row(out, cells);
  row(out, std::vector<std::string>(cells.size(), "---"));
}

std::string summary(const std::vector<const Point*>& points) {
  if (points.empty()) return "-";
  const Errors e = errors(points);
  return percent(e.mean_factor) + " (" + percent(e.geometric_mean) + ")";
}

void by_band(std::ostream& out, const std::vector<Result>& results) {
  std::vector<std::string> head{"table", "served for"};
  for (const Band& b : bands()) head.push_back(b.name);
  head.insert(head.end(), {"64 KiB and more", "all", "all, mean", "inside the interval", "worst"});
  header(out, head);
  const auto line = [&](const std::string& name, const std::string& purpose,
                        const std::vector<Point>& points) {
    if (points.empty()) return;
    std::vector<std::string> cells{name, purpose};
    for (std::size_t b = 0; b < bands().size(); ++b) cells.push_back(summary(in_band(points, b)));
    cells.push_back(summary(in_band(points, 1, true)));
    const std::vector<const Point*> every = in_band(points, 0, true);
    const Errors e = errors(every);
    cells.push_back(summary(every));
    cells.insert(cells.end(),
                 {percent(e.mean_absolute), percent(e.inside_interval()), percent(e.worst, true)});
    row(out, cells);
  };
  std::vector<Point> all;
  std::size_t rows = 0;
  for (const Result& r : results) {
    const std::vector<Point>& points = r.comparison.points;
    const auto groups = alike(points);
    rows += groups.size();
    for (const auto& [name, group] : groups) line(name, r.table->purpose, group);
    all.insert(all.end(), points.begin(), points.end());
  }
  if (rows > 1) line("all", "", all);
}

/// Counts how often intervals hold the measurement, by study and by the purpose of its tables.
class Coverage {
 public:
  void add(const std::string& study, const std::vector<Result>& results) {
    std::map<std::string, Row> rows;
    for (const Result& r : results) {
      Row& row = rows[r.table->purpose];
      row.study = study, row.purpose = r.table->purpose, row.tables += alike(r.comparison.points).size();
      for (const Point& p : r.comparison.points) row.pairs.push_back(p.times);
    }
    for (auto& [purpose, row] : rows) {
      Row& pooled = pooled_[purpose == "calibrated on" ? 0 : 1];
      pooled.tables += row.tables;
      pooled.pairs.insert(pooled.pairs.end(), row.pairs.begin(), row.pairs.end());
      rows_.push_back(std::move(row));
    }
  }

  void print(std::ostream& out) {
    header(out, {"study", "served for", "tables", "points", "inside", "of all such, at 95 %", "high / low"});
    for (const Row& r : rows_) print(out, r);
    pooled_[0].purpose = "calibrated on", pooled_[1].purpose = "chosen on, validated on";
    for (Row& r : pooled_) {
      r.study = "all";
      print(out, r);
    }
  }

 private:
  struct Row {
    std::string study, purpose;
    std::size_t tables = 0;
    std::vector<Pair> pairs = {};
  };
  static void print(std::ostream& out, const Row& r) {
    if (r.pairs.empty()) return;
    const Errors e = errors(r.pairs);
    const auto [least, most] = limits(e.inside, e.points);
    std::ostringstream width;
    width << std::fixed << std::setprecision(2) << e.width;
    row(out, {r.study, r.purpose, std::to_string(r.tables), std::to_string(e.points),
              percent(e.inside_interval()), percent(least) + " to " + percent(most), width.str()});
  }

  std::vector<Row> rows_;
  std::array<Row, 2> pooled_;
};

void worst(std::ostream& out, const std::vector<Result>& results) {
  std::vector<const Point*> all;
  for (const Result& r : results)
    for (const Point& p : r.comparison.points) all.push_back(&p);
  std::ranges::stable_sort(all, std::greater(),
                           [](const Point* p) { return std::abs(std::log1p(p->times.error())); });
  out << "\nThe worst points:\n\n";
  header(out, {"collective", "bytes", "predicted as", "measured us", "predicted us", "error"});
  for (std::size_t i = 0; i < std::min<std::size_t>(5, all.size()); ++i)
    row(out, {what(*all[i]), std::to_string(std::llround(all[i]->measurement.message.value)), how(*all[i]),
              microseconds(all[i]->times.measured), microseconds(all[i]->times.predicted),
              percent(all[i]->times.error(), true)});
}

void every_point(std::ostream& out, const std::vector<Result>& results) {
  for (const Result& r : results) {
    out << "\n`" << r.table->file << "`, " << r.table->purpose << ":\n\n";
    header(out, {"line", "bytes", "in place", "predicted as", "measured us", "predicted us", "interval us",
                 "error"});
    for (const Point& p : r.comparison.points)
      row(out,
          {std::to_string(p.measurement.line), std::to_string(std::llround(p.measurement.message.value)),
           p.measurement.in_place ? "yes" : "no", how(p), microseconds(p.times.measured),
           microseconds(p.times.predicted), microseconds(p.times.low) + " to " + microseconds(p.times.high),
           percent(p.times.error(), true)});
    for (const auto& [reason, count] : r.comparison.left_out)
      out << "\nLeft out: " << count << " measurements: " << reason << ".\n";
  }
}

constexpr const char* preface =
    R"(# How accurate collcast is

Written by `collcast validate --studies validation/data/studies.json --data DIR`, DIR holding the published tables; a test
says when this page is stale. A table was *calibrated on*; or *chosen on*: nothing was fitted to it, but it was in
view when the sources of parameters were chosen; or *validated on*: no parameter has seen it.

Errors are (predicted - measured) / measured. Where two figures stand together, the first is how far a prediction is off
as a factor, exp(mean |ln(predicted / measured)|) - 1; the one in brackets is the geometric mean of the absolute errors,
which forgives a few large ones.
)";

constexpr const char* coverage_words = R"(
## Intervals: nominal and achieved

`low` and `high` are meant to hold 90 % of what is measured. Of tables that no parameter was fitted to, the last line says how
many points they hold, all studies together, with the limits of Clopper and Pearson. Points of one table are alike, so that
a dozen tables cannot tell 75 % from 97 %; the last column is how wide the intervals are.

)";

}  // namespace

std::vector<Study> read_studies(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  const Json document = parse_json(text, file.string());
  std::vector<Study> studies;
  At{document, file.string() + ": $"}["studies"].each([&](const At& at) { studies.push_back(study(at)); });
  for (Study& s : studies)
    for (Study::Table& table : s.tables)
      if (std::filesystem::exists(file.parent_path() / table.file)) table.folder = file.parent_path();
  return studies;
}

std::string report(const std::vector<Study>& studies, const std::filesystem::path& data) {
  std::ostringstream out, points;
  Coverage coverage;
  out << preface;
  for (const Study& s : studies) {
    const Description platform = load_platform(s.platform);
    std::vector<Result> results;
    for (const Study::Table& table : s.tables) {
      const std::filesystem::path& folder = table.folder.empty() ? data : table.folder;
      MeasurementFile file = parse_measurement_file((folder / table.file).string());
      std::vector<Measurement> measurements = read_measurements(file);
      std::size_t disturbed = 0;
      if (table.disturbed_from)
        disturbed = std::erase_if(measurements,
                                  [&](const Measurement& m) { return m.message >= *table.disturbed_from; });
      results.push_back({&table, compare(measurements, platform, s.policy.empty() ? "fastest" : s.policy)});
      if (disturbed > 0)
        results.back().comparison.left_out["disturbed, as other tables of the machine show"] += disturbed;
    }
    out << "\n## " << s.title << "\n\nPlatform `" << s.platform << "`"
        << (s.policy.empty() ? "" : ", policy `" + s.policy + "`") << ".\n";
    for (const std::string& paragraph : s.words) out << '\n' << paragraph << '\n';
    out << '\n';
    by_band(out, results);
    worst(out, results);
    coverage.add(s.title, results);
    if (!s.every_point) continue;
    points << "\n## Every point: " << s.title << '\n';
    every_point(points, results);
  }
  out << coverage_words;
  coverage.print(out);
  return out.str() + points.str();
}

}  // namespace collcast::accuracy

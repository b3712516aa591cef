// SPDX-License-Identifier: Apache-2.0
#include "validation/report/results.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "validation/campaign/journal.hpp"
#include "validation/campaign/node.hpp"

namespace collcast::report {
namespace {

namespace fs = std::filesystem;
using campaign::Node;
using campaign::read_journal;
void read_predictors(const Node& about, Results& results) {
  if (!about.has("predictors")) about.reject("is not what `collcast validate --run` writes");
  auto& bounds = results.bounds.emplace_back();
  for (const Node& p : about.at("predictors").items()) {
    const std::string name = p.at("name").text();
    const bool known =
        std::ranges::any_of(results.predictors, [&](const NamedPredictor& o) { return o.name == name; });
    if (!known) results.predictors.push_back({name, p.at("role").text(), p.at("what").text()});
    if (!p.has("bounds")) continue;
    const Node b = p.at("bounds");
    bounds[name] = {b.at("mean").number(), b.at("worst").number(),
                    b.has("overlap") ? b.at("overlap").number() : campaign::Bounds{}.overlap};
  }
}

/// A line of a journal and its place.
struct Line {
  Json whole;
  Json json;
  std::string where;
  Node node() const { return {json, where}; }
};

std::vector<Line> read_lines(const fs::path& file) {
  std::vector<Line> all;
  for (const auto& line : read_journal(file))
    all.push_back({line, Json(line), file.string() + ":" + std::to_string(all.size() + 1)});
  return all;
}

/// Where and with what the first measurement was made.
Json origin(const Line& line) {
  const Node node = line.node();
  auto from = node.has("provenance") ? line.whole["provenance"] : Json::object();
  if (!from.is_object()) node.at("provenance").reject("must be an object");
  from["mpi"] = node.has("library") ? node.at("library").text() : "unknown";
  return from;
}

Result result(const Line& predicted, const Line& measured) {
  const Node p = predicted.node(), m = measured.node();
  const auto number = [](const Node& of, const char* key, double standard) {
    return of.has(key) ? of.at(key).number() : standard;
  };
  Result r;
  r.measured_s = m.at("time_s").number();
  r.low_s = number(m, "low_s", r.measured_s);
  r.high_s = number(m, "high_s", r.measured_s);
  r.repetitions = m.has("repetitions") ? m.at("repetitions").count(0) : 0;
  r.late_starts = m.has("late_starts") ? m.at("late_starts").count(0) : 0;
  r.checked = m.has("checked") && m.at("checked").flag();
  if (m.has("pure_s") && p.has("predicted_pure_s")) {
    const double alone = p.at("predicted_pure_s").number();
    r.measured_hiding = {m.at("pure_s").number(), m.at("compute_s").number()};
    r.predicted_hiding = {alone, alone};
  }
  if (p.has("predicted_s"))
    for (const std::string& name : p.at("predicted_s").keys())
      r.predicted_s[name] = p.at("predicted_s").at(name).number();
  return r;
}

void read_folder(const fs::path& folder, Results& results) {
  const std::size_t index = results.folders.size();
  const std::string file = (folder / "campaign.json").string();
  const Json about = parse_json(read_file(file));
  const Node top(about, file);
  read_predictors(top, results);
  results.folders.push_back(folder.string());
  results.descriptions.push_back(top.has("description") ? top.at("description").text() : "");

  std::map<std::string, Line> measured;
  const fs::path measurements = folder / "measured.jsonl";
  results.provenance.push_back(Json::object());
  if (fs::exists(measurements))
    for (Line& line : read_lines(measurements)) {
      if (measured.empty()) results.provenance.back() = origin(line);
      line.node().at("time_s").number();
      const std::string point = dump(to_json(parse_point(line.json, line.where)));
      measured[point] = std::move(line);
    }
  for (const Line& line : read_lines(folder / "prediction.jsonl")) {
    const Point point = parse_point(line.json, line.where);
    const auto found = measured.find(dump(to_json(point)));
    if (found == measured.end()) {
      ++results.unmeasured;
      continue;
    }
    Result r = result(line, found->second);
    r.point = point;
    r.folder = index;
    results.all.push_back(std::move(r));
  }
}

}  // namespace

std::string folder_name(const Results& results, std::size_t folder) {
  const fs::path path = results.folders[folder];
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

double Hiding::share(double total_s) const {
  return pure_s > 0 ? std::clamp(1 - (total_s - compute_s) / pure_s, 0.0, 1.0) : 0;
}

double Flat::spread() const {
  const auto [least, most] = std::ranges::minmax(results, {}, &Result::measured_s);
  return most->measured_s / least->measured_s - 1;
}

std::vector<Flat> flat(const Results& results, const std::string& engine) {
  constexpr double equal = 0.02;
  std::map<std::tuple<std::size_t, Collective, std::string, double>, Flat> groups;
  for (const Result* r : predicted(results))
    if (r->predicted_s.contains(engine))
      groups[{r->folder, r->point.collective, algorithm_label(r->point), r->point.call.message.value}]
          .results.push_back(r);
  std::vector<Flat> all;
  for (const auto& [where, group] : groups) {
    const auto time = [&](const Result* r) { return r->predicted_s.at(engine); };
    const auto [least, most] = std::ranges::minmax(group.results, {}, time);
    if (group.results.size() > 1 && time(most) <= (1 + equal) * time(least)) all.push_back(group);
  }
  return all;
}

Results read_results(const std::vector<fs::path>& folders) {
  Results results;
  results.provenance = Json::array();
  for (const fs::path& folder : folders) read_folder(folder, results);
  return results;
}

std::vector<const Result*> predicted(const Results& results) {
  std::vector<const Result*> all;
  for (const Result& r : results.all)
    if (r.point.algorithm && r.measured_s > 0) all.push_back(&r);
  return all;
}

Errors errors(const std::vector<const Result*>& results, const std::string& predictor) {
  Errors e;
  double logarithms = 0;
  for (const Result* r : results) {
    if (!r->predicted_s.contains(predictor)) continue;
    const double error = r->error(predictor);
    ++e.points;
    e.mean_absolute += std::abs(error);
    e.mean += error;
    logarithms += std::abs(std::log(std::max(1 + error, 1e-12)));
    if (r->measured_hiding)
      if (const double off = r->overlap_error(predictor); std::abs(off) > std::abs(e.worst_overlap))
        e.worst_overlap = off;
    if (!e.worst_of || std::abs(error) > std::abs(e.worst)) e.worst = error, e.worst_of = r;
  }
  if (e.points == 0) return e;
  const auto n = static_cast<double>(e.points);
  e.mean_absolute /= n;
  e.mean /= n;
  e.mean_factor = std::exp(logarithms / n) - 1;
  return e;
}

std::optional<bool> keeps_bounds(const Results& results, const std::string& engine,
                                 std::optional<std::size_t> folder) {
  std::map<campaign::Bounds, std::vector<const Result*>> held;
  for (const Result* r : predicted(results)) {
    const auto& bounds = results.bounds[r->folder];
    const auto found = bounds.find(engine);
    if (found != bounds.end() && r->folder == folder.value_or(r->folder)) held[found->second].push_back(r);
  }
  if (held.empty()) return std::nullopt;
  return std::ranges::all_of(held, [&](const auto& group) {
    const Errors e = errors(group.second, engine);
    return e.mean_absolute <= group.first.mean && std::abs(e.worst) <= group.first.worst &&
           std::abs(e.worst_overlap) <= group.first.overlap;
  });
}

std::vector<Regret> regrets(const Results& results, const std::string& engine) {
  using Where = std::tuple<std::size_t, Collective, Rank, double>;
  std::map<Where, std::vector<const Result*>> rivals;
  std::map<Where, double> library;
  for (const Result& r : results.all) {
    if (r.point.jobs > 1 || r.measured_s <= 0) continue;
    const Where where{r.folder, r.point.collective, r.point.ranks(), r.point.call.message.value};
    if (!r.point.algorithm)
      library[where] = r.measured_s;
    else if (r.predicted_s.contains(engine))
      rivals[where].push_back(&r);
  }
  std::vector<Regret> all;
  for (const auto& [where, candidates] : rivals) {
    if (candidates.size() < 2) continue;
    const Result& picked = **std::ranges::min_element(
        candidates, {}, [&](const Result* r) { return r->predicted_s.at(engine); });
    const Result& best =
        **std::ranges::min_element(candidates, {}, [](const Result* r) { return r->measured_s; });
    const auto& [folder, collective, ranks, message] = where;
    Regret regret{folder,
                  collective,
                  ranks,
                  Bytes(message),
                  algorithm_label(picked.point),
                  algorithm_label(best.point),
                  picked.measured_s,
                  best.measured_s,
                  {}};
    if (const auto own = library.find(where); own != library.end()) regret.library_s = own->second;
    all.push_back(regret);
  }
  return all;
}

}  // namespace collcast::report

// SPDX-License-Identifier: Apache-2.0
#include "validation/report/results.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "support/error.hpp"
#include "validation/campaign/journal.hpp"

namespace collcast::report {
namespace {

namespace fs = std::filesystem;
using campaign::read_journal;
using campaign::read_whole;
using Json = nlohmann::ordered_json;

double number(const Json& line, const char* key, const std::string& where) {
  const auto found = line.find(key);
  if (found != line.end() && found->is_number() && found->get<double>() >= 0) return found->get<double>();
  throw InputError(where + ": " + key + " must be a number of 0 or more");
}

void read_predictors(const Json& about, const std::string& where, Results& results) {
  if (!about.is_object() || !about.contains("predictors"))
    throw InputError(where + ": is not what `collcast validate --run` writes");
  auto& bounds = results.bounds.emplace_back();
  for (const Json& p : about["predictors"]) {
    const std::string name = p["name"];
    const bool known = std::ranges::any_of(results.oracles, [&](const Oracle& o) { return o.name == name; });
    if (!known) results.oracles.push_back({name, p["role"], p["what"]});
    if (const auto b = p.find("bounds"); b != p.end())
      bounds[name] = {(*b)["mean"], (*b)["worst"], b->value("overlap", campaign::Bounds{}.overlap)};
  }
}

void read_folder(const fs::path& folder, Results& results) {
  const std::size_t index = results.folders.size();
  const Json about = Json::parse(read_whole(folder / "campaign.json"), nullptr, false);
  read_predictors(about, (folder / "campaign.json").string(), results);
  results.folders.push_back(folder.string());
  results.descriptions.push_back(about.value("description", ""));

  std::map<std::string, Json> measured;
  const std::string measurements = (folder / "measured.jsonl").string();
  if (fs::exists(measurements))
    for (const Json& line : read_journal(measurements)) {
      const std::string where = measurements + ":" + std::to_string(measured.size() + 1);
      if (measured.empty()) {
        Json from = line.value("provenance", Json::object());
        from["mpi"] = line.value("library", "unknown");
        results.provenance.push_back(from);
      }
      number(line, "time_s", where);
      measured[to_json(parse_point(line, where)).dump()] = line;
    }
  const std::string predictions = (folder / "prediction.jsonl").string();
  std::size_t number_of_line = 0;
  for (const Json& line : read_journal(predictions)) {
    const std::string where = predictions + ":" + std::to_string(++number_of_line);
    Result r;
    r.point = parse_point(line, where);
    r.folder = index;
    const auto found = measured.find(to_json(r.point).dump());
    if (found == measured.end()) {
      ++results.unmeasured;
      continue;
    }
    const Json& m = found->second;
    r.measured_s = m["time_s"];
    r.low_s = m.value("low_s", r.measured_s);
    r.high_s = m.value("high_s", r.measured_s);
    r.repetitions = m.value("repetitions", 0);
    r.late_starts = m.value("late_starts", 0);
    r.checked = m.value("checked", false);
    if (m.contains("pure_s") && line.contains("predicted_pure_s")) {
      const double alone = number(line, "predicted_pure_s", where);
      r.measured_hiding = {number(m, "pure_s", measurements), number(m, "compute_s", measurements)};
      r.predicted_hiding = {alone, alone};
    }
    const Json times = line.value("predicted_s", Json::object());
    for (const auto& [name, time] : times.items()) r.predicted_s[name] = number(times, name.c_str(), where);
    results.all.push_back(std::move(r));
  }
}

}  // namespace

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
  e.geometric_mean = std::exp(logarithms / n) - 1;
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

// SPDX-License-Identifier: Apache-2.0
#include "validation/report/sections.hpp"

#include <algorithm>
#include <cmath>

#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast::report {
namespace {

using text::number;
using text::percent;
using text::signed_percent;
using Row = std::vector<std::string>;

std::vector<const Result*> of_folder(const std::vector<const Result*>& results, std::size_t folder) {
  std::vector<const Result*> some;
  for (const Result* r : results)
    if (r->folder == folder) some.push_back(r);
  return some;
}

std::string verdict(std::optional<bool> kept) {
  if (!kept) return "-";
  return *kept ? "kept" : "not kept";
}

Chapter who(const Results& results) {
  Chapter s{
      "Who predicts how well",
      "Error is (predicted - measured) / measured, over the points whose algorithm is ours. Engines are to "
      "be within their bounds, where a campaign holds them to some; controls have one thing wrong on "
      "purpose, and have to be visibly worse; peers are others' predictions of the same messages.",
      {{"predictor", "role", "points", "mean |error|", "mean factor", "mean error", "worst", "worst point",
        "bounds"}}};
  const auto points = predicted(results);
  for (const NamedPredictor& o : results.predictors) {
    const Errors e = errors(points, o.name);
    if (e.points == 0) continue;
    s.table.push_back({o.name, o.role, std::to_string(e.points), percent(e.mean_absolute),
                       percent(e.mean_factor), signed_percent(e.mean), signed_percent(e.worst),
                       describe(e.worst_of->point), verdict(keeps_bounds(results, o.name))});
  }
  for (const NamedPredictor& o : results.predictors) s.words += "\n" + o.name + ": " + o.what + ".";
  if (results.unmeasured)
    s.words += "\n" + std::to_string(results.unmeasured) + " points were predicted but are not measured.";
  return s;
}

std::vector<std::string> names(const Results& results, const std::string& role) {
  std::vector<std::string> all;
  for (const NamedPredictor& o : results.predictors)
    if (o.role == role) all.push_back(o.name);
  return all;
}

std::vector<std::string> engines_and_peers(const Results& results) {
  std::vector<std::string> all = names(results, "engine");
  for (const std::string& peer : names(results, "peer")) all.push_back(peer);
  return all;
}

Chapter by_folder(const Results& results) {
  Chapter s{"Each run", "", {{"run"}}};
  const auto who = names(results, "engine");
  for (const std::string& name : who)
    for (const char* what : {"mean |error|", "worst", "bounds"}) s.table[0].push_back(name + " " + what);
  s.table[0].push_back("points");
  s.table[0].push_back("what");
  const auto points = predicted(results);
  for (std::size_t f = 0; f < results.folders.size(); ++f) {
    const auto some = of_folder(points, f);
    Row row{folder_name(results, f)};
    for (const std::string& name : who) {
      const Errors e = errors(some, name);
      const auto bounds = results.bounds[f].find(name);
      const std::string held = bounds == results.bounds[f].end()
                                   ? "none"
                                   : percent(bounds->second.mean) + ", " + percent(bounds->second.worst) +
                                         ": " + verdict(keeps_bounds(results, name, f));
      const bool any = e.points > 0;
      row.insert(row.end(),
                 {any ? percent(e.mean_absolute) : "-", any ? signed_percent(e.worst) : "-", held});
    }
    row.push_back(std::to_string(some.size()));
    row.push_back(results.descriptions[f]);
    s.table.push_back(row);
  }
  return s;
}

Chapter by_algorithm(const Results& results) {
  Chapter s{"By algorithm", "", {{"collective", "algorithm", "points"}}};
  const auto who = engines_and_peers(results);
  for (const std::string& name : who)
    for (const char* what : {" mean |error|", " worst"}) s.table[0].push_back(name + what);
  std::map<std::pair<Collective, std::string>, std::vector<const Result*>> groups;
  for (const Result* r : predicted(results))
    groups[{r->point.collective, algorithm_label(r->point)}].push_back(r);
  for (const auto& [key, group] : groups) {
    Row row{std::string(definition(key.first).name), key.second, std::to_string(group.size())};
    for (const std::string& name : who) {
      const Errors e = errors(group, name);
      row.push_back(e.points ? percent(e.mean_absolute) : "-");
      row.push_back(e.points ? signed_percent(e.worst) : "-");
    }
    s.table.push_back(row);
  }
  return s;
}

Chapter choice(const Results& results) {
  const std::vector<Regret> all = regrets(results, "path");
  double sum = 0, library = 0;
  std::size_t with_library = 0;
  Chapter s{"Algorithm choice",
            "",
            {{"run", "collective", "ranks", "message", "picked by prediction", "fastest measured", "regret",
              "MPI library / fastest"}}};
  for (const Regret& r : all) {
    sum += r.regret();
    if (r.library_s) library += std::log(*r.library_s / r.best_s), ++with_library;
    s.table.push_back({folder_name(results, r.folder), std::string(definition(r.collective).name),
                       std::to_string(r.ranks), text::bytes(r.message.value), r.picked, r.best,
                       percent(r.regret()), r.library_s ? number(*r.library_s / r.best_s) : "-"});
  }
  if (all.empty()) return {"Algorithm choice", "No two algorithms were measured on the same call.", {}};
  s.words =
      "Of the algorithms measured, the critical path picks one; its regret is its measured time over that "
      "of the measured fastest, less 1. Mean regret " +
      percent(sum / static_cast<double>(all.size())) + " over " + std::to_string(all.size()) + " choices.";
  if (with_library)
    s.words += " The MPI library's own collectives take " +
               number(std::exp(library / static_cast<double>(with_library))) +
               " times the time of the fastest (geometric mean).";
  return s;
}

Chapter overlap(const Results& results) {
  Chapter s{"Overlap",
            "Share of a collective that a computation as long as itself hides; differences in points.",
            {{"run", "point", "measured"}}};
  const auto who = names(results, "engine");
  for (const std::string& name : who)
    for (const char* what : {" predicted", " difference"}) s.table[0].push_back(name + what);
  for (const Result* r : predicted(results)) {
    if (!r->measured_hiding) continue;
    Row row{folder_name(results, r->folder), describe(r->point),
            percent(r->measured_hiding->share(r->measured_s))};
    for (const std::string& name : who) {
      const bool known = r->predicted_s.contains(name);
      row.push_back(known ? percent(r->predicted_hiding->share(r->predicted_s.at(name))) : "-");
      row.push_back(known ? number(100 * r->overlap_error(name)) : "-");
    }
    s.table.push_back(row);
  }
  return s;
}

Chapter flatness(const Results& results) {
  Chapter s{
      "The same time on any number of ranks",
      "Algorithms that are predicted to take equally long, within 2 %, however many ranks there are; the "
      "spread is of what was measured.",
      {{"run", "collective", "algorithm", "message", "ranks", "shortest", "longest", "spread"}}};
  for (const Flat& f : flat(results, "path")) {
    const Result& first = *f.results[0];
    const std::string ranks =
        text::join(f.results, ", ", [](const Result* r) { return std::to_string(r->point.ranks()); });
    const auto [least, most] = std::ranges::minmax(f.results, {}, &Result::measured_s);
    s.table.push_back({folder_name(results, first.folder),
                       std::string(definition(first.point.collective).name), algorithm_label(first.point),
                       text::bytes(first.point.call.message.value), ranks, text::seconds(least->measured_s),
                       text::seconds(most->measured_s), percent(f.spread())});
  }
  return s;
}

Chapter far_off(const Results& results) {
  Chapter s{"Points out of the worst bound",
            "",
            {{"run", "point", "engine", "measured", "predicted", "error", "interval of the median"}}};
  for (const Result* r : predicted(results))
    for (const std::string& name : names(results, "engine"))
      if (const auto bounds = results.bounds[r->folder].find(name);
          bounds != results.bounds[r->folder].end() && r->predicted_s.contains(name) &&
          std::abs(r->error(name)) > bounds->second.worst)
        s.table.push_back({folder_name(results, r->folder), describe(r->point), name,
                           text::seconds(r->measured_s), text::seconds(r->predicted_s.at(name)),
                           signed_percent(r->error(name)),
                           text::seconds(r->low_s) + " to " + text::seconds(r->high_s)});
  if (s.table.size() == 1) return {s.title, "None.", {}};
  return s;
}

Chapter every_point(const Results& results) {
  Chapter s{"Every point",
            "Medians; the interval is that of the median, 95 %.",
            {{"run", "point", "measured", "interval", "repetitions"}}};
  for (const NamedPredictor& o : results.predictors) s.table[0].push_back(o.name);
  for (const Result& r : results.all) {
    Row row{folder_name(results, r.folder), describe(r.point), text::seconds(r.measured_s),
            "+- " + percent((r.high_s - r.low_s) / 2 / r.measured_s),
            std::to_string(r.repetitions) +
                (r.late_starts ? " (" + std::to_string(r.late_starts) + " began late)" : "")};
    for (const NamedPredictor& o : results.predictors)
      row.push_back(r.predicted_s.contains(o.name) ? signed_percent(r.error(o.name)) : "-");
    s.table.push_back(row);
  }
  return s;
}

Chapter origin(const Results& results) {
  Chapter s{"Where this comes from", "", {}};
  s.table.push_back({"run"});
  for (const Json& from : results.provenance)
    for (const auto& [key, value] : from.items())
      if (std::ranges::find(s.table[0], key) == s.table[0].end()) s.table[0].push_back(key);
  if (s.table[0].size() == 1) return s;  // nothing is measured
  for (std::size_t f = 0; f < results.provenance.size(); ++f) {
    Row row{folder_name(results, f)};
    for (std::size_t c = 1; c < s.table[0].size(); ++c) {
      const auto v = results.provenance[f].value(s.table[0][c], Json("-"));
      row.push_back(v.is_string() ? v.get<std::string>() : dump(v));
    }
    s.table.push_back(row);
  }
  return s;
}

}  // namespace

std::vector<Chapter> sections(const Results& results) {
  std::vector<Chapter> all{who(results),     by_folder(results),   by_algorithm(results),
                           choice(results),  overlap(results),     flatness(results),
                           far_off(results), every_point(results), origin(results)};
  std::erase_if(all, [](const Chapter& s) { return s.table.size() == 1; });  // nothing but a header
  return all;
}

bool within_bounds(const Results& results) {
  return std::ranges::all_of(names(results, "engine"), [&](const std::string& engine) {
    return keeps_bounds(results, engine).value_or(true);
  });
}

}  // namespace collcast::report

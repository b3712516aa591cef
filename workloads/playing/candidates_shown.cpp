// SPDX-License-Identifier: Apache-2.0
#include "workloads/playing/candidates_shown.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "support/json.hpp"
#include "support/text.hpp"
#include "workloads/playing/plan_choices.hpp"

namespace collcast::workloads {
namespace {

Json or_null(const std::optional<double>& x) {
  return x ? Json(*x) : Json();
}

std::string verdict(const std::vector<plan::Judged>& all, std::size_t i) {
  const plan::Judged& j = all[i];
  if (!j.candidate.refused.empty()) return j.candidate.refused;
  if (!j.feasible)
    return "too much " +
           std::string(j.margins[0].limit == "efficiency" ? "loss of efficiency" : j.margins[0].limit);
  const std::string place = i == 0 ? "best" : i == 1 ? "next" : "feasible";
  return place + (j.safe ? "" : ", not safe");
}

Json judged_row(const std::vector<plan::Judged>& all, std::size_t i) {
  const plan::Judged& j = all[i];
  const plan::Candidate& c = j.candidate;
  Json margins = Json::object();
  for (const plan::Margin& m : j.margins)
    margins[std::string(m.limit)] = {{"used", m.used}, {"used_at_worst", m.used_at_worst}};
  const bool known = c.refused.empty();
  const auto known_number = [known](double x, bool said = true) { return known && said ? Json(x) : Json(); };
  Json row{{"platform", c.platform}};
  for (const PlanChoice& choice : plan_choices)
    if (const std::string& chosen = c.*choice.chosen; !chosen.empty()) row[choice.key] = chosen;
  if (!c.layout.empty()) row["layout"] = c.layout;
  row.update({{"ranks", c.ranks},
              {"nodes", known ? Json(c.nodes) : Json()},
              {"time_s", known_number(c.time.value)},
              {"low_s", known_number(c.low.value)},
              {"high_s", known_number(c.high.value)},
              {"efficiency", known_number(c.efficiency)},
              {"cost_USD", or_null(j.cost_USD)},
              {"power_W", or_null(j.power_W)},
              {"energy_kWh", or_null(j.energy_kWh)},
              {"memory_B", known_number(c.memory.value, c.memory > Bytes())},
              {"feasible", j.feasible},
              {"safe", j.safe},
              {"frontier", plan::on_frontier(all, j)},
              {"margins", margins},
              {"limited_by", c.limited_by},
              {"verdict", verdict(all, i)}});
  return row;
}

/// What tells two candidates apart that are equal by the aim: ", and the first costs less.".
std::string broken_by(const plan::Judged& best, const plan::Judged& next) {
  const auto less = [](double a, double b) { return plan::shown(a) < plan::shown(b); };
  const auto lesser = [&](std::optional<double> plan::Judged::*of) {
    return best.*of && next.*of && less(*(best.*of), *(next.*of));
  };
  if (less(best.candidate.time.value, next.candidate.time.value)) return ", and the first is faster.";
  if (lesser(&plan::Judged::cost_USD)) return ", and the first costs less.";
  if (lesser(&plan::Judged::power_W)) return ", and the first takes less power.";
  return ".";
}

}  // namespace

Json candidate_rows(const std::vector<plan::Judged>& all) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) rows.push_back(judged_row(all, i));
  return rows;
}

std::vector<report::Column> candidate_columns(const std::vector<plan::Judged>& all, plan::Aim aim) {
  std::vector<report::Column> columns{report::text_of("platform", "platform")};
  for (const PlanChoice& c : plan_choices)
    if (!(all[0].candidate.*c.chosen).empty()) columns.push_back(report::text_of(c.title, c.key));
  const auto laid_out = [](const plan::Judged& j) { return !j.candidate.layout.empty(); };
  if (std::ranges::any_of(all, laid_out)) columns.push_back(report::text_of("layout", "layout"));
  std::ranges::move(std::vector{report::count_of("ranks", "ranks"), report::count_of("nodes", "nodes"),
                                report::number_of("time", "time_s", in_hours)},
                    std::back_inserter(columns));
  if (std::ranges::any_of(all, [](const plan::Judged& j) { return j.cost_USD.has_value(); }))
    columns.push_back(
        report::number_of("cost", "cost_USD", [](double x) { return text::number(x) + " USD"; }));
  if (std::ranges::any_of(all, [](const plan::Judged& j) { return j.power_W.has_value(); }))
    columns.push_back(
        report::number_of("power", "power_W", [](double x) { return text::number(x / 1000) + " kW"; }));
  if (aim == plan::Aim::energy)
    columns.push_back(
        report::number_of("energy", "energy_kWh", [](double x) { return text::number(x) + " kWh"; }));
  std::ranges::move(
      std::vector{report::text_of("verdict", "verdict"), report::number_of("low", "low_s", in_hours),
                  report::number_of("high", "high_s", in_hours),
                  report::number_of("efficiency", "efficiency", text::percent)},
      std::back_inserter(columns));
  return columns;
}

std::string best_in_words(const std::vector<plan::Judged>& all, plan::Aim aim) {
  const plan::Judged& best = all[0];
  const plan::Candidate& c = best.candidate;
  const std::string least =
      aim == plan::Aim::cost ? "Cheapest: " : "Least " + std::string(plan::name(aim)) + ": ";
  std::string words = least + c.name() + ", " + text::count(c.ranks) + " ranks on " + text::count(c.nodes) +
                      (c.nodes == 1 ? " node" : " nodes");
  words += ", limited by " + c.limited_by + ".";
  std::string shares;
  for (const plan::Margin& m : best.margins)
    shares += (shares.empty() ? " Of its limits it uses: " : ", ") + used_in_words(m);
  if (!shares.empty()) words += shares + (best.safe ? "." : ": not safe.");
  if (all.size() < 2 || !all[1].feasible) return words + " No other candidate stays within the limits.";
  const plan::Judged& next = all[1];
  const bool tie =
      aim == plan::Aim::nodes ? next.aimed == best.aimed : plan::shown(next.aimed) == plan::shown(best.aimed);
  words += " Next: " + next.candidate.name() + ", " + text::count(next.candidate.ranks) + " ranks, " +
           (tie ? "the same " : text::percent(next.aimed / best.aimed - 1) + " more ") +
           std::string(plan::name(aim));
  if (tie) return words + ": a tie" + broken_by(best, next);
  const bool sure = best.aimed_high < next.aimed_low;
  return words + (sure ? "; their intervals do not overlap."
                       : "; their intervals overlap, so either may be the better one.");
}

std::string used_in_words(const plan::Margin& m) {
  return std::string(m.limit) + ' ' + text::percent(m.used) +
         (m.used_at_worst > m.used ? " (slow end: " + text::percent(m.used_at_worst) + ')' : std::string());
}

std::string in_hours(double s) {
  return s < 600    ? text::seconds(s)
         : s < 7200 ? text::number(s / 60) + " min"
                    : text::number(s / 3600) + " h";
}

}  // namespace collcast::workloads

// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "support/text.hpp"

namespace collcast::report {
namespace {

using Look = Curve::Look;

/// The axes: cost or nodes, and a time in hours or, for short jobs, in seconds.
struct Terms {
  bool priced, hours;
  double x(const plan::Judged& j) const { return priced ? *j.cost_USD : j.candidate.nodes; }
  double y(Seconds time) const { return hours ? time.value / 3600 : time.value; }
  Curve::Point point(const plan::Judged& j) const {
    const plan::Candidate& c = j.candidate;
    return {x(j), y(c.time), y(c.low), y(c.high), {}, {}};
  }
};

Terms terms_of(const std::vector<plan::Judged>& all) {
  Terms t{true, false};
  for (const plan::Judged& j : all) {
    if (!j.candidate.refused.empty()) continue;
    t.priced &= j.cost_USD.has_value();
    t.hours |= j.candidate.time.value >= 600;
  }
  return t;
}

/// The candidates that no other beats in both, from the cheapest to the fastest.
Curve frontier(const std::vector<plan::Judged>& all, const Terms& terms) {
  Curve c{"none is faster and takes less", {}, Look::broad};
  for (const plan::Judged& j : all)
    if (j.candidate.runs()) c.points.push_back(terms.point(j));
  std::ranges::sort(c.points, [](const Curve::Point& a, const Curve::Point& b) {
    return a.x != b.x ? a.x < b.x : a.y < b.y;
  });
  double fastest = HUGE_VAL;
  std::erase_if(c.points, [&](const Curve::Point& p) {
    const bool beaten = p.y >= fastest;
    fastest = std::min(fastest, p.y);
    return beaten;
  });
  return c;
}

/// A line through a platform's candidates by their ranks, filled points within the limits and hollow ones.
void add_platform(std::vector<Curve>& curves, const std::string& name, std::vector<const plan::Judged*> all,
                  const Terms& terms) {
  std::ranges::sort(all, {}, [](const plan::Judged* j) { return j->candidate.ranks; });
  Curve within{name, {}, Look::points}, line{name, {}, Look::plain, true};
  Curve outside{name + ", outside the limits", {}, Look::hollow, true};
  for (const plan::Judged* j : all) {
    Curve::Point p = terms.point(*j);
    line.points.push_back(p);
    p.label = std::to_string(j->candidate.ranks);
    (j->feasible ? within : outside).points.push_back(std::move(p));
  }
  if (within.points.empty()) within.look = Look::hollow, std::swap(within.points, outside.points);
  curves.push_back(std::move(within));
  curves.push_back(std::move(line));
  curves.push_back(std::move(outside));
}

}  // namespace

Graph graph(const std::vector<plan::Judged>& all, const plan::Limits& limits) {
  const Terms terms = terms_of(all);
  Graph g{"numbers: ranks; hollow: outside the limits",
          {terms.priced ? "cost [USD]" : "nodes", text::number, Axis::Scale::decades, !terms.priced},
          {"time [h]", text::number, Axis::Scale::decades},
          {}};
  if (!terms.hours) g.y.title = "time", g.y.text = text::seconds;
  std::map<std::string, std::vector<const plan::Judged*>> platforms;
  for (const plan::Judged& j : all) {
    const plan::Candidate& c = j.candidate;
    if (!c.refused.empty()) continue;
    auto& of = platforms[c.layout.empty() ? c.name() : c.platform];
    const auto same_ranks = [&](const plan::Judged* other) { return other->candidate.ranks == c.ranks; };
    if (c.layout.empty() || std::ranges::none_of(of, same_ranks)) of.push_back(&j);  // the best layout
  }
  g.curves.push_back(frontier(all, terms));
  for (const auto& [name, candidates] : platforms) add_platform(g.curves, name, candidates, terms);
  if (all[0].feasible) {
    const plan::Candidate& best = all[0].candidate;
    g.curves.push_back({"the answer: " + best.name() + ", " + std::to_string(best.ranks) + " ranks",
                        {terms.point(all[0])},
                        Look::star});
  }
  if (limits.time_s) g.marks.push_back({terms.y(Seconds(*limits.time_s)), false, "limit of time"});
  if (limits.cost_USD && terms.priced) g.marks.push_back({*limits.cost_USD, true, "limit of cost"});
  return g;
}

}  // namespace collcast::report

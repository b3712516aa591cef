// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/text.hpp"

namespace collcast::report {
namespace {

constexpr std::uint32_t computing = 0, communicating = 1;
constexpr std::size_t listed_links = 40, drawn_links = 5, most_sizes = 100;

}  // namespace

Observer* Statistics::watch(const Fabric& fabric, NameOf name) {
  fabric_ = &fabric;
  ranks_of_run_ = fabric.ranks();
  name_ = std::move(name);
  return this;
}

void Statistics::done(const Interval& i) {
  const Seconds lasted = i.end - i.begin;
  if (i.kind == Op::Kind::compute) {
    ranks_.add(computing, i.begin, i.end, lasted.value);
    return;
  }
  const std::string name = name_(i);
  if (name.empty()) return;
  ranks_.add(communicating, i.begin, i.end, lasted.value);
  if (i.kind == Op::Kind::wait) return;
  Tally& t = operations_[{name, i.bytes.value}];
  t.least = t.count++ == 0 ? lasted : std::min(t.least, lasted);
  t.most = std::max(t.most, lasted);
  t.total += lasted;
}

void Statistics::used(const Use& use) {
  links_ = links_ || use.link;
  LinkUse& of = resources_[use.which];
  if (usage_.add(use.which, use.begin, use.end, use.busy.value))
    of.name = use.link ? fabric_->link_name(use.which) : fabric_->port_name(use.which);
  of.bytes += use.bytes, of.busy += use.busy;
}

/// If an operation has too many sizes to read, they are merged by octave, under the octave's largest size.
Statistics::Operations Statistics::grouped() const {
  std::map<std::string, std::size_t> sizes;
  for (const auto& [key, t] : operations_) ++sizes[key.first];
  Operations all;
  for (const auto& [key, t] : operations_) {
    const bool many = sizes[key.first] > most_sizes && key.second > 1;
    const double bytes = many ? std::exp2(std::ceil(std::log2(key.second))) : key.second;
    const auto [at, first] = all.try_emplace({key.first, bytes}, t);
    if (first) continue;
    Tally& sum = at->second;
    sum.count += t.count, sum.total += t.total, sum.sizes += t.sizes;
    sum.least = std::min(sum.least, t.least), sum.most = std::max(sum.most, t.most);
  }
  return all;
}

Section Statistics::by_size() const {
  Json rows = Json::array();
  for (const auto& [key, t] : grouped())
    rows.push_back({{"operation", key.first},
                    {"bytes", std::llround(key.second)},
                    {"sizes", t.sizes},
                    {"count", t.count},
                    {"mean_s", t.total.value / static_cast<double>(t.count)},
                    {"min_s", t.least.value},
                    {"max_s", t.most.value},
                    {"total_s", t.total.value}});
  return {"operations_by_size",
          std::move(rows),
          {text_of("operation", "operation"),
           {"size",
            [](const Json& r) {
              return (r["sizes"] == 1 ? "" : "up to ") + text::bytes(r["bytes"].get<double>());
            }},
           count_of("calls", "count"),
           number_of("mean", "mean_s", text::seconds),
           number_of("shortest", "min_s", text::seconds),
           number_of("longest", "max_s", text::seconds),
           number_of("sum over ranks", "total_s", text::seconds)}};
}

Section Statistics::links(Seconds time, std::size_t most) const {
  Json rows = Json::array();
  for (const Usage::Thing& use : usage_.most_used(most))
    rows.push_back({{"name", resources_.at(use.which).name},
                    {"bytes", std::llround(resources_.at(use.which).bytes.value)},
                    {"busy_s", use.total},
                    {"share", use.total / time.value}});
  return {"links",
          std::move(rows),
          {text_of(links_ ? "link" : "port", "name"), number_of("carried", "bytes", text::bytes),
           number_of("busy", "busy_s", text::seconds), number_of("of the time", "share", text::percent)}};
}

std::vector<LinkUse> Statistics::uses() const {
  std::vector<LinkUse> all;
  for (const auto& [which, use] : resources_) all.push_back(use);
  std::ranges::sort(all, {}, &LinkUse::name);
  return all;
}

Chapter Statistics::on_machine(Seconds time) const {
  const std::vector<LinkUse> all = uses();
  const Section kinds = use_by_kind(all, time);
  Chapter c = chapter(
      "Use of the machine", kinds,
      std::string(
          "A line stands for all links that are alike, on every node or switch: its label is how long the "
          "busiest of them was busy, of the whole time, and what it carried.") +
          (links_ ? ""
                  : " The critical path knows the first and the last link of a message, as their ports."));
  if (!sketch_.boxes.empty())
    c.figures = {machine(sketch_, kinds.rows, links_ ? "carried nothing" : "no message begins or ends here",
                         nodes_in_use(all))};
  return c;
}

Json Statistics::json(Seconds time) const {
  return {{"operations_by_size", by_size().rows},
          {"links_by_kind", use_by_kind(uses(), time).rows},
          {"links", links(time, listed_links).rows}};
}

Curve Statistics::over_time(const Usage& usage, const std::string& name, const Usage::Thing& use,
                            double whole, Seconds time, bool short_uses) const {
  Curve curve{name, {}};
  const double span = usage.span().value;
  const std::size_t filled =
      std::min<std::size_t>(Usage::spans, static_cast<std::size_t>(std::ceil(time.value / span)));
  const std::size_t step = short_uses ? drawn_as_one(use, static_cast<double>(filled)) : 1;
  for (std::size_t i = 0; i < filled; i += step) {
    const double begin = static_cast<double>(i) * span,
                 end = std::min(static_cast<double>(i + step) * span, time.value);
    const auto first = use.by_span.begin() + static_cast<std::ptrdiff_t>(i);
    const double used =
        std::accumulate(first, first + static_cast<std::ptrdiff_t>(std::min(step, filled - i)), 0.0);
    const double share = end > begin ? used / (end - begin) / whole : 0;
    curve.points.push_back({(begin + end) / 2, share, share, share});
  }
  return curve;
}

Chapter Statistics::overview(Seconds time) const {
  const Axis x{"time", text::seconds}, y{"share of the ranks", text::percent};
  std::vector<Curve> curves;
  for (const Usage::Thing& use : ranks_.most_used(2))
    curves.push_back(over_time(ranks_, use.which == computing ? "computing" : "in communication", use,
                               ranks_of_run_, time, false));
  return {"What ranks do when",
          "A rank that communicates behind its computation counts twice. `--timeline` shows each rank.",
          {},
          {chart({"Ranks over time", x, y, curves})}};
}

std::vector<Chapter> Statistics::chapters(Seconds time) const {
  std::vector<Chapter> all;
  if (!fabric_ || !(time > Seconds(0))) return all;
  const Axis size{"message", text::bytes, Axis::Scale::octaves};
  if (!operations_.empty()) {
    std::map<std::string, Curve> latency, calls;
    for (const auto& [key, t] : grouped()) {
      const double mean = t.total.value / static_cast<double>(t.count), n = static_cast<double>(t.count);
      const double bytes = key.second;
      if (bytes == 0) continue;
      latency[key.first].points.push_back({bytes, mean, t.least.value, t.most.value});
      calls[key.first].points.push_back({bytes, n, n, n});
    }
    std::vector<Curve> times, counts;
    for (auto& [name, curve] : latency) curve.name = name, times.push_back(curve);
    for (auto& [name, curve] : calls) curve.name = name, counts.push_back(curve);
    Chapter c = chapter(
        "Operations by size", by_size(),
        std::string("As ranks see them, waiting for others included; bars reach from the shortest to the "
                    "longest. Counts are over all ranks. Of an operation of more than ") +
            std::to_string(most_sizes) +
            " sizes, those of an octave are taken together. What has no bytes is in the "
            "table alone.");
    const Axis duration{"time", text::seconds, Axis::Scale::decades};
    const Axis number{"calls", text::number, Axis::Scale::decades};
    const bool sizes = std::ranges::any_of(times, [](const Curve& curve) { return curve.points.size() > 1; });
    if (sizes)  // with one size, the table says it all
      c.figures = {chart({"Latency by message size", size, duration, times}),
                   chart({"Calls by message size", size, number, counts})};
    all.push_back(std::move(c));
  }
  if (ranks_.things() > 0) all.push_back(overview(time));
  if (usage_.things() > 0) {
    all.push_back(on_machine(time));
    Chapter c = chapter(links_ ? "Use of links" : "Use of ports", links(time, listed_links),
                        text::count(static_cast<std::int64_t>(usage_.things())) +
                            " carried anything; these were busy the longest. Over time: a message is spread "
                            "evenly over its way, as far as the link has room.");
    std::vector<Curve> curves;
    for (Usage::Thing& use : usage_.most_used(drawn_links)) {
      level(use.by_span, usage_.span().value);
      curves.push_back(over_time(usage_, resources_.at(use.which).name, use, 1, time, true));
    }
    const Axis when{"time", text::seconds}, busy{"busy", text::percent};
    c.figures = {chart({"The busiest over time", when, busy, curves})};
    all.push_back(std::move(c));
  }
  return all;
}

}  // namespace collcast::report

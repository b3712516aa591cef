// SPDX-License-Identifier: Apache-2.0
#include "replay/application/inspected.hpp"

#include <algorithm>
#include <cmath>

#include "replay/application/report.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast::report {
namespace {

using text::bytes, text::count, text::counted, text::seconds;

constexpr std::size_t shown = 16, shown_operations = 40;

Json time_or_null(const Inspection::Operation& o, Seconds time) {
  return o.timed ? Json(time.value) : Json();
}

Json or_null(std::optional<Seconds> time) {
  return time ? Json(time->value) : Json();
}

Seconds mean(const Inspection::Operation& o) {
  const Seconds mean = o.total / static_cast<double>(std::max<std::int64_t>(o.timed, 1));
  return o.least && o.most ? std::clamp(mean, *o.least, *o.most) : mean;
}

/// In which way the size is unusual; null: it is not.
Json unusual(const Inspection::Operation& o) {
  if (!o.seldom && !o.odd) return {};
  return std::string(o.seldom ? "seldom" : "") + (o.seldom && o.odd ? ", " : "") + (o.odd ? "odd" : "");
}

Section operations(const Inspection& all) {
  Json rows = Json::array();
  for (const auto& o : all.operations)
    rows.push_back({{"operation", o.name},
                    {"communicator", o.communicator},
                    {"size", o.sized ? Json(std::llround(o.size.value)) : Json()},
                    {"count", o.count},
                    {"total_s", time_or_null(o, o.total)},
                    {"min_s", or_null(o.least)},
                    {"mean_s", time_or_null(o, mean(o))},
                    {"max_s", or_null(o.most)},
                    {"waiting_s", or_null(o.waiting)},
                    {"unusual", unusual(o)}});
  Section table{"operations",
                rows,
                {text_of("operation", "operation"), text_of("communicator", "communicator"),
                 number_of("size", "size", bytes), count_of("count", "count"),
                 number_of("total", "total_s", seconds), number_of("min", "min_s", seconds),
                 number_of("mean", "mean_s", seconds), number_of("max", "max_s", seconds)},
                shown_operations};
  const auto said = [&](const char* key) {
    return std::ranges::any_of(rows, [key](const Json& row) { return !row[key].is_null(); });
  };
  if (said("waiting_s")) table.columns.push_back(number_of("waiting", "waiting_s", seconds));
  if (said("unusual")) table.columns.push_back(text_of("unusual size", "unusual"));
  return table;
}

Section per_rank(const Inspection& all) {
  Json rows = Json::array();
  for (const auto& r : all.of_rank)
    rows.push_back({{"rank", r.rank},
                    {"compute_s", r.compute.value},
                    {"communication_s", r.communication.value},
                    {"overlap_s", or_null(r.overlap)},
                    {"late_s", or_null(r.lateness)},
                    {"last", r.last ? Json(*r.last) : Json()}});
  return {"per_rank",
          rows,
          {count_of("rank", "rank"), number_of("computation", "compute_s", seconds),
           number_of("communication", "communication_s", seconds), number_of("overlap", "overlap_s", seconds),
           number_of("behind the first", "late_s", seconds), count_of("came last", "last")},
          shown};
}

Section messages(const Inspection& all) {
  Json rows = Json::array();
  for (const auto& p : all.pairs)
    rows.push_back(
        {{"from", p.from}, {"to", p.to}, {"messages", p.messages}, {"bytes", std::llround(p.bytes.value)}});
  return {"messages",
          rows,
          {count_of("from", "from"), count_of("to", "to"), count_of("messages", "messages"),
           number_of("bytes", "bytes", bytes)},
          shown};
}

Section set_up(const SourceInfo& info) {
  Json rows = Json::array();
  const auto known = [](double value) { return value > 0 ? Json(value) : Json(); };
  for (const SetUp& s : info.set_up)
    rows.push_back({{"communicator", s.communicator},
                    {"graph", s.graph},
                    {"channels", s.channels > 0 ? Json(s.channels) : Json()},
                    {"within_GBps", known(s.within_GBps)},
                    {"between_GBps", known(s.between_GBps)},
                    {"links", s.links},
                    {"rings", s.orders},
                    {"first_ring", s.orders.empty() ? std::string() : s.orders[0]}});
  return {"set_up",
          rows,
          {text_of("communicator", "communicator"), text_of("set up as", "graph"),
           count_of("channels", "channels"), number_of("inside nodes", "within_GBps", text::gbps),
           number_of("between nodes", "between_GBps", text::gbps), text_of("links", "links"),
           text_of("first ring", "first_ring")},
          shown};
}

Section dropped(const Inspection& all) {
  return {"dropped",
          rows_of(all.dropped),
          {text_of("dropped", "operation"), count_of("count", "count"), number_of("time", "time_s", seconds),
           number_of("share", "share", text::percent), text_of("reason", "reason")}};
}

}  // namespace

Report inspected(const Source& source, const Inspection& all) {
  const SourceInfo& info = source.info();
  const auto known = static_cast<std::int64_t>(all.of_rank.size());
  const auto groups = static_cast<std::int64_t>(source.communicators().size());
  Report report;
  report.head = {{"trace", info.name},
                 {"format", info.format},
                 {"ranks", all.ranks},
                 {"recorded_ranks", known},
                 {"communicators", groups},
                 {"recorded_time_s", info.recorded.value > 0 ? Json(info.recorded.value) : Json()},
                 {"compute_s", all.compute.value},
                 {"unknown", info.unknown},
                 {"notes", Json::array()}};
  report.title = info.name + ": " + info.format + ", " + counted(all.ranks, "rank") +
                 (known != all.ranks ? ", of which " + count(known) + " recorded" : "") + ", " +
                 counted(groups, "communicator") + "\n" +
                 (info.recorded.value > 0 ? "recorded in " + seconds(info.recorded.value) + "; " : "") +
                 "computation " + seconds(all.compute.value) + " over the recorded ranks";
  report.sections = {operations(all), per_rank(all), messages(all), dropped(all), set_up(info)};
  for (const std::string& words : info.unknown)
    report.remark += (report.remark.empty() ? "" : "\n") + ("unknown: " + words);
  report.notes = info.notes;
  if (all.more_pairs > 0)
    report.notes.push_back(counted(all.more_pairs, "pair") + " of ranks that send less are left out");
  return report;
}

}  // namespace collcast::report

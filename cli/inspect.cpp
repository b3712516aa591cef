// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/trace_files.hpp"
#include "cli/verbs.hpp"
#include "replay/source/inspection.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::cli {
namespace {

using namespace report;

constexpr std::size_t shown = 16;

struct InspectOptions {
  std::vector<std::string> files;
  std::string steps, like;
  Format format = Format::table;
};

Json time_or_null(const Inspection::Operation& o, Seconds time) {
  return o.timed ? Json(time.value) : Json();
}

Section operations(const Inspection& all) {
  Json rows = Json::array();
  for (const auto& o : all.operations)
    rows.push_back(
        {{"operation", o.name},
         {"communicator", o.communicator},
         {"size", o.sized ? Json(std::llround(o.size.value)) : Json()},
         {"count", o.count},
         {"total_s", time_or_null(o, o.total)},
         {"min_s", time_or_null(o, o.least)},
         {"mean_s", time_or_null(o, o.total / static_cast<double>(std::max<std::int64_t>(o.timed, 1)))},
         {"max_s", time_or_null(o, o.most)},
         {"waiting_s", time_or_null(o, o.waiting)}});
  return {"operations",
          rows,
          {text_of("operation", "operation"), text_of("communicator", "communicator"),
           number_of("size", "size", bytes), count_of("count", "count"),
           number_of("total", "total_s", seconds), number_of("min", "min_s", seconds),
           number_of("mean", "mean_s", seconds), number_of("max", "max_s", seconds)}};
}

Section per_rank(const Inspection& all) {
  Json rows = Json::array();
  for (const auto& r : all.of_rank)
    rows.push_back({{"rank", r.rank},
                    {"compute_s", r.compute.value},
                    {"communication_s", r.communication.value},
                    {"overlap_s", r.overlap.value},
                    {"late_s", r.lateness.value},
                    {"last", r.last}});
  return {"per_rank",
          rows,
          {count_of("rank", "rank"), number_of("computation", "compute_s", seconds),
           number_of("communication", "communication_s", seconds), number_of("overlap", "overlap_s", seconds),
           number_of("late", "late_s", seconds), count_of("last", "last")},
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

Section dropped(const Inspection& all) {
  Json rows = Json::array();
  for (const Loss& l : all.dropped)
    rows.push_back({{"operation", l.operation}, {"count", l.count}, {"reason", l.reason}});
  return {"dropped",
          rows,
          {text_of("dropped", "operation"), count_of("count", "count"), text_of("reason", "reason")}};
}

Report made(const Source& source, const Inspection& all) {
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
  report.title = info.name + ": " + info.format + ", " + count(all.ranks) + " ranks" +
                 (known != all.ranks ? ", of which " + count(known) + " recorded" : "") + ", " +
                 count(groups) + " communicators\n" +
                 (info.recorded.value > 0 ? "recorded in " + seconds(info.recorded.value) + "; " : "") +
                 "computation " + seconds(all.compute.value) + " over the recorded ranks";
  report.sections = {operations(all), per_rank(all), messages(all), dropped(all)};
  for (const std::string& words : info.unknown)
    report.remark += (report.remark.empty() ? "" : "\n") + ("unknown: " + words);
  report.notes = info.notes;
  return report;
}

/// The shape of DeepIntrospect's dumps: per operation a count, a time in us, and both by message size.
Json like_deepintrospect(const std::string& format, const Json& operations) {
  Json all = Json::array();
  std::map<std::string, Json> by_name;
  for (const Json& o : operations) {
    Json& d = by_name[o["operation"]];
    if (d.is_null())
      d = {{"operation", o["operation"]},
           {"tag", format},
           {"count", 0},
           {"time", 0.0},
           {"stats", Json::array()}};
    const double us = o["total_s"].is_null() ? 0.0 : 1e6 * o["total_s"].get<double>();
    d["count"] = d["count"].get<std::int64_t>() + o["count"].get<std::int64_t>();
    d["time"] = d["time"].get<double>() + us;
    d["stats"].push_back({{"count", o["count"]}, {"msg_size", o["size"]}, {"time", us}});
  }
  for (auto& [name, d] : by_name) all.push_back(std::move(d));
  return all;
}

void run_inspect(const InspectOptions& options) {
  const auto source = open_source(options.files, steps(options.steps));
  const Report report = made(*source, inspect(*source));
  if (options.like.empty()) return print(report, options.format);
  print_json(like_deepintrospect(source->info().format, report.sections[0].rows));
}

}  // namespace

void add_inspect(CLI::App& app, int&) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* verb =
      app.add_subcommand("inspect", "What is in a trace: operations by communicator and size, ranks, losses");
  add_trace_files(*verb, options->files, options->steps);
  verb->add_option("--like", options->like, "deepintrospect: JSON as DeepIntrospect dumps it, times in us")
      ->check(CLI::IsMember({"deepintrospect"}))
      ->option_text("deepintrospect");
  add_format(*verb, options->format, true);
  verb->footer("Example: collcast inspect traces/qe-si-8.cct");
  verb->callback([options] { run_inspect(*options); });
}

}  // namespace collcast::cli

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/pictures.hpp"
#include "cli/verbs.hpp"
#include "cli/workload_options.hpp"
#include "replay/application/inspected.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/strict_options.hpp"

namespace collcast::cli {
namespace {

using namespace report;

struct InspectOptions {
  std::vector<std::string> files;
  std::string steps, like;
  Pictures pictures;
  Format format = Format::table;
};

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
    Json& stats = d["stats"];
    const auto same = std::ranges::find(stats, o["size"], [](const Json& of) { return of["msg_size"]; });
    if (same == stats.end()) {
      stats.push_back({{"count", o["count"]}, {"msg_size", o["size"]}, {"time", us}});
    } else {
      (*same)["count"] = (*same)["count"].get<std::int64_t>() + o["count"].get<std::int64_t>();
      (*same)["time"] = (*same)["time"].get<double>() + us;
    }
  }
  for (auto& [name, d] : by_name) all.push_back(std::move(d));
  return all;
}

std::string whole_number(double n) {
  return count(std::llround(n));
}

/// What DeepIntrospect's dashboard shows: counts and times by operation, and both by message size.
std::vector<Chapter> dashboard(const Json& dump) {
  Chapter sums{"Operations", "Over the recorded ranks, waiting for others included.", {}};
  Chapter by_size{"By message size", "Times are means of a call.", {}};
  sums.table.push_back({"operation", "count", "time", "mean"});
  by_size.table.push_back({"operation", "size", "count", "time", "mean"});
  std::vector<Bar> times, counts;
  Graph mean{"Mean time by message size",
             {"message", bytes, Axis::Scale::octaves},
             {"time", seconds, Axis::Scale::decades},
             {}};
  Graph calls{"Calls by message size",
              {"message", bytes, Axis::Scale::octaves},
              {"calls", number, Axis::Scale::decades},
              {}};
  const auto in_seconds = [](const Json& of) { return 1e-6 * of["time"].get<double>(); };
  const auto mean_of = [&](const Json& of) {
    return in_seconds(of) / static_cast<double>(std::max<std::int64_t>(of["count"].get<std::int64_t>(), 1));
  };
  for (const Json& d : dump) {
    const std::string name = d["operation"];
    const auto all = d["count"].get<std::int64_t>();
    sums.table.push_back({name, count(all), seconds(in_seconds(d)), seconds(mean_of(d))});
    times.push_back({name, {in_seconds(d)}}), counts.push_back({name, {static_cast<double>(all)}});
    Curve time{name, {}}, called{name, {}};
    std::vector<Json> stats = d["stats"];
    std::ranges::stable_sort(stats, {}, [](const Json& of) {
      return of["msg_size"].is_null() ? -1 : of["msg_size"].get<double>();
    });
    for (const Json& of : stats) {
      const auto n = of["count"].get<std::int64_t>();
      const bool known = !of["msg_size"].is_null();
      by_size.table.push_back({name, known ? bytes(of["msg_size"].get<double>()) : "-", count(n),
                               seconds(in_seconds(of)), seconds(mean_of(of))});
      if (!known) continue;
      const double x = of["msg_size"], y = mean_of(of), c = static_cast<double>(n);
      if (y > 0) time.points.push_back({x, y, y, y});
      called.points.push_back({x, c, c, c});
    }
    if (!time.points.empty()) mean.curves.push_back(std::move(time));
    if (!called.points.empty()) calls.curves.push_back(std::move(called));
  }
  sums.figures = {bars("Time by operation", {""}, times, seconds),
                  bars("Calls by operation", {""}, counts, whole_number)};
  if (!mean.curves.empty()) by_size.figures.push_back(chart(mean));
  if (!calls.curves.empty()) by_size.figures.push_back(chart(calls));
  shorten(by_size);
  return {std::move(sums), std::move(by_size)};
}

void write_page(Canvas& canvas, const Report& report, const Json& dump, bool alike) {
  if (!canvas.has_page()) return;
  const std::size_t line = report.title.find('\n');
  std::vector<Chapter> all = dashboard(dump);
  all[0].words = report.title.substr(line + 1) + ". " + all[0].words;
  if (!alike) {
    all.push_back(chapter("Operations by communicator", report.sections[0], report.remark));
    all.push_back(chapter(
        "Ranks", report.sections[1],
        "late: how long after the first rank a rank came to a collective; last: how often it came last."));
    all.push_back(chapter("Messages between ranks", report.sections[2]));
    all.push_back(chapter("Not modelled", report.sections[3]));
    if (!report.sections[4].rows.empty())
      all.push_back(
          chapter("How communicators were set up", report.sections[4],
                  "In the library's own words; speeds are of one channel, as it reckons with them."));
  }
  canvas.write_page(report.title.substr(0, line), std::move(all), Seconds(0), {notes_chapter(report.notes)},
                    alike ? dump : as_json(report));
}

void run_inspect(const InspectOptions& options) {
  if (!options.like.empty() && (options.format == Format::csv || options.format == Format::markdown))
    throw InputError("--like deepintrospect writes JSON: it does not go with --format csv or markdown");
  Canvas canvas(options.pictures);
  const auto source = open_source(options.files, workloads::steps(options.steps));
  const Report report = inspected(*source, inspect(*source));
  const Json dump = like_deepintrospect(source->info().format, report.sections[0].rows);
  write_page(canvas, report, dump, !options.like.empty());
  if (options.like.empty()) return print(report, options.format);
  print_json(dump);
}

}  // namespace

void add_inspect(CLI::App& app, int&) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* verb =
      app.add_subcommand("inspect", "What is in a trace: operations by communicator and size, ranks, losses");
  add_trace_files(*verb, options->files, options->steps);
  verb->add_option(
          "--like", options->like,
          "deepintrospect: JSON as DeepIntrospect dumps it, times in us; with --report its dashboard")
      ->check(one_of({"deepintrospect"}))
      ->option_text("deepintrospect");
  verb->add_option("--report", options->pictures.report,
                   "Writes the answer as a page with pictures, for a browser")
      ->option_text("FILE.html");
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast inspect traces/qe-si-8.cct\n"
      "Example: collcast inspect traces/qe-si-8.cct --like deepintrospect --report qe.html");
  verb->callback([options] { run_inspect(*options); });
}

}  // namespace collcast::cli

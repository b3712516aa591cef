// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/trace_files.hpp"
#include "cli/verbs.hpp"
#include "platforms/description/load.hpp"
#include "replay/application/report.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::cli {
namespace {

using namespace report;

struct CompareOptions {
  std::vector<std::string> files, on, platforms;
  std::string steps, engine{contention_engine().name}, policy = "fastest";
  std::optional<Memory> memory;
  double compute_scale = 1;
  Format format = Format::table;
};

/// "edr-cluster" or "edr-cluster,network.bandwidth_GBps=50": a platform, and what is changed in it.
Description what_if(const std::string& text) {
  std::vector<std::string> parts = CLI::detail::split(text, ',');
  Description platform = load_platform(parts[0]);
  parts.erase(parts.begin());
  override_platform(platform, parts);
  return platform;
}

bool is_collective(const std::string& operation) {
  return operation != "send" && operation != "recv" && operation != "wait";
}

Json compared_row(const std::string& on, const ReplayReport& report) {
  Json dearest, dearest_time = 0.0;
  for (const auto& o : report.operations)
    if (is_collective(o.name)) {
      dearest = o.name, dearest_time = o.time.value;
      break;
    }
  Json row{{"platform", on}};
  row.update(totals(report));
  row["dearest_collective"] = dearest, row["dearest_collective_s"] = dearest_time;
  return row;
}

/// "8 ranks of\n  pw.x -in qe-si.in\nrecorded in 6.23 s (...)", as far as the trace says so.
std::string title(const Source& trace) {
  const SourceInfo& info = trace.info();
  std::string text = info.name + ": " + count(trace.ranks()) + " ranks";
  if (!info.command.empty()) text += " of\n  " + info.command;
  if (info.recorded.value > 0)
    text +=
        "\nrecorded in " + seconds(info.recorded.value) + " (on a machine that its ranks may have shared)";
  return text;
}

Report made(const CompareOptions& options, const Source& trace, Json rows) {
  Report report;
  report.head = {{"trace", trace.info().name}, {"engine", options.engine}, {"ranks", trace.ranks()}};
  report.title = title(trace);
  report.sections = {
      {"runs",
       std::move(rows),
       {text_of("platform", "platform"), number_of("total", "time_s", seconds),
        number_of("low", "low_s", seconds), number_of("high", "high_s", seconds),
        number_of("compute", "compute_s", seconds), number_of("exposed", "exposed_communication_s", seconds),
        text_of("dearest collective", "dearest_collective"),
        number_of("of it", "dearest_collective_s", seconds), text_of("limited by", "limited_by")}}};
  report.remark =
      "total = compute + exposed communication: means over the ranks, waiting for others\n"
      "included. low and high: the total at both ends of the platform's uncertainty.\n"
      "compute: the recorded CPU time, times " +
      number(options.compute_scale) + ". `collcast replay` shows every operation of one run.";
  return report;
}

/// What each replay says; alike on several platforms once.
void add_notes(Report& report, const ReplayReport& replayed) {
  std::vector<std::string> notes = replayed.notes;
  for (const ReplayReport::NotModelled& n : replayed.not_modelled)
    notes.push_back("not modelled: " + n.operation + " x " + count(n.count) + ": " + n.reason);
  for (std::string& words : notes)
    if (std::ranges::find(report.notes, words) == report.notes.end())
      report.notes.push_back(std::move(words));
}

void run_compare(const CompareOptions& options) {
  const Engine& engine = playing_engine(options.engine);
  std::vector<std::string> names = options.on;
  names.insert(names.end(), options.platforms.begin(), options.platforms.end());
  if (names.empty())
    throw InputError("a platform is missing: --on or --platform; see collcast compare --help");
  const Trace trace = open_trace(options.files, steps(options.steps));
  std::vector<Description> platforms;
  for (const std::string& text : names) platforms.push_back(what_if(text));
  catch_interrupts();
  Json rows = Json::array();
  std::vector<ReplayReport> replays;
  for (std::size_t i = 0; i < platforms.size(); ++i) {
    ReplayOptions play;
    play.engine = &engine;
    play.policy = options.policy;
    play.memory = options.memory;
    play.compute_scale = options.compute_scale;
    play.play.interrupt = &interrupt_flag();
    play.play.progress = [&](Seconds now, std::int64_t) {
      progress(names[i] + ": replayed " + seconds(now.value));
    };
    replays.push_back(replay(trace.source(), platforms[i], play));
    rows.push_back(compared_row(names[i], replays.back()));
  }
  progress_end();
  Report report = made(options, trace.source(), std::move(rows));
  for (const ReplayReport& r : replays) add_notes(report, r);
  print(report, options.format);
}

}  // namespace

void add_compare(CLI::App& app, int&) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* verb = app.add_subcommand("compare", "A recorded application on several platforms, side by side");
  add_trace_files(*verb, options->files, options->steps);
  verb->add_option("--on", options->on, "A platform, with changes after commas; once per row of the answer")
      ->option_text("P[,KEY=VALUE...]");
  verb->add_option("-p,--platform", options->platforms, "Platforms as they are, a row each")
      ->delimiter(',')
      ->option_text("P[,P...]");
  add_policy(*verb, options->policy, "Who chooses the algorithms, each communicator by itself");
  add_engine(*verb, options->engine, true);
  verb->add_option("--compute-scale", options->compute_scale,
                   "Computation takes this times the recorded CPU time")
      ->option_text("X");
  add_memory(*verb, options->memory);
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast compare traces/qe-si-8.cct --on summit --on edr-cluster,network.bandwidth_GBps=50");
  verb->callback([options] { run_compare(*options); });
}

}  // namespace collcast::cli

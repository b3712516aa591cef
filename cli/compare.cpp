// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/verbs.hpp"
#include "platforms/description/load.hpp"
#include "replay/application/report.hpp"
#include "replay/formats/cct.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::cli {
namespace {

using namespace report;

struct CompareOptions {
  std::string trace, engine{contention_engine().name}, policy = "fastest";
  std::vector<std::string> on;
  Memory memory = Memory::host;
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

Report made(const CompareOptions& options, const trace::Reader& trace, Json rows) {
  Report report;
  report.head = {{"trace", options.trace}, {"ranks", trace.ranks()}};
  report.title = options.trace + ": " + count(trace.ranks()) + " ranks of\n  " + trace.metadata().command +
                 "\nrecorded in " + seconds(trace.metadata().recorded_time.value) +
                 " (on a machine that its ranks may have shared)";
  report.sections = {
      {"runs",
       std::move(rows),
       {text_of("platform", "platform"), number_of("total", "time_s", seconds),
        number_of("low", "low_s", seconds), number_of("high", "high_s", seconds),
        number_of("compute", "compute_s", seconds), number_of("exposed", "exposed_communication_s", seconds),
        text_of("dearest collective", "dearest_collective"),
        number_of("of it", "dearest_collective_s", seconds), text_of("limited by", "limited_by")}}};
  report.remark =
      "total = compute + exposed communication: means over the ranks, waiting for others included.\n"
      "low and high: the total at both ends of the platform's uncertainty. compute: the recorded CPU\n"
      "time, times " +
      number(options.compute_scale) + ". `collcast replay` shows every operation of one run.";
  return report;
}

void run_compare(const CompareOptions& options) {
  const Engine& engine = playing_engine(options.engine);
  const trace::Reader trace(options.trace);
  const auto source = cct_source(trace);
  std::vector<Description> platforms;
  for (const std::string& text : options.on) platforms.push_back(what_if(text));
  catch_interrupts();
  Json rows = Json::array();
  for (std::size_t i = 0; i < platforms.size(); ++i) {
    ReplayOptions play;
    play.engine = &engine;
    play.policy = options.policy;
    play.memory = options.memory;
    play.compute_scale = options.compute_scale;
    play.play.interrupt = &interrupt_flag();
    play.play.progress = [&](Seconds now, std::int64_t) {
      progress(options.on[i] + ": replayed " + seconds(now.value));
    };
    rows.push_back(compared_row(options.on[i], replay(*source, platforms[i], play)));
  }
  progress_end();
  print(made(options, trace, std::move(rows)), options.format);
}

}  // namespace

void add_compare(CLI::App& app, int&) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* verb = app.add_subcommand("compare", "A recorded application on several platforms, side by side");
  verb->add_option("trace", options->trace, "A trace of `collcast record`")->required();
  verb->add_option("--on", options->on, "A platform, with changes after commas; once per row of the answer")
      ->required()
      ->option_text("P[,KEY=VALUE...]");
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

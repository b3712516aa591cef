// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/trace_files.hpp"
#include "cli/verbs.hpp"
#include "forecast/report/answer.hpp"
#include "platforms/description/load.hpp"
#include "replay/application/replay.hpp"
#include "replay/source/scaled.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string steps, platform, ranks, placement = "block", engine{contention_engine().name},
                                      policy = "fastest";
  std::vector<std::string> algorithms, set;
  Memory memory = Memory::host;
  double compute_scale = 1;
  bool explain = false;
  Format format = Format::table;
};

std::map<std::string, std::string> forced(const std::vector<std::string>& assignments) {
  std::map<std::string, std::string> result;
  for (const std::string& text : assignments) {
    const auto equals = text.find('=');
    if (equals == std::string::npos)
      throw InputError("--algorithm '" + text + "' is not COLLECTIVE=ALGORITHM, as in allreduce=ring");
    result[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return result;
}

Json answer(const Options& options, const Description& platform, const Source& trace,
            const ReplayReport& report) {
  Json operations = Json::array(), not_modelled = Json::array();
  for (const auto& o : report.operations)
    operations.push_back({{"operation", o.name},
                          {"count", o.count},
                          {"bytes", std::llround(o.bytes.value)},
                          {"time_s", o.time.value},
                          {"algorithm", o.algorithm.empty() ? Json() : Json(o.algorithm)}});
  for (const auto& n : report.not_modelled)
    not_modelled.push_back({{"operation", n.operation}, {"count", n.count}, {"reason", n.reason}});
  return {{"trace", trace.info().name},
          {"platform", platform.name()},
          {"engine", options.engine},
          {"ranks", trace.ranks()},
          {"time_s", report.time.value},
          {"low_s", report.low.value},
          {"high_s", report.high.value},
          {"lower_bound_s", report.lower_bound.value},
          {"compute_s", report.compute.value},
          {"communication_s", report.communication.value},
          {"exposed_communication_s", report.exposed.value},
          {"operations", operations},
          {"not_modelled", not_modelled},
          {"limited_by", report.limited_by},
          {"limited_by_share", report.limited_by_share ? Json(*report.limited_by_share) : Json()},
          {"explanation", report::explanation(report.explanation, report.time)},
          {"calibrated", report.calibrated},
          {"recorded_time_s", report.recorded.value},
          {"notes", report.notes}};
}

void print_people(const Json& a) {
  const double total = a["time_s"];
  auto share = [&](double part) { return total > 0 ? number(100 * part / total) + " %" : std::string("-"); };
  std::cout << a["trace"].get<std::string>() << " on " << a["platform"].get<std::string>() << ", "
            << a["ranks"] << " ranks\n\n";
  print_table(
      {{"", "time", "share"},
       {"total", seconds(total), ""},
       {"computation", seconds(a["compute_s"]), share(a["compute_s"])},
       {"exposed communication", seconds(a["exposed_communication_s"]), share(a["exposed_communication_s"])},
       {"communication, hidden or not", seconds(a["communication_s"]), share(a["communication_s"])},
       {"as recorded", seconds(a["recorded_time_s"]), ""}});
  std::cout << "limited by " << a["limited_by"].get<std::string>()
            << (a["limited_by_share"].is_null()
                    ? ""
                    : " (" + share(total * a["limited_by_share"].get<double>()) + ")")
            << "; from " << seconds(a["low_s"]) << " to " << seconds(a["high_s"])
            << " as the platform's parameters are uncertain"
            << (a["calibrated"].get<bool>() ? "" : " (not calibrated)") << "\n\n";
  std::vector<std::vector<std::string>> table{
      {"operation", "count", "bytes", "time per rank", "share", "algorithm"}};
  for (const Json& o : a["operations"])
    table.push_back({o["operation"], count(o["count"]), bytes(o["bytes"]), seconds(o["time_s"]),
                     share(o["time_s"]), o["algorithm"].is_null() ? "" : o["algorithm"].get<std::string>()});
  print_table(table);
  if (!a["not_modelled"].empty()) std::cout << "\nnot modelled:\n";
  for (const Json& n : a["not_modelled"])
    std::cout << "  " << n["operation"].get<std::string>() << " x " << n["count"] << ": "
              << n["reason"].get<std::string>() << '\n';
  if (a.contains("explanation"))
    std::cout << '\n'
              << report::text_table(report::explanation_table(a["explanation"], "where the time goes"));
  for (const Json& note : a["notes"]) std::cout << "note: " << note.get<std::string>() << '\n';
}

void run(const Options& options) {
  auto trace = open_source(options.files, steps(options.steps));
  const auto recorded = trace->info().recorded_ranks.size();
  const bool complete = recorded == 0 || recorded == static_cast<std::size_t>(trace->ranks());
  Description platform = load_platform(options.platform);
  override_platform(platform, options.set);
  const Rank ranks = options.ranks.empty() ? trace->ranks() : parse_ranks(options.ranks);
  std::unique_ptr<Source> more;
  if (ranks != trace->ranks() || !complete) more = std::move(trace), trace = scaled(*more, ranks);
  if (!(options.compute_scale >= 0) || options.compute_scale > 1e9)
    throw InputError("--compute-scale takes a number from 0 to 1e9");
  ReplayOptions play;
  play.engine = &playing_engine(options.engine);
  play.algorithms = forced(options.algorithms);
  play.policy = options.policy;
  play.placement = parse_placement(options.placement);
  play.memory = options.memory;
  play.compute_scale = options.compute_scale;
  catch_interrupts();
  play.play.interrupt = &interrupt_flag();
  play.play.progress = [](Seconds now, std::int64_t messages) {
    progress("replayed " + seconds(now.value) + ", " + count(messages) + " messages");
  };
  const ReplayReport report = replay(*trace, platform, play);
  progress_end();
  Json a = answer(options, platform, *trace, report);
  if (!options.explain)
    a.erase("explanation");
  else if (report.explanation.empty())
    a["notes"].push_back("too many messages for an explanation");
  if (options.format == Format::json)
    print_json(a);
  else if (options.format == Format::csv)
    print_csv(a["operations"]);
  else
    print_people(a);
}

}  // namespace

void add_replay(CLI::App& app, int&) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("replay", "How long a recorded application takes on a platform, and what limits it");
  add_trace_files(*verb, options->files, options->steps);
  verb->add_option("--platform", options->platform, "A name from `collcast platforms`, or a file")
      ->required()
      ->option_text("P");
  verb->add_option("--ranks", options->ranks, "More or fewer than the trace's, where its ranks are alike")
      ->option_text("N");
  verb->add_option(
          "--algorithm", options->algorithms,
          "Algorithm of one collective, e.g. allreduce=ring; the others take the fastest by critical path")
      ->option_text("COLLECTIVE=A");
  add_policy(*verb, options->policy, "Who chooses for the other collectives, each communicator by itself");
  add_engine(*verb, options->engine, true);
  verb->add_flag("--explain", options->explain, "Where the time goes, along the chain of causes");
  add_placement(*verb, options->placement);
  verb->add_option("--compute-scale", options->compute_scale,
                   "Computation takes this times the recorded CPU time (default 1)")
      ->option_text("X");
  verb->add_option("--set", options->set, "Overrides a platform parameter, e.g. network.bandwidth_GBps=25")
      ->option_text("KEY=VALUE");
  add_memory(*verb, options->memory);
  add_format(*verb, options->format);
  verb->footer(
      "Example: collcast replay traces/qe-si-8.cct --platform summit --set network.bandwidth_GBps=25");
  verb->callback([options] { run(*options); });
}

}  // namespace collcast::cli

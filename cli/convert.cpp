// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cli/options.hpp"
#include "cli/own_input.hpp"
#include "cli/verbs.hpp"
#include "cli/workload_options.hpp"
#include "platforms/description/load.hpp"
#include "replay/application/as_messages.hpp"
#include "replay/application/goal.hpp"
#include "replay/application/report.hpp"
#include "replay/application/stage.hpp"
#include "replay/formats/convert.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/output_file.hpp"
#include "support/strict_options.hpp"
#include "support/text.hpp"

namespace collcast::cli {
namespace {

struct ConvertOptions {
  std::vector<std::string> files;
  std::string steps, to, out, platform;
  Format format = Format::table;
};

/// Writes the source. If the format lacks collectives, they are played by the algorithms of a replay on the
/// platform.
Losses written(const Source& source, const ConvertOptions& options) {
  if (options.to == "cct" && !options.platform.empty())
    throw InputError("--platform chooses algorithms, and a .cct needs none: it holds every collective");
  if (options.to == "cct") return write_cct(source, options.out);
  const Description platform = load_platform(options.platform.empty() ? "flat" : options.platform);
  ReplayOptions play;
  play.policy = "fastest";
  play.memory = options.to == "chakra" ? source.info().memory : Memory::host;
  const Stage stage(platform, source, play);
  Selection selection(platform, stage.machine, stage.fabric, play.policy, {});
  if (options.to == "goal") {
    Losses losses = write_goal(source, selection, stage.fabric, options.out);
    add_lost_facts(losses, source);
    return losses;
  }
  const AsMessages messages(source, selection, stage.fabric,
                            options.to == "ti" ? time_independent_holds(source) : chakra_holds(source));
  Losses losses = options.to == "ti" ? write_time_independent(messages, options.out)
                                     : write_chakra(messages, options.out);
  for (Loss& loss : messages.losses()) losses.push_back(std::move(loss));
  return losses;
}

void refuse_traces(const Source& source, const ConvertOptions& options) {
  const bool of_each = options.to == "chakra";
  for (Rank r = 0; r < (of_each ? source.ranks() : 1); ++r)
    refuse_own_input(of_each ? chakra_file(options.out, r) : options.out, options.files, "the trace");
}

void run_convert(const ConvertOptions& options) {
  check_writable(options.to == "chakra" ? chakra_file(options.out, 0) : options.out);
  const Trace trace = open_trace(options.files, workloads::steps(options.steps));
  const Source& source = trace.source();
  if (!source.info().ordered)
    throw InputError(source.info().name +
                     ": a profile does not record the order of calls, so it cannot be converted");
  if (!source.info().unplayable.empty())
    throw InputError(source.info().name + ": " + source.info().unplayable);
  refuse_traces(source, options);
  const Json lost = report::rows_of(written(source, options));
  report::Report report;
  report.head = {{"trace", source.info().name},
                 {"from", source.info().format},
                 {"to", options.to},
                 {"written", options.out},
                 {"unknown", source.info().unknown}};
  report.title =
      "written: " + options.out + (options.to == "chakra" ? ".RANK.et" : "") + " (" + options.to + ")";
  report.sections = {
      {"lost",
       lost,
       {report::text_of("lost", "operation"), report::count_of("count", "count"),
        report::number_of("time", "time_s", text::seconds),
        report::number_of("share", "share", text::percent), report::text_of("reason", "reason")}}};
  for (const std::string& u : source.info().unknown)
    report.remark += (report.remark.empty() ? "unknown: " : "\nunknown: ") + u;
  report.notes = source.info().notes;
  print(report, options.format);
}

}  // namespace

void add_convert(CLI::App& app, int&) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* verb = app.add_subcommand("convert", "Writes a trace in another format, and says what is lost");
  add_trace_files(*verb, options->files, options->steps);
  verb->add_option("--to", options->to,
                   "cct: own; goal: LogGOPSim, ATLAHS; ti: SMPI; chakra: one .et per rank")
      ->required()
      ->check(one_of({"cct", "goal", "ti", "chakra"}))
      ->option_text("cct|goal|ti|chakra");
  verb->add_option("-o,--output", options->out,
                   "The file to write; for chakra, the part of the names before .RANK.et")
      ->required()
      ->option_text("OUT");
  verb->add_option("-p,--platform", options->platform,
                   "Collectives that the format lacks become messages of the algorithms that are fastest on "
                   "this platform (default flat)")
      ->option_text("P");
  add_format(*verb, options->format, true);
  verb->footer("Example: collcast convert traces/qe-si-8.cct --to ti -o qe.ti");
  verb->callback([options] { run_convert(*options); });
}

}  // namespace collcast::cli

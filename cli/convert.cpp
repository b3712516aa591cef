// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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

/// A format that traces are written in.
struct Target {
  const char *name, *what;
  Losses (*write)(const Source&, const Target&, const ConvertOptions&);
  Losses (*put)(const Source&, const std::string& out) = nullptr;
  Holds (*holds)(const Source&) = nullptr;  ///< which collectives it has
  bool of_each_rank = false;                ///< one file per rank, `chakra_file`
  bool keeps_memory = false;                ///< it says which memory data are in
};

Losses as_recorded(const Source& source, const Target& target, const ConvertOptions& options) {
  if (!options.platform.empty())
    throw InputError("--platform chooses algorithms, and a .cct needs none: it holds every collective");
  return target.put(source, options.out);
}

/// Calls `act` with a choice of algorithms and the fabric of the platform, as a replay there has them.
template <class Act>
Losses with_algorithms(const Source& source, const Target& target, const ConvertOptions& options, Act act) {
  const Description platform = load_platform(options.platform.empty() ? "flat" : options.platform);
  ReplayOptions play;
  play.policy = "fastest";
  play.memory = target.keeps_memory ? source.info().memory : Memory::host;
  const Stage stage(platform, source, play);
  Selection selection(platform, stage.machine, stage.fabric, play.policy, {});
  return act(selection, stage.fabric);
}

Losses as_goal(const Source& source, const Target& target, const ConvertOptions& options) {
  return with_algorithms(source, target, options, [&](Selection& selection, const Fabric& fabric) {
    Losses losses = write_goal(source, selection, fabric, options.out);
    add_lost_facts(losses, source);
    return losses;
  });
}

/// Collectives that the format lacks become messages.
Losses with_messages(const Source& source, const Target& target, const ConvertOptions& options) {
  return with_algorithms(source, target, options, [&](Selection& selection, const Fabric& fabric) {
    const AsMessages messages(source, selection, fabric, target.holds(source));
    Losses losses = target.put(messages, options.out);
    for (Loss& loss : messages.losses()) losses.push_back(std::move(loss));
    return losses;
  });
}

constexpr Target targets[] = {
    {"cct", "own", as_recorded, write_cct},
    {"goal", "LogGOPSim, ATLAHS", as_goal},
    {"ti", "SMPI", with_messages, write_time_independent, time_independent_holds},
    {"chakra", "one .et per rank", with_messages, write_chakra, chakra_holds, true, true}};

std::string file_of(const Target& target, const ConvertOptions& options, Rank rank) {
  return target.of_each_rank ? chakra_file(options.out, rank) : options.out;
}

void run_convert(const ConvertOptions& options) {
  const Target& target = *std::ranges::find(targets, options.to, &Target::name);
  check_writable(file_of(target, options, 0));
  const Trace trace = open_trace(options.files, workloads::steps(options.steps));
  const Source& source = trace.source();
  if (!source.info().ordered)
    throw InputError(source.info().name +
                     ": a profile does not record the order of calls, so it cannot be converted");
  if (!source.info().unplayable.empty())
    throw InputError(source.info().name + ": " + source.info().unplayable);
  for (Rank r = 0; r < (target.of_each_rank ? source.ranks() : 1); ++r)
    refuse_own_input(file_of(target, options, r), options.files, "the trace");
  const Json lost = report::rows_of(target.write(source, target, options));
  report::Report report;
  report.head = {{"trace", source.info().name},
                 {"from", source.info().format},
                 {"to", options.to},
                 {"written", options.out},
                 {"unknown", source.info().unknown}};
  report.title =
      "written: " + options.out + (target.of_each_rank ? ".RANK.et" : "") + " (" + options.to + ")";
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
  std::vector<std::string> names;
  std::string words;
  for (const Target& t : targets) {
    names.emplace_back(t.name);
    words += (words.empty() ? "" : "; ") + names.back() + ": " + t.what;
  }
  verb->add_option("--to", options->to, words)
      ->required()
      ->check(one_of(names))
      ->option_text(text::join(names, "|"));
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

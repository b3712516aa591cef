// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/options.hpp"
#include "cli/trace_files.hpp"
#include "cli/verbs.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"
#include "replay/application/goal.hpp"
#include "replay/formats/convert.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/output_file.hpp"
#include "support/strict_options.hpp"

namespace collcast::cli {
namespace {

struct ConvertOptions {
  std::vector<std::string> files;
  std::string steps, to, out;
  Format format = Format::table;
};

Losses written(const Source& source, const ConvertOptions& options) {
  if (options.to == "cct") return write_cct(source, options.out);
  if (options.to == "ti") return write_time_independent(source, options.out);
  if (options.to == "chakra") return write_chakra(source, options.out);
  const Machine flat(load_platform("flat"), source.ranks());
  return write_goal(source, HomeFabric(flat, Memory::host), options.out);
}

void run_convert(const ConvertOptions& options) {
  check_writable(options.out + (options.to == "chakra" ? ".0.et" : ""));
  const auto source = open_source(options.files, steps(options.steps));
  if (!source->info().ordered)
    throw InputError(source->info().name + ": a profile has no order, and cannot be converted");
  const Losses losses = written(*source, options);
  Json lost = Json::array();
  for (const Loss& l : losses)
    lost.push_back({{"operation", l.operation}, {"count", l.count}, {"reason", l.reason}});
  if (options.format == Format::json) {
    print_json({{"trace", source->info().name},
                {"from", source->info().format},
                {"to", options.to},
                {"written", options.out},
                {"lost", lost},
                {"unknown", source->info().unknown}});
    return;
  }
  std::cout << "written: " << options.out << (options.to == "chakra" ? ".RANK.et" : "") << " (" << options.to
            << ")\n";
  for (const Loss& l : losses)
    print_text("lost: " + l.operation + " x " + std::to_string(l.count) + ": " + l.reason + "\n");
  for (const std::string& u : source->info().unknown) print_text("unknown: " + u + "\n");
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
  verb->add_option("-o,--output", options->out, "The file; of chakra what comes before .RANK.et")
      ->required()
      ->option_text("OUT");
  add_format(*verb, options->format);
  verb->footer("Example: collcast convert traces/qe-si-8.cct --to ti -o qe.ti");
  verb->callback([options] { run_convert(*options); });
}

}  // namespace collcast::cli

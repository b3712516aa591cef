// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/tune.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/own_input.hpp"
#include "cli/pictures.hpp"
#include "cli/verbs.hpp"
#include "model/ranges.hpp"
#include "support/error.hpp"
#include "support/output_file.hpp"
#include "support/strict_options.hpp"

namespace collcast::cli {
namespace {

struct TuneOptions {
  TuneQuestion question;
  std::string ranks, file, plot;
  std::vector<std::string> sizes;
  Memory memory = Memory::device;
  Format format = Format::table;
  bool all = false;
};

std::string names() {
  std::string text;
  for (const tuner::Format& l : tuner::formats())
    text += (text.empty() ? "" : "; ") + std::string(l.name) + ": " + std::string(l.what);
  return text;
}

void run_tune(TuneOptions& options, bool memory_given) {
  TuneQuestion& q = options.question;
  const tuner::Format& format = tuner::format(q.library);
  q.ranks = parse_ranks(options.ranks);
  q.sizes = parse_sizes(options.sizes);
  if (memory_given) q.memory = options.memory;
  if (!options.plot.empty()) report::check_plot(options.plot);
  if (!options.file.empty()) {
    check_writable(options.file);
    refuse_own_input(options.file, {q.platform}, "the platform");
  }
  catch_interrupts();
  const Watch watch{progress, &interrupt_flag()};
  const Tuned tuned = tune(q, watch);
  report::Report report = report::make(tuned, format);
  report::tell_unmoved(report, q, watch);
  progress_end();
  if (options.all && options.format == Format::csv) report.sections.clear();  // a CSV is one table
  if (options.all) report.sections.push_back(report::able(tuned));
  if (!options.file.empty()) {
    write_file(options.file, format.write(tuned.tuning));
    std::string use(format.use);
    if (const auto at = use.rfind("FILE"); at != std::string::npos) use.replace(at, 4, options.file);
    report.remark += "\n" + options.file + " is read by: " + use;
  }
  plot(options.plot, report::picture(tuned, format), report.notes);
  print(report, options.format);
}

}  // namespace

void add_tune(CLI::App& app, int&) {
  auto options = std::make_shared<TuneOptions>();
  TuneQuestion& q = options->question;
  CLI::App* verb =
      app.add_subcommand("tune", "Writes the file by which a library chooses the fastest algorithms");
  verb->add_option("--for", q.library, names())->required()->option_text("LIBRARY");
  verb->add_option("-p,--platform", q.platform, "A name from `collcast platforms`, or a file")
      ->required()
      ->option_text("P");
  verb->add_option("-n,--ranks", options->ranks, "Number of ranks")->required()->option_text("N");
  verb->add_option("-s,--size", options->sizes, "Message sizes and ranges of them, ascending: 1KiB:1GiB:x4")
      ->required()
      ->delimiter(',')
      ->option_text("S[,S...]");
  verb->add_option("-o,--output", options->file, "The file")->option_text("FILE");
  verb->add_option("--collective", q.collectives,
                   "Collectives to tune (default: all that the library can be told about)")
      ->delimiter(',')
      ->option_text("C[,C...]");
  verb->add_flag(
      "--all", options->all,
      "Also lists every choice that the library can be told, with its time; as CSV that list alone");
  verb->add_option("--policy", q.policy, "The release whose defaults are compared, e.g. nccl-2.30")
      ->option_text("P");
  add_engine(*verb, q.engine);
  add_placement(*verb, q.placement);
  auto* memory = verb->add_option("--memory", options->memory,
                                  "Where ranks keep their data (default: device for nccl, else host)")
                     ->transform(one_of(
                         std::map<std::string, Memory>{{"host", Memory::host}, {"device", Memory::device}}))
                     ->option_text("host|device");
  verb->add_option("--set", q.set, "Overrides a platform parameter, e.g. network.bandwidth_GBps=25")
      ->option_text("KEY=VALUE");
  add_plot(*verb, options->plot, "time over message size, by default and with the file");
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast tune --for openmpi --platform frontera --ranks 64 --size 1KiB:4MiB:x4 -o rules.txt");
  verb->callback([options, memory] { run_tune(*options, memory->count() > 0); });
}

}  // namespace collcast::cli

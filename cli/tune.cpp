// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/own_input.hpp"
#include "cli/pictures.hpp"
#include "cli/verbs.hpp"
#include "cli/what_if.hpp"
#include "forecast/report/tune.hpp"
#include "model/ranges.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/output_file.hpp"
#include "support/strict_options.hpp"
#include "support/text.hpp"

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

/// All that the library can be told, and how long that takes.
report::Section able(const Tuned& tuned) {
  report::Section section{
      "able",
      Json::array(),
      {report::text_of("collective", "collective"),
       report::number_of("message", "message_bytes", text::bytes), report::text_of("algorithm", "algorithm"),
       report::number_of("segment", "segment_bytes", text::bytes),
       report::number_of("time", "time_s", text::seconds), report::number_of("low", "low_s", text::seconds),
       report::number_of("high", "high_s", text::seconds), report::text_of("engine", "engine")}};
  for (const Tuned::Point& p : tuned.points)
    for (const Tuned::Play& a : p.able)
      section.rows.push_back({{"collective", definition(p.collective).name},
                              {"message_bytes", std::llround(p.size.value)},
                              {"algorithm", a.rule.entry ? std::string(a.rule.entry->theirs) : a.name},
                              {"segment_bytes", a.rule.segment > 0 ? Json(a.rule.segment) : Json()},
                              {"time_s", a.time.value},
                              {"low_s", a.low.value},
                              {"high_s", a.high.value},
                              {"engine", a.engine}});
  return section;
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
  const Tuned tuned = tune(q, {progress});
  report::Report report = report::make(tuned, format);
  tell_unmoved(report, q.set, [&](const std::vector<std::string>& set) {
    TuneQuestion other = q;
    other.set = set;
    return report::make(tune(other, {progress}), format).sections[0].rows;
  });
  progress_end();
  if (options.all) report.sections.push_back(able(tuned));
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
  verb->add_flag("--all", options->all,
                 "Also lists every choice that the library can be told, with its time");
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

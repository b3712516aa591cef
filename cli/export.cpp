// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <iostream>

#include "algorithms/exchange/goal.hpp"
#include "cli/options.hpp"
#include "cli/own_input.hpp"
#include "cli/verbs.hpp"
#include "model/ranges.hpp"
#include "support/error.hpp"
#include "support/output_file.hpp"
#include "support/strict_options.hpp"

namespace collcast::cli {
namespace {

struct ExportOptions {
  Subject subject;
  std::string size, format, output;  ///< no size: what the counts add up to, or 1 MiB
  double reduction = 0;
  CallText call;
};

std::string text(const ExportOptions& options, const Algorithm& a, const Call& asked) {
  const bool msccl = options.format == "msccl";
  const Call call = msccl && options.call.segment.empty() ? in_a_small_file(a, asked) : asked;
  if (call.segments < asked.segments)
    note(std::to_string(call.segments) + " segments, not " + std::to_string(asked.segments) +
         ", so that the file stays small; --segment says how many bytes each has");
  const Schedule schedule = a.schedule(call);
  if (msccl) {
    std::string xml = write_msccl(schedule, a.collective, a.name, call.root);
    if (const std::string words = refused_by_msccl(xml); !words.empty()) note(words);
    return xml;
  }
  const BytesPerSecond reduction(options.reduction * 1e9);
  return write_goal(schedule, layout(a, call, schedule),
                    options.reduction > 0 ? 1.0 / reduction : SecondsPerByte());
}

int run_export(ExportOptions& options) {
  if (options.format == "msccl" && options.reduction > 0)
    throw InputError("--reduction goes with --format goal: MSCCL's XML has no times");
  if (!options.output.empty()) {
    check_writable(options.output);
    refuse_own_input(options.output, {options.subject.import}, "the algorithm");
  }
  const auto imported = import(options.subject, options.call);
  if (options.subject.ranks.size() != 1) throw InputError("export takes a single number for --ranks");
  if (imported && imported->wrong) {
    std::cerr << "collcast: " << imported->refusal() << '\n';
    return 1;
  }
  const Algorithm& a =
      imported ? imported->algorithm
               : algorithm(definition(options.subject.collective).collective, options.subject.algorithm);
  const Rank ranks = parse_ranks(options.subject.ranks[0]);
  const Bytes message = whole_message(options.size, options.call, a.collective, ranks);
  const Call call = make_call(a, options.call, plain_call(options.call, a.collective, ranks, message));
  const std::string exported = text(options, a, call);
  for (const std::string& words : untaken(options.call, a.collective, std::array{&a})) note(words);
  options.output.empty() ? void(std::cout << exported) : write_file(options.output, exported);
  return 0;
}

}  // namespace

void add_export(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* verb =
      app.add_subcommand("export", "Writes an algorithm for other programs: MSCCL's XML, or GOAL");
  add_subject(*verb, options->subject, "A name from `collcast algorithms`");
  verb->add_option("-s,--size", options->size,
                   "Message size (default 1MiB, or what --counts add up to); MSCCL's XML has none")
      ->option_text("S");
  verb->add_option("--format", options->format, "msccl: for MSCCL and RCCL; goal: for LogGOPSim and ATLAHS")
      ->required()
      ->check(one_of({"msccl", "goal"}))
      ->option_text("msccl|goal");
  verb->add_option("--reduction", options->reduction,
                   "GOAL's reductions take bytes / X nanoseconds, X in GB/s (default: no time)")
      ->check(CLI::PositiveNumber)
      ->option_text("X");
  verb->add_option("-o,--output", options->output, "The file to write (default: standard output)")
      ->option_text("FILE");
  add_call_options(*verb, options->call, false);
  verb->footer("Example: collcast export allreduce --algorithm ring --ranks 8 --format msccl -o ring.xml");
  verb->callback([options, &exit_code] { exit_code = run_export(*options); });
}

}  // namespace collcast::cli

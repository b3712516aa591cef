// SPDX-License-Identifier: Apache-2.0
#include "forecast/synthesis/synthesize.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/own_input.hpp"
#include "cli/pictures.hpp"
#include "cli/verbs.hpp"
#include "forecast/synthesis/gap.hpp"
#include "model/ranges.hpp"
#include "support/error.hpp"
#include "support/output_file.hpp"

namespace collcast::cli {
namespace {

struct SynthesizeOptions {
  std::string collective, platform, ranks, transport, trees, output, plot;
  std::vector<std::string> sizes;
  Question question;
  Format format = Format::table;

  /// The question that both verbs ask.
  const Question& asked() {
    question.collectives = {collective};
    question.platforms = {platform};
    question.ranks = {parse_ranks(ranks)};
    question.sizes = parse_sizes(sizes);
    if (!transport.empty()) question.transport = parse_transport(transport);
    return question;
  }
};

ScheduleFile file_for(const std::string& name) {
  if (name.empty()) return ScheduleFile::none;
  if (name.ends_with(".json")) return ScheduleFile::json;
  if (name.ends_with(".xml")) return ScheduleFile::msccl;
  throw InputError("-o takes a name that ends in .json or .xml, not " + name);
}

int run_synthesize(SynthesizeOptions& o) {
  const Question& q = o.asked();
  const ScheduleFile file = file_for(o.output);
  if (file != ScheduleFile::none) {
    check_writable(o.output);
    refuse_own_input(o.output, {o.platform}, "the platform");
  }
  const std::int64_t trees = o.trees.empty() ? 0 : parse_count(o.trees, "number of trees", 1, 64);
  catch_interrupts();
  const Synthesized answer = synthesize(q, trees, file, {progress, &interrupt_flag()});
  progress_end();
  print(answer.report, o.format);
  if (file != ScheduleFile::none) write_file(o.output, answer.file);
  return answer.holds ? 0 : 1;
}

void add_question(CLI::App& verb, SynthesizeOptions& o, const std::string& sizes) {
  verb.add_option("collective", o.collective,
                  "allgather, reduce-scatter, allreduce, broadcast, reduce, gather, scatter or alltoall")
      ->required();
  verb.add_option("-p,--platform", o.platform, "A name from `collcast platforms`, or a file")
      ->required()
      ->option_text("P");
  verb.add_option("-n,--ranks", o.ranks, "Number of ranks")->required()->option_text("N");
  o.sizes = {sizes};
  verb.add_option("-s,--size", o.sizes,
                  "Message sizes, and ranges of them: 64KiB,1MiB:1GiB:x4 (default " + sizes + ")")
      ->delimiter(',')
      ->option_text("S[,S...]");
  verb.add_option("--root", o.question.call.root, "Root rank (default 0)")->option_text("R");
  verb.add_option("--set", o.question.set, "Overrides a platform parameter, e.g. network.bandwidth_GBps=25")
      ->option_text("KEY=VALUE");
  add_placement(verb, o.question.placement);
  add_memory(verb, o.question.memory);
  add_transport(verb, o.transport);
  add_format(verb, o.format, true);
}

}  // namespace

void add_synthesize(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<SynthesizeOptions>();
  CLI::App* verb =
      app.add_subcommand("synthesize", "Makes the fastest schedules for a machine, and proves them");
  add_question(*verb, *o, "1GiB");
  verb->add_option("--trees", o->trees,
                   "Trees from each root (default: as many as the optimum takes, up to 64)")
      ->option_text("K");
  verb->add_option("-o,--output", o->output,
                   "The file to write: .json, for `--import` at any size, or MSCCL's .xml")
      ->option_text("FILE");
  verb->footer("Example: collcast synthesize allgather --platform dgx-a100 --ranks 16 -o forest.json");
  verb->callback([o, &exit_code] { exit_code = run_synthesize(*o); });
}

void add_gap(CLI::App& app, int&) {
  auto o = std::make_shared<SynthesizeOptions>();
  CLI::App* verb = app.add_subcommand(
      "gap",
      "How far from the bound are a synthesized schedule, the catalogue's fastest, a library's choice");
  add_question(*verb, *o, "1KiB:1GiB:x16");
  add_policy(*verb, o->question.policy, "Also compares this library's choice");
  add_engine(*verb, o->question.engine);
  add_plot(*verb, o->plot, "the times over message size");
  verb->footer(
      "Example: collcast gap allreduce --platform dgx-a100 --ranks 16 --size 1KiB:1GiB:x16 --policy "
      "nccl-2.18");
  verb->callback([o] {
    catch_interrupts();
    if (!o->plot.empty()) report::check_plot(o->plot);
    const Question q = o->asked();
    const Watch watch{progress, &interrupt_flag()};
    report::Report answer = gap(q, watch);
    progress_end();
    plot(o->plot, {answer.title, {gap_graph(answer)}}, answer.notes);
    print(answer, o->format);
  });
}

}  // namespace collcast::cli

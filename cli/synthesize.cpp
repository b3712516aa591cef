// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "algorithms/exchange/forest_file.hpp"
#include "algorithms/exchange/listing_file.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/own_input.hpp"
#include "cli/pictures.hpp"
#include "cli/verbs.hpp"
#include "cli/what_if.hpp"
#include "forecast/synthesis/gap.hpp"
#include "model/ranges.hpp"
#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/output_file.hpp"

namespace collcast::cli {
namespace {

struct SynthesizeOptions {
  std::string collective, platform, ranks, trees, output, plot;
  std::vector<std::string> sizes;
  Question question;
  Format format = Format::table;

  /// What both verbs ask.
  const Question& asked() {
    question.collectives = {collective};
    question.platforms = {platform};
    question.ranks = {parse_ranks(ranks)};
    question.sizes = parse_sizes(sizes);
    return question;
  }
};

/// In as many segments as are the fastest, as far as the file stays small.
std::string msccl(const Front::Fastest& fastest, Rank root) {
  const Algorithm& a = fastest.schedule->algorithm;
  std::string xml =
      write_msccl(a.schedule(in_a_small_file(a, fastest.prediction.call)), a.collective, a.name, root);
  if (const std::string words = refused_by_msccl(xml); !words.empty())
    note(words + "; fewer --trees make a smaller one");
  return xml;
}

std::string json(const Front::Fastest& fastest, Rank root, const std::string& platform) {
  Algorithm a = fastest.schedule->algorithm;
  a.best_segments = {fastest.prediction.call.message, fastest.prediction.call.segments};
  const auto written = [&](const auto& plan) {
    if constexpr (std::is_same_v<std::decay_t<decltype(plan)>, Forest>)
      return write_forest(plan, a.collective, root, platform, a.best_segments);
    else
      return write_listing(plan, a, root, platform);
  };
  return std::visit(written, fastest.schedule->plan);
}

void write(const SynthesizeOptions& o, Front& front, const Forecaster& forecaster) {
  const auto fastest = front.fastest(std::ranges::max(o.question.sizes), engine("contention"));
  write_file(o.output, o.output.ends_with(".json")
                           ? json(fastest, front.root(), forecaster.machine().platform())
                           : msccl(fastest, front.root()));
}

int run_synthesize(SynthesizeOptions& o) {
  const Question& q = o.asked();
  if (!o.output.empty() && !o.output.ends_with(".json") && !o.output.ends_with(".xml"))
    throw InputError("-o takes a name that ends in .json or .xml, not " + o.output);
  if (!o.output.empty()) {
    check_writable(o.output);
    refuse_own_input(o.output, {o.platform}, "the platform");
  }
  Description platform = load_platform(o.platform);
  override_platform(platform, q.set);
  const Collective collective = definition(o.collective).collective;
  const Rank ranks = q.ranks[0];
  const Rank root = plain_call(q.call, collective, ranks, Bytes(1)).root;
  const std::int64_t trees = o.trees.empty() ? 0 : parse_count(o.trees, "number of trees", 1, 64);
  const Forecaster forecaster(platform, ranks, parse_placement(q.placement), q.memory);
  for (const std::string& words : untaken(q.call, collective, {})) note(words);
  progress("synthesizing " + o.collective);
  catch_interrupts();
  Front front(collective, forecaster, root, trees, [] { return interrupted(); });
  report::Report answer = report_of(front, q, forecaster);
  tell_unmoved(answer, q.set, [&](const std::vector<std::string>& set) {
    Description other = load_platform(o.platform);
    set_all(other, set);
    progress("synthesizing " + o.collective + " without a --set");
    const Forecaster there(other, ranks, parse_placement(q.placement), q.memory);
    Front made(collective, there, root, trees, [] { return interrupted(); });
    return report_of(made, q, there).sections[0].rows;
  });
  progress_end();
  print(answer, o.format);
  if (!o.output.empty()) write(o, front, forecaster);
  return answer.head["holds"].get<bool>() ? 0 : 1;
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
    tell_unmoved(answer, q.set, [&](const std::vector<std::string>& set) {
      Question other = q;
      other.set = set;
      return gap(other, watch).sections[0].rows;
    });
    progress_end();
    plot(o->plot, {answer.title, {gap_graph(answer)}}, answer.notes);
    print(answer, o->format);
  });
}

}  // namespace collcast::cli

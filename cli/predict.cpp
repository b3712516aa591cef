// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <limits>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/pictures.hpp"
#include "cli/several.hpp"
#include "cli/verbs.hpp"
#include "cli/what_if.hpp"
#include "engines/engine.hpp"
#include "forecast/report/answer.hpp"
#include "forecast/report/plot.hpp"
#include "forecast/sweep/predict.hpp"
#include "model/ranges.hpp"
#include "model/sizes.hpp"
#include "platforms/description/load.hpp"
#include "support/notes.hpp"
#include "support/numbers.hpp"
#include "support/strict_options.hpp"

namespace collcast::cli {
namespace {

using namespace report;

struct PredictOptions {
  Subject subject;
  std::string platforms, transport, memory, offload, workers, pieces, compute;
  std::vector<std::string> sizes;
  Question question;
  Format format = Format::table;
  Pictures pictures;
};

/// Figures of the time by cause, if the rows have explanations.
std::vector<Figure> where_time_goes(const Json& rows) {
  constexpr std::size_t most = 24;
  std::vector<std::string> causes;
  for (int c = 0; c < static_cast<int>(Cause::collective); ++c)  // no call here has a given time
    causes.emplace_back(name(static_cast<Cause>(c)));
  std::vector<Bar> all;
  for (const Json& r : rows) {
    if (!r.contains("explanation") || all.size() == most) continue;
    Bar bar{r["algorithm"].get<std::string>() + ", " + bytes(r["message_bytes"].get<double>()),
            std::vector<double>(causes.size())};
    for (const Json& part : r["explanation"]) {
      const auto cause = std::ranges::find(causes, part["cause"].get<std::string>());
      if (cause != causes.end())
        bar.parts[static_cast<std::size_t>(cause - causes.begin())] += part["time_s"].get<double>();
    }
    all.push_back(std::move(bar));
  }
  if (all.empty()) return {};
  return {bars("Where the time goes", causes, all, seconds)};
}

Description platform_of(const Question& question, std::size_t platform) {
  Description all = load_platform(question.platforms[platform]);
  set_all(all, question.set);
  return all;
}

/// Why no run was observed; empty: one was.
std::string why_unwatched(const Question& question, std::size_t calls) {
  if (calls != 1)
    return "messages are shown only where a single collective, algorithm, platform, number of ranks and size "
           "is asked for";
  try {
    require_messages(engine(question.engine));
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

void write_page(Canvas& canvas, const Question& question, const Report& report,
                const std::string& unwatched) {
  if (!canvas.has_page()) return;
  const Json& rows = report.sections[0].rows;
  Chapter forecast = chapter("Forecast", report.sections[0], report.remark);
  forecast.figures = where_time_goes(rows);
  forecast.figures.insert(forecast.figures.begin(), time_figure(rows));
  std::vector<Chapter> after;
  for (const Section& s : report.sections)
    if (s.key == "sensitivity")
      after.push_back(chapter("Sensitivity", s,
                              "How the time of all rows together follows each parameter: -1 is in inverse "
                              "proportion, 0 not at all."));
  after.push_back(notes_chapter(report.notes));
  for (std::size_t p = 0; p < question.platforms.size(); ++p)
    after.push_back(pedigree(platform_of(question, p)));
  const Seconds time = rows.size() == 1 ? Seconds(rows[0]["time_s"].get<double>()) : Seconds(0);
  canvas.write_page(report.title, {std::move(forecast)}, time, std::move(after), as_json(report), unwatched);
}

/// The cases, and whether they are several beyond platforms, ranks and sizes, which `ask` knows itself.
Several cases(const PredictOptions& options, const CLI::App& line) {
  Several cases("predict", line, {"platform", "ranks", "size"});
  cases.add("collective", options.subject.collective);
  cases.add("engine", options.question.engine);  // titles name it, even the default
  if (!cases.more_than_one()) return cases;
  cases.add("platform", options.platforms);
  cases.add("ranks", options.subject.ranks);
  cases.add("size", options.sizes.empty() ? std::vector<std::string>{"0"} : options.sizes);
  cases.refuse(
      {"--timeline", "--report", "--explain", "--sensitivity", "--with-synthesized", "--counts", "--import"});
  return cases;
}

Offload offload_of(const PredictOptions& options) {
  constexpr std::int64_t any = std::numeric_limits<int>::max();
  Offload offload{.who = options.offload};
  if (!options.workers.empty()) offload.workers = parse_count(options.workers, "--workers", -any, any);
  if (!options.pieces.empty())
    offload.pieces = static_cast<int>(parse_count(options.pieces, "--pieces", -any, any));
  if (!options.compute.empty()) offload.compute = parse_number(options.compute, "--compute", 0, 1e9);
  return offload;
}

int run_predict(PredictOptions& options, const CLI::App& line) {
  Question& question = options.question;
  if (!options.pictures.plot.empty()) report::check_plot(options.pictures.plot);
  if (const Several several = cases(options, line); several.more_than_one())
    return several.answer(options.subject.collective, options.format, options.pictures.plot);
  question.offload = offload_of(options);
  if (!options.memory.empty()) question.memory = sweep::parse_memory(options.memory);
  if (!options.transport.empty()) question.transport = parse_transport(options.transport);
  if (options.subject.algorithm.empty() && options.subject.import.empty()) options.subject.algorithm = "auto";
  const auto imported = import(options.subject, question.call);
  if (imported && imported->wrong) {
    std::cerr << "collcast: " << imported->refusal() << '\n';
    return 1;
  }
  if (imported) question.own = &imported->algorithm;
  question.collectives = {options.subject.collective};
  question.algorithm = options.subject.algorithm;
  question.platforms = CLI::detail::split(options.platforms, ',');
  question.ranks = parse_rank_counts(options.subject.ranks);
  question.sizes = parse_sizes(options.sizes);
  catch_interrupts();
  const std::size_t calls = question.algorithm == "all" ? 0
                                                        : question.platforms.size() * question.ranks.size() *
                                                              std::max<std::size_t>(1, question.sizes.size());
  Canvas canvas(options.pictures);
  canvas.require_one(calls);
  const std::string unwatched = canvas.has_timeline() ? "" : why_unwatched(question, calls);
  const Watched watched = unwatched.empty() ? canvas.watched(platform_of(question, 0)) : nullptr;
  Answer answer = ask(question, {progress, &interrupt_flag(), watched});
  progress_end();
  if (imported) add_once(answer.notes, imported->note());
  add_once(answer.notes, decimal_comma(options.sizes));
  append(answer.notes, canvas.write_timeline(report::about(answer)));
  Report report = report::make(answer);
  write_page(canvas, question, report, unwatched);
  plot(options.pictures.plot, {report.title, {time_graph(report.sections[0].rows)}}, report.notes);
  print(report, options.format);
  return 0;
}

/// --offload, --workers, --pieces and --compute.
void add_offload(CLI::App& verb, PredictOptions& options) {
  CLI::Option* offload =
      verb.add_option("--offload", options.offload,
                      "Ranks compute during the collective, and the answer says how much of it that hides, "
                      "as OSU's benchmarks do. dpu: cores of each node's DPU play it; none: the ranks "
                      "themselves do, as far as they get")
          ->check(each_of({"dpu", "none"}))
          ->option_text("dpu|none");
  verb.add_option("--workers", options.workers, "Cores of a node's DPU that play (default: all)")
      ->needs(offload)
      ->option_text("W[,W...]");
  verb.add_option(
          "--pieces", options.pieces,
          "Pieces of the message in a pipeline: copied to the DPU, exchanged, copied back (default 1)")
      ->needs(offload)
      ->option_text("K[,K...]");
  verb.add_option("--compute", options.compute, "Computation of a rank (default: as long as the collective)")
      ->needs(offload)
      ->option_text("SECONDS");
}

}  // namespace

void add_predict(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* verb = app.add_subcommand("predict", "How long a collective takes on a platform");
  add_subject(*verb, options->subject,
              "A name from `collcast algorithms`, all, or auto (default): what --policy chooses");
  verb->get_option("--ranks")->description("Numbers of ranks, and ranges of them")->option_text("N[,N...]");
  verb->add_option(
          "-p,--platform", options->platforms,
          "Names from `collcast platforms`, or files. Several values of this, the collective, "
          "--algorithm, --policy, --transport, --engine, --placement, --memory, --root, --radix, "
          "--segment, --channels, --buffer, --ranks-per-node, --offload, --workers, --pieces, --compute "
          "or a --set give a row for each combination")
      ->required()
      ->option_text("P[,P...]");
  verb->add_option(
          "-s,--size", options->sizes,
          "Message sizes, as nccl-tests counts them, and ranges of them: 64KiB,1MiB:1GiB:x4; k, M and G are "
          "binary (default: what --counts add up to)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("S[,S...]");
  add_policy(*verb, options->question.policy, "What --algorithm auto chooses (default: fastest)");
  verb->add_flag("--with-synthesized", options->question.with_synthesized,
                 "With --algorithm all: adds the fastest schedules that `collcast synthesize` makes");
  add_engine(*verb, options->question.engine);
  add_transport(*verb, options->transport);
  verb->add_flag("--explain", options->question.explain, "Where the time goes, along the chain of causes");
  add_placement(*verb, options->question.placement);
  add_what_if(*verb, options->question.set, options->question.sensitivity);
  add_memories(*verb, options->memory, "device");
  add_call_options(*verb, options->question.call);
  add_offload(*verb, *options);
  add_pictures(*verb, options->pictures);
  add_plot(*verb, options->pictures.plot, "time over message size");
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast predict allreduce --platform summit --ranks 6,96 --size 4KiB,64MiB --algorithm all\n"
      "Example: collcast predict alltoall --platform bluefield-2-cluster --ranks 128 --size 64KiB --offload "
      "dpu\n"
      "Example: collcast predict allreduce --platform summit --ranks 96 --size 64MiB --timeline "
      "ring.json.gz\n"
      "Example: collcast predict allreduce --platform dgx-a100 --ranks 16 --size 1GiB --set node.nics=4 "
      "--sensitivity\n"
      "Example: collcast predict --import allpairs.xml.gz --platform summit --size 64MiB");
  verb->callback([options, verb, &exit_code] { exit_code = run_predict(*options, *verb); });
}

}  // namespace collcast::cli

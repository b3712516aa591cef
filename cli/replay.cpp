// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "cli/trace_files.hpp"
#include "cli/verbs.hpp"
#include "cli/what_if.hpp"
#include "forecast/report/answer.hpp"
#include "platforms/description/load.hpp"
#include "replay/application/report.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::cli {
namespace {

using namespace report;

struct ReplayOptions {
  std::vector<std::string> files;
  std::string steps, platform, ranks, placement = "block", engine{contention_engine().name},
                                      policy = "fastest";
  std::vector<std::string> algorithms;
  WhatIf what_if;
  std::optional<Memory> memory;
  double compute_scale = 1;
  bool explain = false;
  Format format = Format::table;
  Pictures pictures;
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

Section operations_table(const ReplayReport& replayed) {
  const Column share{"share", [all = replayed.time.value](const Json& r) {
                       return all > 0 ? text::percent(r["time_s"].get<double>() / all) : "-";
                     }};
  return {"operations",
          operations(replayed),
          {text_of("operation", "operation"), count_of("count", "count"), number_of("bytes", "bytes", bytes),
           number_of("time per rank", "time_s", seconds), share, text_of("algorithm", "algorithm")}};
}

/// For people: what the time is made of.
Section totals_table(const ReplayReport& r) {
  Json rows = Json::array();
  const auto add = [&](const char* what, Seconds time, bool part) {
    const bool shares = part && r.time.value > 0;
    rows.push_back(
        {{"what", what}, {"time_s", time.value}, {"share", shares ? Json(time / r.time) : Json()}});
  };
  add("total", r.time, false);
  add("computation", r.compute, true);
  add("exposed communication", r.exposed, true);
  add("communication, hidden or not", r.communication, true);
  add("as recorded", r.recorded, false);
  return {"",
          rows,
          {text_of("", "what"), number_of("time", "time_s", seconds),
           number_of("share", "share", text::percent)}};
}

Section not_modelled_table(const ReplayReport& replayed) {
  return {"not_modelled",
          not_modelled(replayed),
          {text_of("not modelled", "operation"), count_of("count", "count"), text_of("reason", "reason")}};
}

Report made(const ReplayOptions& options, const Description& platform, const Source& trace,
            const ReplayReport& r) {
  Report report;
  report.head = {{"trace", trace.info().name},
                 {"platform", platform.name()},
                 {"engine", options.engine},
                 {"ranks", trace.ranks()}};
  report.head.update(totals(r));
  report.head["notes"] = Json::array();
  report.title = trace.info().name + " on " + platform.name() + ", " + count(trace.ranks()) + " ranks";
  report.sections = {totals_table(r), operations_table(r), not_modelled_table(r)};
  if (options.explain && !r.explanation.empty()) {
    report.sections.push_back(
        report::explanation_table(report::explanation(r.explanation, r.time), "where the time goes"));
    report.sections.back().key = "explanation";
  }
  const std::string share =
      r.limited_by_share ? " (" + text::percent(*r.limited_by_share) + ")" : std::string();
  report.remark = "Limited by " + r.limited_by + share + "; from " + seconds(r.low.value) + " to " +
                  seconds(r.high.value) + " as the platform's parameters are uncertain" +
                  (r.calibrated ? "." : " (not calibrated).");
  report.notes = r.notes;
  if (options.explain && r.explanation.empty())
    report.notes.push_back("too many messages for an explanation");
  return report;
}

void write_page(Canvas& canvas, const Description& platform, const Report& report, Seconds time) {
  if (!canvas.has_page()) return;
  const Section &sums = report.sections[0], &done = report.sections[1], &missing = report.sections[2];
  Chapter sum = chapter("Totals", sums, report.remark), where = chapter("Where the time goes", done);
  sum.figures = {
      bars("A rank's time", {"computation", "exposed communication"},
           {{"mean over the ranks",
             {report.head["compute_s"].get<double>(), report.head["exposed_communication_s"].get<double>()}}},
           seconds)};
  std::vector<Bar> all;
  for (const Json& o : done.rows)
    if (all.size() < 16) all.push_back({o["operation"], {o["time_s"].get<double>()}});
  where.figures = {bars("Time per rank by operation", {""}, all, seconds)};
  Chapter lost = chapter("Not modelled", missing);
  if (missing.rows.empty()) lost = {"Not modelled", "Everything that the trace holds was played.", {}};
  canvas.write_page(report.title, {sum, where}, time, {lost, notes_chapter(report.notes), pedigree(platform)},
                    as_json(report));
}

/// The replay's time on a platform.
TimesOn times_by(const Engine& engine, const Source& trace, collcast::ReplayOptions play) {
  play.engine = &engine, play.watched = nullptr, play.play.progress = nullptr;
  return [play, &trace](const Description& d) { return std::vector{replay_time(trace, d, play)}; };
}

void run_replay(const ReplayOptions& options) {
  const Trace opened =
      open_trace(options.files, steps(options.steps), options.ranks.empty() ? 0 : parse_ranks(options.ranks));
  const Source& trace = opened.source();
  const Description platform = platform_with(options.platform, options.what_if);
  collcast::ReplayOptions play;
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
  Canvas canvas(options.pictures);
  play.watched = canvas.watched();
  ReplayReport report = replay(trace, platform, play);
  progress_end();
  append(report.notes, canvas.write_timeline({{"title", trace.info().name + " on " + platform.name()},
                                              {"platform", platform.name()},
                                              {"engine", options.engine},
                                              {"ranks", trace.ranks()},
                                              {"time_s", report.time.value}}));
  Report answer = made(options, platform, trace, report);
  answer_what_if(answer, options.platform, options.what_if,
                 times_by(play.engine->quick ? *play.engine : contention_engine(), trace, play),
                 times_by(engine("path"), trace, play), report.limited_by);
  write_page(canvas, platform, answer, report.time);
  print(answer, options.format);
}

}  // namespace

void add_replay(CLI::App& app, int&) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* verb =
      app.add_subcommand("replay", "How long a recorded application takes on a platform, and what limits it");
  add_trace_files(*verb, options->files, options->steps);
  verb->add_option("-p,--platform", options->platform, "A name from `collcast platforms`, or a file")
      ->required()
      ->option_text("P");
  verb->add_option("-n,--ranks", options->ranks, "More or fewer than the trace's, where its ranks are alike")
      ->option_text("N");
  verb->add_option(
          "-a,--algorithm", options->algorithms,
          "Algorithm of one collective, e.g. allreduce=ring; the others take the fastest by critical path")
      ->option_text("COLLECTIVE=A");
  add_policy(*verb, options->policy, "Who chooses for the other collectives, each communicator by itself");
  add_engine(*verb, options->engine, true);
  verb->add_flag("--explain", options->explain, "Where the time goes, along the chain of causes");
  add_placement(*verb, options->placement);
  verb->add_option("--compute-scale", options->compute_scale,
                   "Computation takes this times the recorded CPU time (default 1)")
      ->option_text("X");
  add_what_if(*verb, options->what_if.set, options->what_if.sensitivity);
  add_memory(*verb, options->memory);
  add_pictures(*verb, options->pictures);
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast replay traces/qe-si-8.cct --platform summit --set network.bandwidth_GBps=25");
  verb->callback([options] { run_replay(*options); });
}

}  // namespace collcast::cli

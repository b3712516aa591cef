// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "cli/several.hpp"
#include "cli/verbs.hpp"
#include "cli/what_if.hpp"
#include "cli/workload_options.hpp"
#include "forecast/report/answer.hpp"
#include "platforms/description/load.hpp"
#include "replay/application/report.hpp"
#include "support/error.hpp"
#include "support/interrupt.hpp"
#include "support/json.hpp"
#include "support/text.hpp"
#include "workloads/playing/rows.hpp"

namespace collcast::cli {
namespace {

using namespace report;

struct ReplayCommand : workloads::ReplayText {
  std::string platforms;
  WhatIf what_if;
  bool explain = false;
  Format format = Format::table;
  Pictures pictures;
};

Section operations_table(const ReplayReport& replayed) {
  const Column share{"share", [all = replayed.time.value](const Json& r) {
                       return all > 0 ? text::percent(r["time_s"].get<double>() / all) : "-";
                     }};
  const auto sent = [](Column of) {  // messages are counted where they are sent; a receive has only a time
    return Column{of.title,
                  [text = of.text](const Json& r) { return r["count"] == 0 ? std::string("-") : text(r); }};
  };
  Section table{"operations",
                operations(replayed),
                {text_of("operation", "operation"), sent(count_of("count", "count")),
                 sent(number_of("bytes", "bytes", bytes)), number_of("time per rank", "time_s", seconds),
                 share, text_of("algorithm", "algorithm")}};
  if (std::ranges::any_of(table.rows, [](const Json& r) { return r["recorded_s"].is_number(); }))
    table.columns.insert(table.columns.begin() + 4, number_of("recorded", "recorded_s", seconds));
  return table;
}

/// The parts of the time, for people.
Section totals_table(const ReplayReport& r) {
  Json rows = Json::array();
  const auto add = [&](const char* what, Seconds time, bool part) {
    const bool shares = part && r.time.value > 0;
    rows.push_back(
        {{"what", what}, {"time_s", time.value}, {"share", shares ? Json(time / r.time) : Json()}});
  };
  add("total", r.time, false);
  add("computation", r.compute, true);
  add("exposed communication", r.exposed - r.idle, true);
  add("idle (gaps, or done early)", r.idle, true);
  add("communication, hidden and exposed", r.communication, true);
  add("as recorded", r.recorded, false);
  if (r.recorded <= Seconds()) rows.back()["time_s"] = Json();
  return {"",
          rows,
          {text_of("", "what"), number_of("time", "time_s", seconds),
           number_of("share", "share", text::percent)}};
}

Section not_modelled_table(const ReplayReport& replayed) {
  return {
      "not_modelled",
      rows_of(replayed.not_modelled),
      {text_of("not modelled", "operation"), count_of("count", "count"), number_of("time", "time_s", seconds),
       number_of("share", "share", text::percent), text_of("reason", "reason")}};
}

Report report_of(const ReplayCommand& options, const Description& platform, const Source& trace,
                 const ReplayReport& r) {
  Report report;
  report.head = {{"trace", trace.info().name},
                 {"platform", platform.name()},
                 {"engine", options.engine},
                 {"policy", r.policy},
                 {"ranks", trace.ranks()}};
  report.head.update(totals(r));
  if (r.stopped_short) report.head["stopped_short"] = true;
  report.head["notes"] = Json::array();
  report.title = trace.info().name + " on " + platform.name() + ", " + text::counted(trace.ranks(), "rank") +
                 (r.policy == "fastest" ? "" : ", " + r.policy) +
                 (r.stopped_short ? "; the trace ends early, and these times with it" : "");
  report.sections = {totals_table(r), operations_table(r), not_modelled_table(r)};
  if (options.explain && !r.explanation.empty()) {
    report.sections.push_back(
        report::explanation_table(report::explanation(r.explanation, r.time), "where the time goes"));
    report.as_csv = report.sections.back().key = "explanation";
  }
  const std::string share =
      r.limited_by_share ? " (" + text::percent(*r.limited_by_share) + ")" : std::string();
  report.remark = "Limited by " + r.limited_by + share + "; from " + seconds(r.low.value) + " to " +
                  seconds(r.high.value) + " at both ends of the platform's uncertainty" +
                  (r.calibrated ? "." : " (not calibrated).");
  report.notes = r.notes;
  if (options.explain && r.explanation.empty() && r.time > Seconds())
    report.notes.push_back("too many messages for an explanation");
  return report;
}

void write_page(Canvas& canvas, const Description& platform, const Report& report, Seconds time) {
  if (!canvas.has_page()) return;
  const Section &sums = report.sections[0], &done = report.sections[1], &missing = report.sections[2];
  Chapter sum = chapter("Totals", sums, report.remark), where = chapter("Where the time goes", done);
  const auto of = [&](const char* key) { return report.head[key].get<double>(); };
  sum.figures = {bars("A rank's time", {"computation", "exposed communication", "idle"},
                      {{"mean over the ranks",
                        {of("compute_s"), of("exposed_communication_s") - of("idle_s"), of("idle_s")}}},
                      seconds)};
  std::vector<Bar> all;
  for (const Json& o : done.rows)
    if (all.size() < 16) all.push_back({o["operation"], {o["time_s"].get<double>()}});
  where.figures = {bars("Time per rank by operation", {""}, all, seconds)};
  Chapter lost = chapter("Not modelled", missing);
  if (missing.rows.empty()) lost = {"Not modelled", "Everything that the trace holds was played.", {}};
  std::vector<Chapter> before{sum, where}, after{lost};
  for (const Section& s : report.sections) {
    if (s.key == "explanation") before.push_back(chapter("The chain of causes", s));
    if (s.key == "sensitivity") after.insert(after.begin(), chapter("Sensitivity", s));
  }
  after.push_back(notes_chapter(report.notes));
  after.push_back(pedigree(platform));
  canvas.write_page(report.title, std::move(before), time, std::move(after), as_json(report));
}

/// The replay's time on a platform.
TimesOn times_by(const Engine& engine, const Source& trace, ReplayOptions play) {
  play.engine = &engine, play.watched = nullptr, play.play.progress = nullptr;
  return [play, &trace](const Description& d) { return std::vector{replay_time(trace, d, play)}; };
}

/// The cases, and whether they are several.
Several cases(const ReplayCommand& options, const CLI::App& line) {
  Several cases("replay", line, {"algorithm"});
  cases.add("algorithm", algorithm_cases(options.algorithms));
  cases.add("engine", options.engine);  // titles name it, even the default
  if (cases.more_than_one()) cases.add("trace", std::vector{text::join(options.files, "\n")});
  cases.refuse({"--timeline", "--report", "--explain", "--sensitivity"});
  return cases;
}

int run_replay(const ReplayCommand& options, const CLI::App& line) {
  if (const Several several = cases(options, line); several.more_than_one()) {
    const std::size_t more = options.files.size() - 1;
    return several.answer(options.files[0] + (more > 0 ? " and " + std::to_string(more) + " more" : ""),
                          options.format);
  }
  const Trace opened = open_replayed(options);
  const Source& trace = opened.source();
  const Description platform = platform_with(options.platforms, options.what_if);
  ReplayOptions play = replay_options(options);
  catch_interrupts();
  const InterruptedBy user(&interrupt_flag());
  play.play.progress = [](Seconds now, std::int64_t messages) {
    progress("replayed " + seconds(now.value) + ", " + count(messages) + " messages");
  };
  Canvas canvas(options.pictures);
  play.watched = canvas.watched(platform);
  const ReplayReport report = replay(trace, platform, play);
  progress_end();
  Report answer = report_of(options, platform, trace, report);
  const Json row = workloads::replay_row(trace, platform, play, report);
  answer.head["nodes"] = row["nodes"], answer.head["ranks_per_node"] = row["ranks_per_node"];
  append(answer.notes, canvas.write_timeline({{"title", trace.info().name + " on " + platform.name()},
                                              {"platform", platform.name()},
                                              {"engine", options.engine},
                                              {"ranks", trace.ranks()},
                                              {"time_s", report.time.value}}));
  answer_what_if(answer, options.platforms, options.what_if, times_by(*play.engine, trace, play),
                 times_by(engine("path"), trace, play), report.limited_by);
  write_page(canvas, platform, answer, report.time);
  print(answer, options.format);
  return 0;
}

}  // namespace

void add_replay(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReplayCommand>();
  CLI::App* verb =
      app.add_subcommand("replay", "How long a recorded application takes on a platform, and what limits it");
  add_trace_files(*verb, options->files, options->steps);
  verb->add_option("-p,--platform", options->platforms,
                   "Names from `collcast platforms`, or files. Several values of this, --ranks, --steps, "
                   "--fusion, --cycle, --bucket, --nonblocking, --offload, --pieces, --delivery, "
                   "--algorithm, --policy, --engine, --placement, --memory, --compute-scale or a --set give "
                   "a row for each combination")
      ->required()
      ->option_text("P[,P...]");
  add_replay_options(*verb, *options);
  verb->add_flag("--explain", options->explain,
                 "Where the time goes, along the chain of causes. CSV has this instead of the operations");
  add_what_if(*verb, options->what_if.set, options->what_if.sensitivity);
  add_pictures(*verb, options->pictures);
  add_format(*verb, options->format, true);
  verb->footer(
      "Example: collcast replay traces/qe-si-8.cct --platform summit --set network.bandwidth_GBps=25\n"
      "Example: collcast replay traces/qe-si-8.cct --platform summit,flat --algorithm "
      "allreduce=ring,rabenseifner");
  verb->callback([options, verb, &exit_code] { exit_code = run_replay(*options, *verb); });
}

}  // namespace collcast::cli

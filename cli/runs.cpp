// SPDX-License-Identifier: Apache-2.0
#include "cli/runs.hpp"

#include <algorithm>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "forecast/report/answer.hpp"
#include "support/json.hpp"
#include "workloads/playing/rows.hpp"
#include "workloads/playing/shown.hpp"

namespace collcast::cli {

using namespace report;
using workloads::HowPlayed, workloads::Job, workloads::JobForecast, workloads::Span, workloads::Wait;

namespace {

/// Shows a process per role, as all ranks of a role do the same, with a row per stream.
void show_spans(Timeline& timeline, const Job& job, const std::vector<Span>& spans) {
  for (std::size_t r = 0; r < job.roles.size(); ++r)
    timeline.name_process(static_cast<std::int32_t>(r), job.roles[r].name);
  for (std::size_t s = 0; s <= job.streams.size(); ++s)
    timeline.name_row(static_cast<std::int32_t>(s), s < job.streams.size() ? job.streams[s] : "agreement");
  for (const Span& s : spans)
    if (s.end > s.start) timeline.add(s.role, s.stream, s.name, s.start, s.end, s.bytes);
}

/// Shows the waits after everything else, in each process on a row of its own. Returns when they end.
Seconds show_waits(Timeline& timeline, std::size_t processes, const std::vector<Wait>& waits, Seconds end) {
  constexpr std::int32_t row = (1 << 30) - 1;  // behind all streams
  timeline.name_row(row, "waiting");
  for (const Wait& w : waits) {
    for (std::size_t p = 0; p < processes; ++p)
      timeline.add(static_cast<std::int32_t>(p), row, w.name, end, end + w.time);
    end += w.time;
  }
  return end;
}

/// Draws the streams of the first role, with the longest activities.
Figure streams_of(const Job& job, const std::vector<Span>& spans) {
  constexpr std::size_t most = 1500;
  std::vector<report::Delay> all;
  Seconds end;
  for (const Span& s : spans) {
    end = std::max(end, s.end);
    if (s.role != 0 || !(s.end > s.start)) continue;
    const bool computes = s.kind == workloads::JobActivity::Kind::compute;
    all.push_back({static_cast<std::size_t>(s.stream), s.start.value, s.end.value,
                   computes ? "computation" : "communication"});
  }
  std::ranges::stable_sort(all, std::greater<>(), [](const report::Delay& s) { return s.end - s.begin; });
  all.resize(std::min(all.size(), most));
  std::vector<std::string> rows = job.streams;
  if (job.coordinator) rows.emplace_back("agreement");
  return schedule("A step on " + text::counted(job.ranks(), "rank") + ", " + job.roles[0].name, rows, all,
                  end.value);
}

/// The section of the rows, which is not the first one if --explain prints CSV.
const Section& rows_of(const Report& report) {
  return *std::ranges::find(report.sections, "rows", &Section::key);
}

Chapter steps_of(const Report& report, const Section& rows) {
  Chapter steps = chapter("Steps", rows, report.remark);
  std::vector<Bar> all;
  Curve efficiency{"efficiency", {}};
  for (const Json& r : rows.rows) {
    const double waits = r.value("waiting_s", 0.0) + r.value("io_s", 0.0) + r.value("checkpoint_s", 0.0);
    all.push_back({text::counted(r["ranks"], "rank"),
                   {r["compute_s"].get<double>(), r["exposed_communication_s"].get<double>(),
                    r["bubble_s"].get<double>(), waits}});
    if (r["efficiency"].is_null()) continue;
    const double e = r["efficiency"];
    efficiency.points.push_back({r["ranks"].get<double>(), e, e, e});
  }
  steps.figures = {bars("Where the time goes",
                        {"computation", "exposed communication", "bubble", "other waits"}, all, seconds)};
  if (efficiency.points.size() > 1)
    steps.figures.push_back(chart({"Efficiency",
                                   {"ranks", number, Axis::Scale::octaves, true},
                                   {"efficiency", text::percent},
                                   {efficiency}}));
  return steps;
}

HowPlayed with_progress(HowPlayed how) {
  how.progress = [](Seconds now, std::int64_t messages) {
    progress("played " + seconds(now.value) + ", " + count(messages) + " messages");
  };
  return how;
}

}  // namespace

Runs::Runs(const Description& platform, const HowPlayed& how, const Shown& shown, std::size_t count)
    : platform_(platform),
      engine_(how.engine),
      shown_(shown),
      playing_(platform, with_progress(how)),
      canvas_(shown.pictures),
      alone_(count == 1) {
  canvas_.require_one(count);
}

void Runs::add(const Job& job, const std::string& name, const JobForecast& f, Json row) {
  rows_.push_back(std::move(row));
  if (shown_.explain) explain(job.ranks(), f);
  show(job, name, f);
}

void Runs::explain(Rank ranks, const JobForecast& f) {
  if (!playing_.by_messages()) {
    for (const Json& activity : workloads::activity_rows(f)) {
      activities_.push_back({{"ranks", ranks}});
      activities_.back().update(activity);
    }
    return;
  }
  const std::vector<Share> causes = playing_.causes(f.waits);
  if (causes.empty())
    incomplete_ |= f.time > Seconds();
  else
    causes_.push_back({{"ranks", ranks}, {"causes", explanation(causes, f.time)}});
}

void Runs::show(const Job& job, const std::string& name, const JobForecast& f) {
  std::size_t processes = job.roles.size();
  Seconds end;
  if (!playing_.by_messages()) {
    if (canvas_.has_timeline()) show_spans(canvas_.timeline(), job, f.spans);
    if (canvas_.has_page()) pictures_.push_back(streams_of(job, f.spans));
    for (const Span& s : f.spans) end = std::max(end, s.end);
  } else if (const Watched watched = alone_ ? canvas_.watched(platform_) : nullptr) {
    seen_ = end = playing_.watch(watched);
    processes = static_cast<std::size_t>(job.ranks());
  }
  if (!canvas_.has_timeline()) return;
  end = show_waits(canvas_.timeline(), processes, f.waits, end);
  Json about{{"title", name + " on " + platform_.name()},
             {"platform", platform_.name()},
             {"ranks", job.ranks()},
             {"time_s", f.time.value}};
  if (playing_.by_messages()) about["engine"] = engine_;
  if (end - f.time > 1e-9 * f.time || f.time - end > 1e-9 * f.time) {
    about["shown"] = "the last phase of the coordinator's rounds, until shown_s; time_s is the mean of all";
    about["shown_s"] = end.value;
  }
  append(notes_, canvas_.write_timeline(about));
}

Report Runs::report(Json head, const std::string& title, const std::string& time) {
  Report report;
  report.head = std::move(head);
  report.title = title + ", " + playing_.policy();
  if (playing_.by_messages()) report.head["engine"] = engine_, report.title += ", engine " + engine_;
  std::vector<Column> columns{count_of("ranks", "ranks"), count_of("nodes", "nodes")};
  std::ranges::move(workloads::run_columns(time, rows_), std::back_inserter(columns));
  report.sections = {{"rows", std::move(rows_), std::move(columns)}};
  report.notes = playing_.notes();
  append(report.notes, notes_);
  if (shown_.explain) write_explanation(report);
  return report;
}

/// Adds the explanation to the report. In CSV it takes the place of the rows.
void Runs::write_explanation(Report& report) {
  if (incomplete_) report.notes.emplace_back("too many messages for an explanation");
  if (!activities_.empty()) {
    report.sections.push_back(
        {"activities",
         std::move(activities_),
         {count_of("ranks", "ranks"), text_of("role", "role"), text_of("activity", "activity"),
          count_of("count", "count"), number_of("under way", "total_s", seconds),
          number_of("exposed", "exposed_s", seconds), number_of("of the time", "share", text::percent)},
         std::string::npos,
         "Where the time goes: the exposed times add up to the total"});
    report.as_csv = "activities";
  }
  if (causes_.empty()) return;
  Json flat = Json::array();
  for (const Json& one : causes_) {
    report.sections.push_back(explanation_table(
        one["causes"], "where the time goes, " + text::counted(one["ranks"].get<std::int64_t>(), "rank")));
    for (const Json& cause : one["causes"]) {
      flat.push_back({{"ranks", one["ranks"]}});
      flat.back().update(cause);
    }
  }
  if (shown_.format == Format::csv)
    report.sections.push_back({"causes", std::move(flat), {}}), report.as_csv = "causes";
  report.head["explanation"] = std::move(causes_);
}

void Runs::write_page(const Report& report) {
  if (!canvas_.has_page()) return;
  std::vector<Chapter> before;
  for (const Section& s : report.sections)
    if (s.key == "rows")
      before.push_back(steps_of(report, s));
    else if (!s.columns.empty() && s.key != "sensitivity")
      before.push_back(chapter(s.title.empty() ? "Where the time goes" : s.title, s));
  if (!pictures_.empty()) before.push_back({"A step", "", {}, std::move(pictures_)});
  std::vector<Chapter> after;
  for (const Section& s : report.sections)
    if (s.key == "sensitivity") after.push_back(chapter("Sensitivity", s));
  if (!report.notes.empty()) after.push_back(notes_chapter(report.notes));
  after.push_back(pedigree(platform_));
  const bool nccl = is_nccl(playing_.policy());
  const std::string of_nccl = nccl ? "; collectives of NCCL are single operations on every engine" : "";
  canvas_.write_page(
      report.title, std::move(before), seen_, std::move(after), as_json(report),
      !playing_.by_messages() ? "this step adds up separate forecasts of its collectives; --engine plays "
                                "their messages together, and `predict` shows the links of one collective"
      : seen_ > Seconds()     ? "no message was sent" + of_nccl
                              : "messages are shown only where a single number of ranks is asked for");
}

std::string not_calibrated(const Report& report, const std::string& platform) {
  const auto calibrated = [](const Json& row) { return row["calibrated"] == Json(true); };
  if (std::ranges::all_of(rows_of(report).rows, calibrated)) return {};
  return "Not calibrated: it rests on datasheet values or guesses; `collcast platforms " + platform +
         "` lists the platform's.";
}

std::string limit_of(const Report& report) {
  return rows_of(report).rows.back()["limited_by"];
}

}  // namespace collcast::cli

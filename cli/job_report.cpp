// SPDX-License-Identifier: Apache-2.0
#include "cli/job_report.hpp"

#include <algorithm>

#include "forecast/report/answer.hpp"
#include "support/json.hpp"

namespace collcast::cli {

using namespace report;

void Explained::add(Rank ranks, const std::vector<workloads::ActivitySummary>& activities, Seconds time) {
  for (const workloads::ActivitySummary& a : activities)
    activities_.push_back({{"ranks", ranks},
                           {"role", a.role},
                           {"activity", a.name},
                           {"count", a.count},
                           {"total_s", a.total.value},
                           {"exposed_s", a.exposed.value},
                           {"share", time > Seconds() ? Json(a.exposed / time) : Json()}});
}

void Explained::add(Rank ranks, const std::vector<Share>& causes, Seconds time) {
  if (causes.empty())
    incomplete_ |= time > Seconds();
  else
    causes_.push_back({{"ranks", ranks}, {"causes", report::explanation(causes, time)}});
}

void Explained::write(Report& report, Format format) {
  if (incomplete_) report.notes.emplace_back("too many messages for an explanation");
  const auto place = format == Format::csv ? report.sections.begin() : report.sections.end();
  if (!activities_.empty())
    report.sections.insert(
        place,
        {"activities",
         std::move(activities_),
         {count_of("ranks", "ranks"), text_of("role", "role"), text_of("activity", "activity"),
          count_of("count", "count"), number_of("under way", "total_s", seconds),
          number_of("exposed", "exposed_s", seconds), number_of("of the time", "share", text::percent)},
         std::string::npos,
         "Where the time goes: what is exposed adds up to it"});
  if (causes_.empty()) return;
  Json flat = Json::array();
  for (const Json& one : causes_) {
    report.sections.push_back(explanation_table(
        one["causes"], "where the time goes, " + count(one["ranks"].get<std::int64_t>()) + " ranks"));
    for (const Json& cause : one["causes"]) {
      flat.push_back({{"ranks", one["ranks"]}});
      flat.back().update(cause);
    }
  }
  if (format == Format::csv) report.sections.insert(report.sections.begin(), {"causes", std::move(flat), {}});
  report.head["explanation"] = std::move(causes_);
}

void show(Timeline& timeline, const workloads::Job& job, const std::vector<workloads::Span>& spans) {
  for (std::size_t r = 0; r < job.roles.size(); ++r)
    timeline.name_process(static_cast<std::int32_t>(r), job.roles[r].name);
  for (std::size_t s = 0; s <= job.streams.size(); ++s)
    timeline.name_row(static_cast<std::int32_t>(s), s < job.streams.size() ? job.streams[s] : "agreement");
  for (const workloads::Span& s : spans)
    if (s.end > s.start) timeline.add(s.role, s.stream, s.name, s.start, s.end, s.bytes);
}

Figure streams_of(const workloads::Job& job, const std::vector<workloads::Span>& spans) {
  constexpr std::size_t most = 1500;
  std::vector<report::Stretch> all;
  Seconds end;
  for (const workloads::Span& s : spans) {
    end = std::max(end, s.end);
    if (s.role != 0 || !(s.end > s.start)) continue;
    const bool computes = s.kind == workloads::Activity::Kind::compute;
    all.push_back({static_cast<std::size_t>(s.stream), s.start.value, s.end.value,
                   computes ? "computation" : "communication"});
  }
  std::ranges::stable_sort(all, std::greater<>(), [](const report::Stretch& s) { return s.end - s.begin; });
  all.resize(std::min(all.size(), most));
  std::vector<std::string> rows = job.streams;
  if (job.coordinator) rows.emplace_back("agreement");
  return schedule("A step on " + count(job.ranks()) + " ranks, " + job.roles[0].name, rows, all, end.value);
}

namespace {

/// Which is not the first section of what --explain prints as CSV.
const Section& rows_of(const Report& report) {
  return *std::ranges::find(report.sections, "rows", &Section::key);
}

Chapter steps_of(const Report& report, const Section& rows) {
  Chapter steps = chapter("Steps", rows, report.remark);
  std::vector<Bar> all;
  Curve efficiency{"efficiency", {}};
  for (const Json& r : rows.rows) {
    all.push_back({count(r["ranks"]) + " ranks",
                   {r["compute_s"].get<double>(), r["exposed_communication_s"].get<double>()}});
    if (r["efficiency"].is_null()) continue;
    const double e = r["efficiency"];
    efficiency.points.push_back({r["ranks"].get<double>(), e, e, e});
  }
  steps.figures = {bars("Where the time goes", {"computation", "exposed communication"}, all, seconds)};
  if (efficiency.points.size() > 1)
    steps.figures.push_back(chart({"Efficiency",
                                   {"ranks", number, Axis::Scale::octaves, true},
                                   {"efficiency", text::percent},
                                   {efficiency}}));
  return steps;
}

}  // namespace

std::string limit_of(const Report& report) {
  return rows_of(report).rows.back()["limited_by"];
}

void write_job_page(Canvas& canvas, const Description& platform, const Report& report,
                    std::vector<Figure> pictures, Seconds seen, bool by_messages) {
  if (!canvas.has_page()) return;
  std::vector<Chapter> before;
  for (const Section& s : report.sections)
    if (s.key == "rows")
      before.push_back(steps_of(report, s));
    else if (!s.columns.empty() && s.key != "sensitivity")
      before.push_back(chapter(s.title.empty() ? "Where the time goes" : s.title, s));
  if (!pictures.empty()) before.push_back({"A step", "", {}, std::move(pictures)});
  std::vector<Chapter> after;
  for (const Section& s : report.sections)
    if (s.key == "sensitivity") after.push_back(chapter("Sensitivity", s));
  if (!report.notes.empty()) after.push_back(notes_chapter(report.notes));
  after.push_back(pedigree(platform));
  const bool nccl = report.head["policy"].get<std::string>().starts_with("nccl");
  const std::string of_nccl = nccl ? "; collectives of NCCL are single operations on every engine" : "";
  canvas.write_page(report.title, std::move(before), seen, std::move(after), as_json(report),
                    !by_messages
                        ? "a step is made of the times of its collectives, each asked for by itself; "
                          "--engine plays their messages, and `predict` shows the links of one"
                    : seen > Seconds() ? "no message was sent" + of_nccl
                                       : "messages are looked at where one number of ranks is asked for");
}

}  // namespace collcast::cli

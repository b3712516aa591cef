// SPDX-License-Identifier: Apache-2.0
#include "cli/pictures.hpp"

#include "cli/output.hpp"
#include "support/error.hpp"

namespace collcast::cli {

using namespace report;

void add_pictures(CLI::App& verb, Pictures& pictures) {
  CLI::Option* timeline =
      verb.add_option(
              "--timeline", pictures.timeline,
              "Writes a timeline of computation and messages, for ui.perfetto.dev or chrome://tracing")
          ->option_text("FILE.json.gz");
  verb.add_option("--timeline-events", pictures.timeline_events,
                  "About how many events to keep, the longest ones (default 400,000)")
      ->needs(timeline)
      ->check(CLI::Range(std::int64_t{1000}, std::int64_t{50'000'000}))
      ->option_text("N");
  verb.add_option("--report", pictures.report, "Writes the answer as a page with pictures, for a browser")
      ->option_text("FILE.html");
}

void add_plot(CLI::App& verb, std::string& file, const std::string& what) {
  verb.add_option("--plot", file, "Draws " + what + ", by gnuplot")->option_text("FILE.svg|FILE.png");
}

void plot(const std::string& file, Picture picture, std::vector<std::string>& notes) {
  constexpr std::size_t most = 42;  // 7 colours by 6 kinds of lines
  if (file.empty()) return;
  std::erase_if(picture.graphs, [](const Graph& g) {
    return std::ranges::all_of(g.curves, [](const Curve& c) { return c.points.empty(); });
  });
  if (picture.graphs.empty()) return notes.push_back("nothing to draw: " + file + " was not written");
  for (Graph& g : picture.graphs)
    if (g.curves.size() > most) {
      notes.push_back(file + " has the first " + std::to_string(most) + " of " +
                      count(static_cast<std::int64_t>(g.curves.size())) + " curves");
      g.curves.resize(most);
    }
  write_plot(file, picture);
}

Canvas::Canvas(const Pictures& pictures) {
  if (!pictures.timeline.empty())
    timeline_.emplace(pictures.timeline, static_cast<std::size_t>(pictures.timeline_events));
  if (pictures.report.empty()) return;
  if (!pictures.report.ends_with(".html"))
    throw InputError("--report writes FILE.html, not '" + pictures.report + "'");
  page_.emplace(pictures.report);
}

Watched Canvas::watched(const Description& platform) {
  if (!timeline_ && !page_) return nullptr;
  return [this, sketched = sketch(read_blueprint(platform))](const Fabric& fabric,
                                                             const NameOf& name) -> Observer* {
    std::vector<Observer*> all;
    if (timeline_) all.push_back(timeline_->watch(fabric, name));
    if (page_) all.push_back(statistics_.emplace(sketched).watch(fabric, name));
    return &both_.emplace(std::move(all));
  };
}

void Canvas::require_one(std::size_t forecasts) const {
  if (timeline_ && forecasts != 1)
    throw InputError(
        "--timeline shows one forecast: one collective and algorithm on one platform, number of ranks and "
        "size");
}

std::vector<std::string> Canvas::write_timeline(const Json& about) {
  return timeline_ ? timeline_->write(about) : std::vector<std::string>();
}

void Canvas::write_page(const std::string& title, std::vector<Chapter> before, Seconds time,
                        std::vector<Chapter> after, Json data, const std::string& unwatched) {
  if (!page_) return;
  if (statistics_) {
    for (Chapter& c : statistics_->chapters(time)) before.push_back(std::move(c));
    data["run"] = statistics_->json(time);
  }
  if (!unwatched.empty() && (!statistics_ || data["run"]["links"].empty()))
    before.push_back({"Use of the machine", "Not known: " + unwatched + ".", {}});
  for (Chapter& c : after) before.push_back(std::move(c));
  page_->write(html(title, before, data));
  page_->commit();
}

void append(std::vector<std::string>& notes, const std::vector<std::string>& more) {
  notes.insert(notes.end(), more.begin(), more.end());
}

Chapter notes_chapter(const std::vector<std::string>& notes) {
  Chapter c{"Notes", notes.empty() ? "None." : "", {}};
  if (notes.empty()) return c;
  c.table.push_back({"note"});
  for (const std::string& words : notes) c.table.push_back({words});
  return c;
}

Chapter pedigree(const Description& platform) {
  Chapter c{
      "Numbers of " + platform.name() + " and their pedigree",
      "measured, calibrated: on this machine; datasheet: its maker's; derived: computed from such; guess: "
      "by what like machines have; what-if: set by the user.",
      {{"parameter", "value", "low", "high", "unit", "stamp", "source"}}};
  for (const Parameter& p : platform.parameters())
    c.table.push_back({p.path, number(p.value), number(p.low), number(p.high), p.unit,
                       std::string(to_string(p.stamp)), p.source});
  return c;
}

}  // namespace collcast::cli

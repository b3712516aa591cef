// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "forecast/report/page.hpp"
#include "forecast/report/plot.hpp"
#include "forecast/report/statistics.hpp"
#include "forecast/report/timeline.hpp"
#include "platforms/description/description.hpp"

namespace collcast::cli {

/// Files that the user asked for beside the answer; empty: none.
struct Pictures {
  std::string timeline, report, plot;
  std::int64_t timeline_events = report::Timeline::standard_events;
};
/// --timeline, --timeline-events, --report.
void add_pictures(CLI::App& verb, Pictures& pictures);
/// --plot, which draws `what`.
void add_plot(CLI::App& verb, std::string& file, const std::string& what);

/// The files of pictures. They are opened before the forecast, so that a file that cannot be written is an
/// error at once.
class Canvas {
 public:
  explicit Canvas(const Pictures& pictures);

  bool has_timeline() const { return timeline_.has_value(); }
  bool has_page() const { return page_.has_value(); }
  report::Timeline& timeline() { return *timeline_; }
  /// The observer of one run on this platform; null if no picture needs it.
  Watched watched(const Description& platform);
  /// Throws InputError if a timeline was asked for, unless there is exactly one forecast.
  void require_one(std::size_t forecasts) const;

  /// Writes the timeline, if one was asked for. Returns notes on what it leaves out.
  std::vector<std::string> write_timeline(const Json& about);
  /// Adds statistics of the observed run, which took `time`, to the page and to `data`. `unwatched`: why no
  /// run was observed, for the page to say.
  void write_page(const std::string& title, std::vector<report::Chapter> before, Seconds time,
                  std::vector<report::Chapter> after, Json data, const std::string& unwatched = {});

 private:
  std::optional<report::Timeline> timeline_;
  std::optional<CompressedFile> page_;
  std::optional<report::Statistics> statistics_;
  std::optional<Observers> both_;
};

/// Draws the picture to the file of --plot; nothing if `file` is empty. Adds a note if there is nothing to
/// draw, or more curves than can be told apart.
void plot(const std::string& file, report::Picture picture, std::vector<std::string>& notes);

/// Appends notes.
void append(std::vector<std::string>& notes, const std::vector<std::string>& more);

/// A chapter of notes, and one of a platform's parameters with their stamps and sources.
report::Chapter notes_chapter(const std::vector<std::string>& notes);
report::Chapter pedigree(const Description& platform);

}  // namespace collcast::cli

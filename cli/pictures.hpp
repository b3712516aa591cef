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

/// Those files, opened before the forecast: one that cannot be written is told at once.
class Canvas {
 public:
  explicit Canvas(const Pictures& pictures);

  bool has_timeline() const { return timeline_.has_value(); }
  bool has_page() const { return page_.has_value(); }
  report::Timeline& timeline() { return *timeline_; }
  /// Who sees one run on this platform; null where nothing was asked for that shows it.
  Watched watched(const Description& platform);
  /// Throws InputError where a timeline is asked for of more than one forecast, or none.
  void require_one(std::size_t forecasts) const;

  /// Writes what was asked for. Returns what the timeline leaves out.
  std::vector<std::string> write_timeline(const Json& about);
  /// `data` is given what was seen of the run that took `time`, if one was. Where no link was used the page
  /// says why it does not know of any: `unwatched`, if that is to be said.
  void write_page(const std::string& title, std::vector<report::Chapter> before, Seconds time,
                  std::vector<report::Chapter> after, Json data, const std::string& unwatched = {});

 private:
  std::optional<report::Timeline> timeline_;
  std::optional<CompressedFile> page_;
  std::optional<report::Statistics> statistics_;
  std::optional<Observers> both_;
};

/// Writes what --plot asks for, which no name asks for if it is empty. Pictures of nothing are none, and the
/// curves of one are as many as can be told apart: what is left out is noted.
void plot(const std::string& file, report::Picture picture, std::vector<std::string>& notes);

/// Puts notes behind others.
void append(std::vector<std::string>& notes, const std::vector<std::string>& more);

/// A chapter of words, and one of a platform's parameters with their stamps and sources.
report::Chapter notes_chapter(const std::vector<std::string>& notes);
report::Chapter pedigree(const Description& platform);

}  // namespace collcast::cli

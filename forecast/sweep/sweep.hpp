// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "forecast/report/report.hpp"
#include "forecast/sweep/journal.hpp"
#include "forecast/sweep/space.hpp"
#include "forecast/sweep/workers.hpp"

namespace collcast::sweep {

/// What a point's answer consists of.
struct Rows {
  Json rows = Json::array();
  std::vector<std::string> notes;
};

/// What a sweep may ask at each point, such as `predict`; the caller has a table of them.
struct Verb {
  std::string_view name;
  std::span<const Key> keys;
  std::vector<std::string> needed;  ///< keys without a default
  /// Throws InputError where the point makes no sense. Called in one thread of several processes.
  std::function<Rows(const Point&)> answer;
  /// Throws InputError for settings that make no sense together at any point.
  std::function<void(const Space&)> check;
  /// The columns that people see of rows over such a space.
  std::function<std::vector<report::Column>(const Space&)> columns;
  std::string_view time = "time_s";  ///< the key of rows that a picture shows
  /// What binds in place of a parameter that has another value at the second point and gives the same answer,
  /// in words; empty: not known.
  std::function<std::string(const Point&, const Point&, const std::string& parameter)> binds_instead =
      nullptr;
};

/// Where a grid ends early: behind the first point along a setting whose rows are all beyond a limit.
struct Stop {
  std::string along;  ///< a setting
  std::string when;   ///< a number of the rows
  double limit = 0;
  bool above = false;  ///< rows above the limit are beyond it; else rows below
};

/// A space of cases and what is asked in each, as a file describes it (docs/sweep.md).
class Sweep {
 public:
  /// Throws InputError that names `file`.
  Sweep(const std::string& text, const std::string& file, std::span<const Verb> verbs);

  /// The file, on one line.
  const std::string& text() const { return text_; }
  const std::string& about() const { return about_; }
  const Verb& verb() const { return *verb_; }
  const Space& space() const { return space_; }
  const std::optional<Stop>& stop() const { return stop_; }
  /// `program` and its version.
  Identity identity(const std::string& program) const;

 private:
  Sweep(std::span<const Verb> verbs, const Json& said, const std::string& file);

  std::string text_, about_;
  const Verb* verb_ = nullptr;
  Space space_;
  std::optional<Stop> stop_;
};

/// A row that was answered at a point of a space, with those settings of the point that vary over the space.
Json row_at(const Space& space, std::int64_t number, const Json& answered);
/// The columns of the settings that vary in a space, as the rows show them, and those of the answers.
std::vector<report::Column> columns_with_settings(const Space& space, std::span<const Key> keys,
                                                  const Json& rows, std::vector<report::Column> answered);

/// Every point whose number leaves `number` when divided by `of`.
struct Part {
  int number = 0, of = 1;
};

/// Asks the points that are not in the journal yet, and the lost ones again. `progress` is told how many
/// points are finished. If the sweep makes no sense, discards the journal and throws InputError.
void run(const Sweep& sweep, Part part, Journal& journal, const HandOut& hand_out,
         const std::function<void(std::int64_t finished, std::int64_t all)>& progress);

/// The outcome of a point, as the journal keeps it.
Outcome answer(const Verb& verb, const Point& point, const std::optional<Stop>& stop = {});
Outcome answer(const Sweep& sweep, std::int64_t number);

/// The rows of all finished points in their order, those that failed, how many are missing, and how many lie
/// behind the sweep's early ends.
struct Summary {
  report::Report report;
  std::int64_t answered = 0, failed = 0, missing = 0, stopped = 0;
};
Summary summary(const Sweep& sweep, const Journal& journal);

/// All points, without a journal.
Summary answers(const Sweep& sweep, const HandOut& hand_out,
                const std::function<void(std::int64_t finished, std::int64_t all)>& progress);

}  // namespace collcast::sweep

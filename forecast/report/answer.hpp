// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/explain.hpp"
#include "forecast/answer.hpp"
#include "forecast/report/report.hpp"

namespace collcast::report {

/// Where a time goes: an array of {cause, name, time_s, share, alike}.
Json explanation(const std::vector<Share>& shares, Seconds total);
/// The same as a table for people. `of`: the title of the column of names.
Section explanation_table(const Json& explanation, std::string of);

/// The rows of `predict`.
Json rows(const Answer& answer);
/// The answer's notes, without those that a row already gives as its reason.
std::vector<std::string> notes(const Answer& answer);
/// `predict`'s table, JSON, CSV and Markdown.
Report make(const Answer& answer);
/// How a file that shows one forecast describes itself: the forecast's row of the JSON, with a title.
Json about(const Answer& answer);

}  // namespace collcast::report

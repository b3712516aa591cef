// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/explain.hpp"
#include "forecast/answer.hpp"
#include "forecast/report/report.hpp"

namespace collcast::report {

/// Where a time goes: an array of {cause, name, time_s, share, alike}.
Json explanation(const std::vector<Share>& shares, Seconds total);
/// The same for people; `of`: the rows' name.
Section explanation_table(const Json& explanation, std::string of);

/// The rows of `predict`.
Json rows(const Answer& answer);
/// What is to be said beside the rows: no row's own reason.
std::vector<std::string> notes(const Answer& answer);
/// `predict`'s table, JSON, CSV and Markdown.
Report make(const Answer& answer);
/// What a file of one forecast says of itself: its row of the JSON, with a title.
Json about(const Answer& answer);

}  // namespace collcast::report

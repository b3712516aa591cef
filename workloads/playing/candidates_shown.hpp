// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/plan.hpp"
#include "forecast/report/report.hpp"
#include "support/json_fwd.hpp"

/// How the candidates of a plan are shown.
namespace collcast::workloads {

/// A row for each candidate, in their order.
Json candidate_rows(const std::vector<plan::Judged>& all);
/// The columns that every candidate has, and those that some candidate fills.
std::vector<report::Column> candidate_columns(const std::vector<plan::Judged>& all, plan::Aim aim);

/// The best candidate in words, compared with the second.
std::string best_in_words(const std::vector<plan::Judged>& all, plan::Aim aim);
/// How much of a limit is used: "time 1.32 % (slow end: 1.52 %)".
std::string used_in_words(const plan::Margin& margin);
/// A time that is given in seconds: "2.00 h".
std::string in_hours(double s);

}  // namespace collcast::workloads

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "forecast/report/report.hpp"
#include "forecast/sensitivity.hpp"
#include "forecast/unbound.hpp"

namespace collcast::report {

Json list(const std::vector<Elasticity>& sensitivity);
Json list(const std::vector<Unbound>& unbound);

/// A table of the ten largest, for people.
Section sensitivity_table(const std::vector<Elasticity>& sensitivity);
/// What the table does not show: a line if it is empty, and one for each parameter whose small changes move
/// the time by a jump.
std::string words(const std::vector<Elasticity>& sensitivity);
/// A line for each override that does not bind.
std::string words(const std::vector<Unbound>& unbound);

/// Answers with only these overrides, and returns the rows.
using RowsWith = std::function<Json(const std::vector<std::string>& set)>;
/// A note on each override that changes no row of an answer. An interrupt ends the search early
/// (support/interrupt.hpp).
std::vector<std::string> without_effect(const Json& rows, const std::vector<std::string>& set,
                                        const RowsWith& rows_with);
/// Adds these notes to a report. Its first section has the rows.
void tell_without_effect(Report& report, const std::vector<std::string>& set, const RowsWith& rows_with);

}  // namespace collcast::report

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

/// The ten largest for people.
Section sensitivity_table(const std::vector<Elasticity>& sensitivity);
/// A line where there is nothing to put into that table, and for each parameter there that moves times in a
/// step.
std::string words(const std::vector<Elasticity>& sensitivity);
/// A line for each.
std::string words(const std::vector<Unbound>& unbound);

/// The rows of an answer with only these overrides.
using RowsWith = std::function<Json(const std::vector<std::string>& set)>;
/// A note on each override without which the rows of an answer stay as they are. Ends early where the user
/// interrupts (support/interrupt.hpp).
std::vector<std::string> unmoved(const Json& rows, const std::vector<std::string>& set,
                                 const RowsWith& rows_with);
/// Adds them to a report whose first section has these rows.
void tell_unmoved(Report& report, const std::vector<std::string>& set, const RowsWith& rows_with);

}  // namespace collcast::report

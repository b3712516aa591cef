// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace collcast::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/question.hpp"
#include "forecast/report/chart.hpp"
#include "forecast/report/report.hpp"

namespace collcast {

/// For one platform, collective and number of ranks: how far from the bound are, at each size, a synthesised
/// schedule, the fastest of the catalogue, and what the question's policy would play.
report::Report gap(const Question& question, const Watch& watch = {});

/// The report's times over message size, a curve for each schedule.
report::Graph gap_graph(const report::Report& gap);

}  // namespace collcast

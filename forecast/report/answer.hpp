// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/answer.hpp"
#include "forecast/report/report.hpp"

namespace collcast::report {

/// `predict`'s table, JSON, CSV and Markdown.
Report make(const Answer& answer);
/// What a file of one forecast says of itself: its row of the JSON, with a title.
Json about(const Answer& answer);

}  // namespace collcast::report

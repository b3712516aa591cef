// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/answer.hpp"
#include "forecast/report/report.hpp"

namespace collcast::report {

/// `predict`'s table, JSON, CSV and Markdown.
Report make(const Answer& answer);

}  // namespace collcast::report

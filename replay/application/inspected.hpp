// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/report/report.hpp"
#include "replay/source/inspection.hpp"

namespace collcast::report {

/// What is in a source: its operations by communicator and size, its ranks, messages and losses.
Report inspected(const Source& source, const Inspection& inspection);

}  // namespace collcast::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "replay/application/staged.hpp"

namespace collcast {

/// What a reader of the report has to know: what the source lacks, whose choices were not to be had, and
/// which settings change nothing. The report has its times and operations.
std::vector<std::string> notes_of(const Staged& staged, const ReplayReport& report, const Result& result);

}  // namespace collcast

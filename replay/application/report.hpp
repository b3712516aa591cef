// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/application/replay.hpp"
#include "support/json_fwd.hpp"

namespace collcast::report {

/// A replay's times, what limits it and whether its platform is calibrated, by the keys of answers.
Json totals(const ReplayReport& replayed);
/// A row for each operation.
Json operations(const ReplayReport& replayed);
/// A row for each loss.
Json rows_of(const std::vector<Loss>& losses);

}  // namespace collcast::report

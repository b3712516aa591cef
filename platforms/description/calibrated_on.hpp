// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/description/description.hpp"

namespace collcast {

/// The tables of collectives on which a platform was calibrated, and how well it reproduces them: an item of
/// a platform file's `calibrated_on`.
struct CalibratedOn {
  struct Range {
    std::int64_t least = 0, most = 0;
  };
  std::string transport;                 ///< of the messages, as "nccl-2.8"
  std::string source;                    ///< of the tables
  std::vector<std::string> collectives;  ///< by name
  Range ranks, message;                  ///< [B]
  int tables = 0;
  double between_tables = 0, within_tables = 0;  ///< standard deviations of ln(measured / predicted)

  /// "nccl-2.8: allreduce, 4 to 8 ranks, 4 B to 32 MiB".
  std::string text() const;
};

/// Throws InputError for an invalid range.
std::vector<CalibratedOn> calibrated_on(const Description& platform);

/// Sets `between_tables` to the deviation of the mean errors of tables, and `within_tables` to that of points
/// around these means. `errors`: ln(measured / predicted), by table.
void set_residuals(CalibratedOn& calibrated, const std::vector<std::vector<double>>& errors);

/// The `calibrated_on` of `base` with a new item, which replaces items of the same transport and collectives.
Json calibrated_on(const Description& base, const CalibratedOn& calibrated);

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/description/description.hpp"

namespace collcast {

/// Tables of collectives that a platform was calibrated on, and how well it says them: an item of
/// `calibrated_on`.
struct CalibratedOn {
  struct Range {
    std::int64_t least = 0, most = 0;
  };
  std::string transport;                 ///< that sent the messages: "nccl-2.8"
  std::string source;                    ///< of the tables
  std::vector<std::string> collectives;  ///< by name
  Range ranks, message;                  ///< [B]
  int tables = 0;
  double between_tables = 0, within_tables = 0;  ///< standard deviations of ln(measured / predicted)

  /// "nccl-2.8: allreduce, 4 to 8 ranks, 4 B to 32 MiB".
  std::string text() const;
};

/// Throws InputError at a range that is none.
std::vector<CalibratedOn> calibrated_on(const Description& platform);

/// How far several tables are missed: their means' deviation, and their points' about these.
/// `errors`: ln(measured / predicted), by table.
void set_residuals(CalibratedOn& calibrated, const std::vector<std::vector<double>>& errors);

/// `calibrated_on` of a platform that is `base` with what was calibrated: in place of what `base` has of the
/// same transport and collectives.
Json calibrated_on(const Description& base, const CalibratedOn& calibrated);

}  // namespace collcast

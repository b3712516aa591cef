// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/description/description.hpp"
#include "support/json.hpp"
#include "validation/measurements/measurement.hpp"

namespace collcast {

/// A cost of NCCL's software, as published and as fitted.
struct NcclCost {
  std::string parameter;                   ///< "software.nccl.LL.launch_us"
  double before = 0;                       ///< [us] in the base, or as published
  std::optional<double> after, deviation;  ///< none if the tables do not determine it; of its logarithm

  /// Two deviations below and above the fitted value.
  double low() const;
  double high() const;
};

/// A table of the fit.
struct NcclTable {
  std::string file;
  Collective collective = Collective::allreduce;
  Rank ranks = 0;
  std::size_t points = 0;
  double before = 0, after = 0;  ///< exp(mean |ln(predicted / measured)|) - 1
  Bytes most;                    ///< the table's largest message
  /// ln(predicted / measured) of its largest messages after the fit: links, not software.
  double large_log_error = 0;
};

struct NcclCalibration {
  Json platform;  ///< a platform file: the base, and what was calibrated
  std::vector<NcclCost> costs;
  std::vector<NcclTable> tables;
  double noise = 0;
  std::vector<std::string> notes;
};

/// Fits what NCCL's kernels and proxies cost, by protocol, to tables of nccl-tests. A cost that these do not
/// determine to within a factor of two keeps its value. If the largest messages contradict the base's links,
/// the bandwidth that explains them is fitted too, if it is a guess and nothing else explains them. Throws
/// InputError for tables of other programs, tables that waiting dominates, and policies that are not NCCL's.
NcclCalibration calibrate_nccl(const Description& base, const std::vector<Measurement>& measurements,
                               const std::string& policy, const std::string& source);

}  // namespace collcast

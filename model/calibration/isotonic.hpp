// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/calibration/line.hpp"

namespace collcast {

/// The table nearest to `samples` (least squares of relative changes) whose times grow by `least_per_byte` or
/// more with each byte: isotonic regression by pooling adjacent violators (Barlow et al. 1972). Samples of
/// one size move together; a table that grows like that already stays as it is. Sorted by size. No sample
/// takes less than `least_per_byte` for its bytes.
Samples isotonic(Samples samples, SecondsPerByte least_per_byte = {});

}  // namespace collcast

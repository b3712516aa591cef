// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "validation/accuracy/compare.hpp"

namespace collcast::accuracy {

/// Adds predictions of messages between two ranks (half round trips and windows of one pair), as calibration
/// reads such tables. Throws InputError if a table does not say its nodes, buffers or pairs.
void compare_messages(const std::vector<Measurement>& tables, const Description& platform,
                      Comparison& comparison);

}  // namespace collcast::accuracy

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/units.hpp"
#include "support/json.hpp"

namespace collcast {

/// Raises the costs of pieces so that each begins at least at the cost at which the one before ends: no
/// message is faster than a smaller one. `links`: time per byte of the slowest link on the way.
void let_rise(Json& software, SecondsPerByte links);

}  // namespace collcast

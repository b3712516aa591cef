// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collective.hpp"

namespace collcast {

/// `a`, played in another memory of its ranks: what they begin with is copied there first, and at last what
/// they did not have comes back.
Schedule staged(const Schedule& a, const Definition& collective, Rank root, Memory where);

}  // namespace collcast

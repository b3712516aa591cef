// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collective.hpp"

namespace collcast {

/// `a`, played in another memory of its ranks. Their initial blocks are copied there first; at the end the
/// blocks that they did not have are copied back.
Schedule staged(const Schedule& a, const Definition& collective, Rank root, Memory where);

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// In each round every rank that has blocks keeps those of 1/k of its subtree. It sends the rest to the k - 1
/// ranks that lead the other parts, one after the other. The root's way is the longest.
Schedule knomial_scatter(Rank ranks, int radix, Rank root);

}  // namespace collcast

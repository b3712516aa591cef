// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

/// An exclusive scan of p ranks from an inclusive one of p - 1: first every rank sends the next one its
/// message, then ranks 1..p-1 scan what they got.
Schedule shifted(Rank ranks, const Schedule& scan);

}  // namespace collcast

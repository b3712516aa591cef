// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/exchange/best_segments.hpp"
#include "algorithms/exchange/msccl.hpp"
#include "algorithms/forest.hpp"
#include "support/json_fwd.hpp"

namespace collcast {

/// A forest as JSON (docs/synthesis.md). `made_for`: the machine, in words.
std::string write_forest(const Forest& forest, Collective collective, Rank root, const std::string& made_for,
                         const std::optional<BestSegments>& best = {});

/// Reads such JSON. Throws InputError, which names `file`, if it is malformed.
ImportedAlgorithm parse_forest(const Json& json, const std::string& file);

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/exchange/msccl.hpp"
#include "algorithms/forest.hpp"
#include "support/json_fwd.hpp"

namespace collcast {

/// Trees as JSON: docs/synthesis.md says what it holds. `made_for`: where, in words.
std::string write_forest(const Forest& forest, Collective collective, Rank root, const std::string& made_for);

/// The same from a file; `file` is what error messages call it. Throws InputError where it is malformed.
ImportedAlgorithm parse_forest(const Json& json, const std::string& file);

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/exchange/msccl.hpp"
#include "algorithms/forest.hpp"

namespace collcast {

/// Trees as JSON: docs/synthesis.md says what it holds. `made_for`: where, in words.
std::string write_forest(const Forest& forest, Collective collective, Rank root, const std::string& made_for);

/// The same from text; `file` is what error messages call it. Throws InputError where it is malformed.
ImportedAlgorithm parse_forest(const std::string& text, const std::string& file);

}  // namespace collcast

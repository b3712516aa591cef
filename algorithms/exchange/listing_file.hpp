// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/exchange/msccl.hpp"
#include "algorithms/listing.hpp"
#include "support/json_fwd.hpp"

namespace collcast {

constexpr std::string_view listing_format = "collcast messages";

/// A listing as JSON (docs/synthesis.md). `made_for`: the machine, in words.
std::string write_listing(const Listing& listing, const Algorithm& algorithm, Rank root,
                          const std::string& made_for);

/// Reads such JSON. Throws InputError, which names `file`, if it is malformed.
ImportedAlgorithm parse_listing(const Json& json, const std::string& file);

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/text.hpp"

namespace collcast::cli {

using Json = nlohmann::ordered_json;

enum class Format { table, json, csv };

/// A table for people: the first row is its header; numbers are aligned to the right.
void print_table(const std::vector<std::vector<std::string>>& rows);

/// An array of flat objects as CSV (RFC 4180), one column per key of the first object.
void print_csv(const Json& rows);

using text::bytes;
using text::count;
using text::gbps;
using text::number;
using text::seconds;

}  // namespace collcast::cli

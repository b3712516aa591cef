// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/json_fwd.hpp"

namespace collcast {

/// On one line, or indented by so many spaces a level. Bytes that are no UTF-8 are replaced.
std::string dump(const Json& json, int indent = -1);

/// On one line; what is no ASCII is escaped.
std::string ascii(const Json& json);

/// Whether all texts of the JSON are UTF-8.
bool is_utf8(const Json& json);

/// Reads a text that a program wrote; what is no JSON gives a value that `is_discarded()`.
Json parse_json(std::string_view text);
Json parse_json(const std::vector<std::uint8_t>& text);

/// Reads a person's file. Throws InputError, "file: line 3, column 4: ...", where it is no JSON, nests more
/// than 32 levels deep, or gives a key twice in one object.
Json parse_json(std::string_view text, const std::string& file);

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/json_fwd.hpp"

namespace collcast {

/// The text on one line, or with `indent` spaces per level. Bytes that are not UTF-8 are replaced.
std::string dump(const Json& json, int indent = -1);

/// The text on one line, with all characters beyond ASCII escaped.
std::string ascii(const Json& json);

/// Whether all strings are UTF-8.
bool is_utf8(const Json& json);

/// Parses text that a program wrote; the value of text that is not JSON `is_discarded()`.
Json parse_json(std::string_view text);
Json parse_json(const std::vector<std::uint8_t>& text);

/// Parses a user's file. Throws InputError, "file: line 3, column 4: ...", if it is not JSON, nests deeper
/// than 32 levels, or has a key twice in one object.
Json parse_json(std::string_view text, const std::string& file);

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/json_fwd.hpp"

namespace collcast {

/// What a platform file may have at one place.
struct Schema {
  enum class Kind : std::uint8_t {
    object,     ///< with the keys of `fields`
    map,        ///< from names of the author's choice to `element`
    list,       ///< of `element`
    parameter,  ///< {"value", "source", "stamp"}; the key ends in the unit
    stated,     ///< the same with a text as its value
    text,
    choice,  ///< one of `choices`
    count,   ///< an integer from 1 to `most`
    share,   ///< a number from 0 to 1
  };
  Kind kind = Kind::text;
  std::vector<Schema> fields = {};
  std::vector<Schema> element = {};  ///< none or one
  std::vector<std::string> choices = {};
  std::int64_t most = 0;
  bool zero = false;      ///< a parameter may be 0
  std::string key = {};   ///< of a field
  bool required = false;  ///< the field must be there
};

/// The schema of platform files, documented in docs/platforms.md.
const Schema& platform_schema();

/// The schema of `key` in an object, a map or a list; nullptr if it has no such key.
const Schema* find(const Schema& schema, const std::string& key);

/// The keys that an object may have.
std::vector<std::string> keys(const Schema& schema);

/// Throws InputError, with `file` and the JSON path, at the first violation of the schema.
void check(const Json& json, const Schema& schema, const std::string& file, const std::string& path = "");

/// Throws InputError "file: path: message".
[[noreturn]] void reject(const std::string& file, const std::string& path, const std::string& message);

/// "a.b", or "b" at the top.
std::string below(const std::string& path, const std::string& key);

}  // namespace collcast

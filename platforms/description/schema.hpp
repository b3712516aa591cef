// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include "support/json_fwd.hpp"

namespace collcast {

/// What a platform file may hold at one place.
struct Schema {
  enum class Kind : std::uint8_t {
    object,     ///< the keys of `fields`
    map,        ///< names of the author's choice, each as `element`
    list,       ///< of `element`
    parameter,  ///< {"value", "source", "stamp"}; the key ends in the unit
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
  bool zero = false;     ///< a parameter may be 0
  std::string key = {};  ///< of a field, and whether its object needs it
  bool required = false;
};

/// The form of a platform file, documented in docs/platforms.md.
const Schema& platform_schema();

/// The field of an object, or the element of a map or list, that `key` names; nullptr where there is none.
const Schema* find(const Schema& schema, const std::string& key);

/// What an object's keys may be.
std::vector<std::string> keys(const Schema& schema);

/// Throws InputError, with `file` and the JSON path, at the first thing that the form does not allow.
void check(const Json& json, const Schema& schema, const std::string& file, const std::string& path = "");

/// "file: path: message".
[[noreturn]] void reject(const std::string& file, const std::string& path, const std::string& message);

/// "a.b", or "b" at the top.
std::string below(const std::string& path, const std::string& key);

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "algorithms/exchange/file_object.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast {

FileObject::FileObject(const Json& json, std::string where, std::initializer_list<std::string_view> keys)
    : json_(json), where_(std::move(where)) {
  if (!json.is_object()) throw InputError(where_ + " has to be an object");
  for (const auto& [key, value] : json.items())
    if (std::ranges::find(keys, key) == keys.end()) throw InputError(where_ + ": unknown key '" + key + "'");
}

const Json& FileObject::operator[](const char* key) const {
  if (!json_.contains(key)) throw InputError(where_ + ": '" + key + "' is missing");
  return json_[key];
}

bool FileObject::has(const char* key) const {
  return json_.contains(key);
}

std::string FileObject::text(const char* key) const {
  if (!(*this)[key].is_string()) throw InputError(where_ + ": '" + key + "' has to be a text");
  return json_[key];
}

const Json& FileObject::list(const char* key) const {
  if (!(*this)[key].is_array()) throw InputError(where_ + ": '" + key + "' has to be a list");
  return json_[key];
}

std::int64_t FileObject::number(const char* key, std::int64_t least, std::int64_t most) const {
  return number((*this)[key], "'" + std::string(key) + "'", least, most);
}

std::int64_t FileObject::number(const Json& value, const std::string& what, std::int64_t least,
                                std::int64_t most) const {
  if (value.is_number_integer())
    if (const auto n = value.get<std::int64_t>(); n >= least && n <= most) return n;
  throw InputError(where_ + ": " + what + " has to be a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most) + ", not " + dump(value));
}

}  // namespace collcast

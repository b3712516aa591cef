// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "support/json_fwd.hpp"

namespace collcast {

/// An object of a file that may only have the given keys. All functions throw InputError, which says `where`.
class FileObject {
 public:
  FileObject(const Json& json, std::string where, std::initializer_list<std::string_view> keys);

  const Json& operator[](const char* key) const;
  bool has(const char* key) const;
  std::string text(const char* key) const;
  const Json& list(const char* key) const;
  std::int64_t number(const char* key, std::int64_t least, std::int64_t most) const;
  /// `value` as a number; errors call it `what`.
  std::int64_t number(const Json& value, const std::string& what, std::int64_t least,
                      std::int64_t most) const;

 private:
  const Json& json_;
  std::string where_;
};

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::mpi {

/// The value of a request's key. Throws InputError that begins with `where`.
inline std::int64_t whole_number(const Json& json, const char* key, std::int64_t least, std::int64_t most,
                                 const std::string& where) {
  const auto found = json.find(key);
  if (found != json.end() && found->is_number_integer())
    if (const auto value = found->get<std::int64_t>(); value >= least && value <= most) return value;
  throw InputError(where + ": " + key + " must be a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most));
}

}  // namespace collcast::mpi

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/description/description.hpp"

namespace collcast {

/// Makes assignments of `origin`, a part of `file`, which must not override parameters, as these need a
/// source. `json` keeps to the schema; whether the whole is sound, before or after, is left open. Throws
/// InputError.
void assign_all(Json& json, const std::string& file, const std::vector<std::string>& assignments,
                const std::string& origin);

/// Throws InputError where `set` takes no such value, whatever else is set. What only the whole shows is left
/// to it.
void check_values(const Description& description, const std::string& path,
                  const std::vector<std::string>& values);

/// Whether a parameter, or what an edit sets, is a whole number.
bool is_count(const std::string& path);

/// Software that is bound by the port, with at least 0.8 of its bandwidth, goes on to be where that changes.
void follow_port(Json& json, double before, double after);

}  // namespace collcast

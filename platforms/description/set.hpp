// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/description/description.hpp"

namespace collcast {

/// Makes the assignments of `origin`, a part of `file`. They must not override parameters, as these need a
/// source. `json` must keep to the schema; whether it is sound as a whole, before or after, is not checked.
/// Throws InputError.
void assign_all(Json& json, const std::string& file, const std::vector<std::string>& assignments,
                const std::string& origin);

/// Throws InputError if `set` could not take this value, whatever else is set. What depends on the whole
/// platform is left to `set`.
void check_values(const Description& description, const std::string& path,
                  const std::vector<std::string>& values);

/// Whether a parameter, or what an edit sets, is a whole number.
bool is_count(const std::string& path);

/// Keeps software that is bound by the port (at least 0.8 of its bandwidth) bound by it when the port's
/// bandwidth changes from `before` to `after`.
void follow_port(Json& json, double before, double after);

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/description/blueprint.hpp"

namespace collcast {

/// `object[key]`, which has passed the form.
Parameter read_parameter(const Json& object, const std::string& path, const std::string& key);
/// The same; none where there is no such key.
std::optional<Parameter> read_optional(const Json& object, const std::string& path, const std::string& key);

/// Reads a description's network into a blueprint whose nodes are read. Throws InputError where counts do not
/// add up.
void read_network(const Description& description, Blueprint& blueprint);

}  // namespace collcast

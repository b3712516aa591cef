// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/description/blueprint.hpp"

namespace collcast {

/// The parameter `object[key]` of a checked file.
Parameter read_parameter(const Json& object, const std::string& path, const std::string& key);
/// The same; empty if there is no such key.
std::optional<Parameter> read_optional(const Json& object, const std::string& path, const std::string& key);

/// Reads the network of a description into a blueprint that already has its nodes. Throws InputError if
/// counts do not add up.
void read_network(const Description& description, Blueprint& blueprint);

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pugixml.hpp>
#include <string>

#include "platforms/schema.hpp"

namespace collcast {

/// One reader per format; `file` is what errors name.
Json from_nccl(const pugi::xml_node& system, const std::string& file);
Json from_hwloc(const pugi::xml_node& topology, const std::string& file);
Json from_ibnetdiscover(const std::string& text, const std::string& file);
Json from_simgrid(const pugi::xml_node& platform, const std::string& file);

/// {"value", "source", "stamp"}.
inline Json sourced(double value, const std::string& source, const std::string& stamp) {
  return {{"value", value}, {"source", source}, {"stamp", stamp}};
}

/// The network of one node.
inline Json no_network() {
  return {{"kind", "none"}, {"multicast", nullptr}};
}

}  // namespace collcast

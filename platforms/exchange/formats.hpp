// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <pugixml.hpp>
#include <string>

#include "platforms/description/schema.hpp"
#include "support/json.hpp"

namespace collcast {

/// The readers of `import_platform`, one per format. They throw InputError, which names `file`.
Json from_nccl(const pugi::xml_node& system, const std::string& file);
Json from_hwloc(const pugi::xml_node& topology, const std::string& file);
Json from_ibnetdiscover(const std::string& text, const std::string& file);
Json from_simgrid(const pugi::xml_node& platform, const std::string& file);

/// The shared part for a GPU with this PCI device number, such as "0x1db1"; empty: not known.
std::string gpu_model(const std::string& pci_device);

/// {"value", "source", "stamp"}.
inline Json sourced(double value, const std::string& source, const std::string& stamp) {
  return {{"value", value}, {"source", source}, {"stamp", stamp}};
}

/// "2 <link>, 1 <route>": the elements that a reader ignores.
inline std::string listed(const std::map<std::string, int>& elements) {
  std::string text;
  for (const auto& [name, count] : elements)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " <" + name + ">";
  return text;
}

/// The network section of a platform with a single node.
inline Json no_network() {
  return {{"kind", "none"}, {"multicast", nullptr}};
}

}  // namespace collcast

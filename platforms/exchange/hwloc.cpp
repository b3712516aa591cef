// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "platforms/exchange/formats.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// Packages with their cores, and the GPUs and NICs below them. hwloc 2, `lstopo file.xml`.
struct HwlocReader {
  Json vertices = Json::object(), links = Json::array(), kinds = Json::object(), devices = Json::object();
  Json cpus = Json::array(), gpus = Json::array();
  int cores = 0, nics = 0, unknown_gpus = 0;
  double memory_B = 0;
  std::string file;

  static std::string type(const pugi::xml_node& object) { return object.attribute("type").value(); }

  void walk(const pugi::xml_node& object, const std::string& package) {
    std::string at = package;
    if (type(object) == "Package") at = add_package();
    if (type(object) == "Core") ++cores;
    if (type(object) == "NUMANode") memory_B += object.attribute("local_memory").as_double();
    if (type(object) == "PCIDev") device(object, at);
    for (const pugi::xml_node& child : object.children("object")) walk(child, at);
  }

  std::string add_package() {
    const std::string name = "cpu" + std::to_string(cpus.size());
    vertices[name] = {{"kind", "cpu"}, {"device", "core"}};
    links.push_back({{"between", {name, name}}, {"kind", "shared-memory"}});
    if (!cpus.empty()) links.push_back({{"between", {cpus.back(), name}}, {"kind", "upi"}});
    cpus.push_back(name);
    return name;
  }

  /// "0302 [10de:1db1 ...": accelerators are GPUs; whatever holds a network interface is a NIC.
  void device(const pugi::xml_node& pci, const std::string& package) {
    const std::string type = pci.attribute("pci_type").value(), pci_class = type.substr(0, 4);
    const auto holds = [&pci](int network, int other) {
      return std::ranges::any_of(pci.children("object"), [=](const pugi::xml_node& o) {
        const int os = o.attribute("osdev_type").as_int(-1);
        return os == network || os == other;
      });
    };
    const bool card = holds(2, 3);
    if (pci_class == "0302" || pci_class == "0380" || pci_class == "1200" || holds(5, 5)) {
      const std::string name = "gpu" + std::to_string(gpus.size());
      const KnownGpu* model = type.size() >= 15 ? gpu_by_number(type.substr(11, 4)) : nullptr;
      vertices[name] = {{"kind", "gpu"}, {"device", model == nullptr ? "V100-PCIe-16GB" : model->device}};
      if (model == nullptr) ++unknown_gpus;
      gpus.push_back(name);
      join(name, package, pci);
    } else if (card) {
      const std::string name = "nic" + std::to_string(nics++);
      vertices[name] = {{"kind", "nic"}};
      join(name, package, pci);
    }
  }

  void join(const std::string& name, const std::string& package, const pugi::xml_node& pci) {
    const double raw = pci.attribute("pci_link_speed").as_double();
    std::string kind = "pcie3-x16";
    if (raw > 0) {
      kind = "pcie-" + std::to_string(static_cast<int>(std::lround(raw)));
      kinds[kind] = {{"type", "pcie"},
                     {"bandwidth_GBps", sourced(raw, "raw speed of the PCIe link in " + file, "datasheet")},
                     {"latency_us", sourced(0.3, "the file does not say", "guess")}};
    }
    const std::string to = package.empty() && !cpus.empty() ? cpus[0].get<std::string>() : package;
    links.push_back({{"between", {name, to}}, {"kind", kind}});
  }
};

}  // namespace

Json from_hwloc(const pugi::xml_node& topology, const std::string& file) {
  HwlocReader reader;
  reader.file = file;
  if (std::string(topology.attribute("version").value()).substr(0, 1) != "2")
    reject(file, "", "is not of hwloc 2: make it with `lstopo --of xml` of that version");
  for (const pugi::xml_node& object : topology.children("object")) reader.walk(object, "");
  if (reader.cpus.empty()) reject(file, "", "holds no object of type Package");
  reader.devices["core"] = {{"reduce_GBps", sourced(5, "one core summing floats; calibrate", "guess")}};
  const bool on_gpus = !reader.gpus.empty();
  const auto cpus = static_cast<int>(reader.cpus.size());
  if (reader.memory_B > 0)
    reader.devices["core"]["memory_GiB"] =
        sourced(reader.memory_B / cpus / std::pow(2, 30), "a package's local_memory in " + file, "measured");
  Json node = {{"vertices", reader.vertices},
               {"links", reader.links},
               {"ranks_on", on_gpus ? reader.gpus : reader.cpus},
               {"ranks_per_node",
                on_gpus ? static_cast<int>(reader.gpus.size()) : std::max(1, reader.cores / cpus) * cpus}};
  if (!reader.kinds.empty()) node["link_kinds"] = reader.kinds;
  Json notes = {"Imported from " + file + ". One node; NVLinks are not in the file."};
  if (reader.unknown_gpus > 0)
    notes.push_back(std::to_string(reader.unknown_gpus) +
                    " GPUs of a model that is not known are taken for V100.");
  return {{"base", "gpu-cluster"},
          {"description", "A machine of " + text::counted(cpus, "socket") + " and " +
                              text::counted(reader.cores, "core") + ", from hwloc"},
          {"notes", notes},
          {"max_nodes", 1},
          {"devices", reader.devices},
          {"node", node},
          {"network", no_network()}};
}

}  // namespace collcast

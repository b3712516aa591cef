// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "platforms/description/schema.hpp"
#include "support/json.hpp"

namespace collcast {

/// The readers of `import_platform`, one per format. They throw InputError, which names `file`.
Json from_nccl(const pugi::xml_node& system, const std::string& file);
Json from_hwloc(const pugi::xml_node& topology, const std::string& file);
Json from_ibnetdiscover(const std::string& text, const std::string& file);
Json from_simgrid(const pugi::xml_node& platform, const std::string& file);
Json from_slurm(const std::string& text, const std::string& file);
/// Whether the text is Slurm's topology.conf, judged by its first line that is neither empty nor a comment.
bool is_slurm_topology(const std::string& text);

/// The shared parts for a GPU and for the links between such GPUs.
struct KnownGpu {
  const char *device, *link;
};
/// The GPU with this number of a PCI device, such as "0x1db1"; nullptr: not known.
const KnownGpu* gpu_by_number(const std::string& pci_device);
/// The GPU with this name of a model, such as "Tesla V100-SXM2-16GB"; nullptr: not known.
const KnownGpu* gpu_by_name(const std::string& model);
/// The model that stands for NVIDIA's GPUs of a compute capability, such as 90.
const KnownGpu& gpu_by_capability(int sm);
/// The model that stands for AMD's GPUs of an architecture, such as "gfx90a"; nullptr: not known.
const KnownGpu* gpu_by_gcn(const std::string& gcn);
/// "gfx900, gfx906, ...".
std::string known_gcns();

/// The shared parts for a processor, and for what joins two of them, at the bandwidth that NCCL assumes.
struct KnownSocket {
  const char *device, *link;
};
KnownSocket known_socket(const std::string& arch, const std::string& vendor, int family, int model);
/// Links every two of cpu0, cpu1, ..., as NCCL does. `kinds`: by cpu; that of the first one of a pair is
/// taken.
void join_sockets(Json& links, const std::vector<std::string>& kinds);

/// Adds NVLS, as on the platform dgx-h100, if the node has an NVSwitch and GPUs that use it.
void add_nvls(Json& node);

/// Hosts of which a file only says how they are joined.
struct FoundHosts {
  std::string description;
  Json notes;
  std::int64_t hosts = 0;
  int nics = 1;    ///< NICs of each host
  Json bandwidth;  ///< of a NIC's port
  Json levels;     ///< as in a fat tree; one level: a single switch
};
/// The platform, in which each host is a socket with one rank.
Json hosts_on_switches(const FoundHosts& found);

/// A parameter: {"value", "source", "stamp"}.
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

// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <vector>

#include "platforms/exchange/formats.hpp"

namespace collcast {
namespace {

/// By compute capability: the device, and its generation of NVLink.
struct Generation {
  int least;
  const char *device, *nvlink;
};
constexpr Generation generations[] = {{90, "H100-SXM5-80GB", "nvlink4"},
                                      {80, "A100-SXM4-80GB", "nvlink3"},
                                      {70, "V100-SXM2-32GB", "nvlink2"},
                                      {60, "P100-SXM2", "nvlink1"},
                                      {0, "K80-half", "nvlink1"}};

const Generation& generation(int sm) {
  const Generation* g = generations;
  while (sm < g->least) ++g;
  return *g;
}

/// Walks <cpu>, <pci>, <gpu>, <nvlink>, <nic>, <net>, as NCCL nests them.
struct NcclReader {
  const std::string& file;
  Json vertices = Json::object(), links = Json::array(), ranks_on = Json::array();
  std::map<std::string, std::string> of_bus = {};  ///< vertices of GPUs
  struct Pending {
    std::string from, target;
    int count, target_class;
    const char* kind;
  };
  std::vector<Pending> nvlinks = {};
  std::map<std::string, int> numbers = {};
  double port_GBps = 0;

  std::string add(const std::string& prefix, Json vertex) {
    const std::string name = prefix + std::to_string(numbers[prefix]++);
    vertices[name] = std::move(vertex);
    return name;
  }
  void link(const std::string& a, const std::string& b, const std::string& kind, int count = 1) {
    Json l = {{"between", {a, b}}, {"kind", kind}};
    if (count > 1) l["count"] = count;
    links.push_back(l);
  }

  static std::string pcie(const pugi::xml_node& pci) {
    const double GTps = pci.attribute("link_speed").as_double(8);
    const int width = pci.attribute("link_width").as_int(16);
    const std::string generation = GTps > 20 ? "5" : GTps > 10 ? "4" : "3";
    return "pcie" + generation + (width > 0 && width <= 4 ? "-x4" : "-x16");
  }

  void cpu(const pugi::xml_node& node) {
    const std::string vendor = node.attribute("vendor").value(), arch = node.attribute("arch").value();
    const std::string device = arch == "ppc64"            ? "POWER9"
                               : vendor == "AuthenticAMD" ? "EPYC-7742"
                                                          : "Xeon-6148";
    const std::string name = add("cpu", {{"kind", "cpu"}, {"device", device}});
    link(name, name, "shared-memory");
    below(node, name);
  }

  void below(const pugi::xml_node& parent, const std::string& name) {
    for (const pugi::xml_node& child : parent.children()) {
      const std::string tag = child.name();
      if (tag == "pci") pci(child, name);
      if (tag == "nic") nic(child, name, "pcie3-x16");
    }
  }

  void pci(const pugi::xml_node& node, const std::string& parent) {
    const pugi::xml_node accelerator = node.child("gpu"), card = node.child("nic");
    if (accelerator) return gpu(node, accelerator, parent);
    if (card) return nic(card, parent, pcie(node));
    const std::string name = add("plx", {{"kind", "switch"}});
    link(name, parent, pcie(node));
    below(node, name);
  }

  void gpu(const pugi::xml_node& pci, const pugi::xml_node& node, const std::string& parent) {
    const Generation& g = generation(node.attribute("sm").as_int());
    const std::string name = add("gpu", {{"kind", "gpu"}, {"device", g.device}});
    of_bus[pci.attribute("busid").value()] = name;
    ranks_on.push_back(name);
    link(name, parent, pcie(pci));
    for (const pugi::xml_node& l : node.children("nvlink")) {
      const int target_class = static_cast<int>(std::strtol(l.attribute("tclass").value(), nullptr, 16));
      nvlinks.push_back(
          {name, l.attribute("target").value(), l.attribute("count").as_int(1), target_class, g.nvlink});
    }
  }

  void nic(const pugi::xml_node& node, const std::string& parent, const std::string& kind) {
    for (const pugi::xml_node& net : node.children("net")) {
      link(add("nic", {{"kind", "nic"}}), parent, kind);
      port_GBps = net.attribute("speed").as_double(100000) / 8000;
    }
  }

  /// Each link between GPUs is listed by both; one to a switch or a processor by the GPU.
  void join() {
    for (const Pending& n : nvlinks) {
      const auto peer = of_bus.find(n.target);
      if (peer != of_bus.end()) {
        if (n.from < peer->second) link(n.from, peer->second, n.kind, n.count);
      } else if (n.target_class == 0x068000) {
        if (!vertices.contains("nvswitch")) vertices["nvswitch"] = {{"kind", "switch"}};
        bool more = false;
        for (Json& l : links)
          if (l["between"] == Json{n.from, "nvswitch"})
            l["count"] = l.value("count", 1) + n.count, more = true;
        if (!more) link(n.from, "nvswitch", n.kind, n.count);
      }
    }
  }
};

}  // namespace

Json from_nccl(const pugi::xml_node& system, const std::string& file) {
  NcclReader reader{file};
  for (const pugi::xml_node& cpu : system.children("cpu")) reader.cpu(cpu);
  reader.join();
  const int cpus = reader.numbers["cpu"], gpus = reader.numbers["gpu"];
  if (gpus == 0) reject(file, "", "holds no <gpu> below <system><cpu>");
  for (int c = 1; c < cpus; ++c) reader.link("cpu" + std::to_string(c - 1), "cpu" + std::to_string(c), "upi");
  Json network = no_network();
  if (reader.port_GBps > 0)
    network = {{"kind", "single-switch"},
               {"bandwidth_GBps", sourced(reader.port_GBps, "speed of the port in " + file, "datasheet")},
               {"latency_us", sourced(0.15, "adapter and cable, at each end: as on Summit", "guess")},
               {"switch_latency_us", sourced(0.1, "the file does not say", "guess")}};
  return {{"base", "gpu-cluster"},
          {"description", "A node of " + std::to_string(gpus) + " GPUs, from an NCCL topology"},
          {"notes",
           {"Imported from " + file +
            ". Devices are guessed from the compute capability; NVSwitches are "
            "one vertex; one switch stands for the network, which the file does not describe."}},
          {"max_nodes", reader.port_GBps > 0 ? 64 : 1},
          {"node",
           {{"vertices", reader.vertices},
            {"links", reader.links},
            {"ranks_on", reader.ranks_on},
            {"ranks_per_node", gpus}}},
          {"network", network}};
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platforms/exchange/formats.hpp"
#include "support/decimal.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

constexpr const char* incomplete =
    ": NCCL itself completes such a file; import what it writes to NCCL_TOPO_DUMP_FILE";
constexpr const char* unlisted_bus = "unlisted-bus";  ///< to an adapter that no PCI device holds
constexpr double fastest_Mbps = 10e6;
constexpr int most_links = 1000;                              ///< links of a GPU to another part
constexpr int switch_class = 0x068000, cpu_class = 0x068001;  // PCI classes at the other end of an NVLink

/// Walks <cpu>, <pci>, <gpu>, <nvlink>, <xgmi>, <c2c>, <nic>, <net>, as NCCL and RCCL nest them.
struct NcclReader {
  const std::string& file;
  Json vertices = Json::object(), links = Json::array(), kinds = Json::object(), ranks_on = Json::array();
  std::map<std::string, std::string> of_bus = {}, of_net = {};  ///< vertices of GPUs, and of NICs
  struct Pending {
    std::string from, target, tag;
    int count, target_class;
    const char* kind;
  };
  std::vector<Pending> pending = {};
  std::vector<std::string> sockets = {};  ///< what joins each cpu to others
  std::set<std::string> hosts = {};
  std::map<std::string, int> numbers = {}, unread = {};
  double port_GBps = 0;  ///< of the fastest adapter
  int known_speeds = 0, unknown_speeds = 0, off_bus = 0;
  bool on_unlisted_bus = false;
  std::string cpu_name = {};

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

  /// A whole number; `missing` if the attribute is absent or empty.
  int whole(const pugi::xml_node& node, const char* name, const std::string& at, int missing, int least,
            int most) const {
    const std::string value = node.attribute(name).value();
    if (value.empty()) return missing;
    return static_cast<int>(parse_count(value, file + ": " + at + ": " + name, least, most));
  }

  /// The kind of a PCIe link: a shared part if there is one; else with NCCL's bandwidth of a lane: 0.75 GB/s
  /// at 8 GT/s, and 0.1875 GB/s at 2.5 GT/s, whose encoding takes more.
  std::string pcie(const pugi::xml_node& pci) {
    double GTps = decimal::leading(pci.attribute("link_speed").as_string("8"));
    int width = whole(pci, "link_width", of(pci), 16, 0, 255);
    if (!(GTps > 0 && GTps < 1000)) GTps = 8;    // virtual devices; NCCL takes 8, too
    if (width == 0 || width == 255) width = 16;  // 255: Linux does not know it
    if (width == 16 && (GTps == 8 || GTps == 16 || GTps == 32))
      return GTps == 8 ? "pcie3-x16" : GTps == 16 ? "pcie4-x16" : "pcie5-x16";
    const std::string name = "pcie-" + std::to_string(std::lround(GTps * 10)) + "-x" + std::to_string(width);
    const double lane = GTps < 8 ? 0.1875 * GTps / 2.5 : 0.75 * GTps / 8;
    const std::string source =
        std::to_string(width) + " lanes in " + file + ", at NCCL's " +
        (GTps < 8 ? "0.1875 GB/s for each of 2.5 GT/s" : "0.75 GB/s for each of 8 GT/s");
    kinds[name] = {{"type", "pcie"},
                   {"bandwidth_GBps", sourced(lane * width, source, "derived")},
                   {"latency_us", sourced(0.3, "the file does not say", "guess")}};
    return name;
  }

  void cpu(const pugi::xml_node& node) {
    const KnownSocket known =
        known_socket(node.attribute("arch").value(), node.attribute("vendor").value(),
                     node.attribute("familyid").as_int(), node.attribute("modelid").as_int());
    hosts.insert(node.attribute("host_hash").value());
    sockets.emplace_back(known.link);
    cpu_name = add("cpu", {{"kind", "cpu"}, {"device", known.device}});
    link(cpu_name, cpu_name, "shared-memory");
    below(node, cpu_name);
  }

  void below(const pugi::xml_node& parent, const std::string& name) {
    for (const pugi::xml_node& child : parent.children()) {
      const std::string tag = child.name();
      if (tag == "pci")
        pci(child, name);
      else if (tag == "nic")
        nic(child, name, unlisted_bus, false);
      else if (child.type() == pugi::node_element)
        ++unread[tag];
    }
  }

  void pci(const pugi::xml_node& node, const std::string& parent) {
    const pugi::xml_node accelerator = node.child("gpu"), card = node.child("nic");
    const std::string pci_class = node.attribute("class").value();
    for (pugi::xml_node more = accelerator.next_sibling("gpu"); more; more = more.next_sibling("gpu"))
      ++unread["gpu"];
    if (accelerator) return gpu(node, accelerator, parent);
    if (card) return adapter(card, parent, pcie(node));
    if (pci_class.starts_with("0x03") || pci_class.starts_with("0x02") || pci_class.starts_with("0x12"))
      reject(file, of(node), std::string("holds no <gpu> or <nic>") + incomplete);
    const std::string name = add("plx", {{"kind", "switch"}});
    link(name, parent, pcie(node));
    below(node, name);
  }

  void gpu(const pugi::xml_node& pci, const pugi::xml_node& node, const std::string& parent) {
    const KnownGpu known = gpu_model(pci, node);
    const std::string name = add("gpu", {{"kind", "gpu"}, {"device", known.device}});
    if (!of_bus.emplace(pci.attribute("busid").value(), name).second && hosts.size() < 2)
      reject(file, of(pci), "stands twice; each GPU has a busid of its own");
    ranks_on.push_back(name);
    bool to_cpu = false;
    for (const pugi::xml_node& l : node.children()) {
      const std::string tag = l.name();
      const int count = whole(l, "count", "<" + tag + "> of " + of(pci), 1, 1, most_links);
      const auto target = static_cast<int>(std::strtol(l.attribute("tclass").value(), nullptr, 16));
      if (tag == "c2c" || (tag == "nvlink" && target == cpu_class)) {
        link(name, cpu_name, tag == "c2c" ? c2c(l) : known.link, count);
        to_cpu = true;
      } else if (tag == "nvlink" || tag == "xgmi") {
        pending.push_back({name, l.attribute("target").value(), tag, count, target, known.link});
      } else if (l.type() == pugi::node_element) {
        ++unread[tag];
      }
    }
    if (!to_cpu || parent != cpu_name) link(name, parent, pcie(pci));
  }

  /// The model of a GPU, by its PCI device, or else by its architecture. For AMD's GPUs that is `gcn`; their
  /// `sm` is something else.
  KnownGpu gpu_model(const pugi::xml_node& pci, const pugi::xml_node& node) const {
    const std::string gcn = node.attribute("gcn").value(), at = "<gpu> of " + of(pci);
    const int sm = node.attribute("sm").as_int();
    const KnownGpu* model = gpu_by_number(pci.attribute("device").value());
    if (!gcn.empty() || node.child("xgmi")) {
      if (model == nullptr) model = gpu_by_gcn(gcn);
      if (model == nullptr) reject(file, at, "gcn '" + gcn + "' is not known; known are " + known_gcns());
      return *model;
    }
    if (model == nullptr && sm <= 0)
      reject(file, at, std::string("lacks sm, its compute capability, such as 90") + incomplete);
    return model != nullptr ? *model : gpu_by_capability(sm);
  }

  void refuse_more_links(int count, const std::string& at) const {
    if (count > most_links)
      reject(file, at,
             "count " + std::to_string(count) + " is no GPU's: " + std::to_string(most_links) +
                 " links at most are accepted");
  }

  static std::string of(const pugi::xml_node& pci) {
    return "<pci> " + std::string(pci.attribute("busid").value());
  }

  std::string c2c(const pugi::xml_node& link) {
    kinds["c2c"] = {{"type", "nvlink"},
                    {"bandwidth_GBps", sourced(decimal::leading(link.attribute("bw").value()) / 1000,
                                               "<c2c> in " + file, "datasheet")},
                    {"latency_us", sourced(0.4, "the file does not say", "guess")}};
    return "c2c";
  }

  /// Adds an adapter. If it has several ports, they share its slot.
  void adapter(const pugi::xml_node& node, const std::string& parent, const std::string& slot) {
    const auto ports = node.children("net");
    if (std::distance(ports.begin(), ports.end()) < 2) return nic(node, parent, slot);
    const std::string card = add("card", {{"kind", "switch"}});
    link(card, parent, slot);
    nic(node, card, slot);
  }

  /// Adds a NIC. A NIC that no PCI device holds is listed below every <cpu>. NCCL writes 10 Gb/s if it does
  /// not know the speed.
  void nic(const pugi::xml_node& node, const std::string& parent, const std::string& kind,
           bool on_bus = true) {
    for (const pugi::xml_node& net : node.children("net")) {
      const auto [at, first] = of_net.try_emplace(net.attribute("name").value());
      if (first || at->first.empty()) {
        at->second = add("nic", {{"kind", "nic"}});
        const double Mbps = decimal::leading(net.attribute("speed").as_string("100000"));
        if (!(Mbps <= fastest_Mbps))
          reject(file, "<net> " + at->first,
                 "speed " + std::string(net.attribute("speed").value()) + " is no port's: it is in Mb/s");
        const bool known = Mbps > 0 && (on_bus || Mbps != 10000);
        vertices[at->second].update(
            {{"speed", Mbps > 0 ? Mbps : 10000}, {"on_bus", on_bus}, {"known", known}});
      }
      link(at->second, parent, kind);
    }
  }

  /// Keeps only the fastest adapters, as a network has one speed. If there are adapters on a bus, those that
  /// are not (bridges and the like) are left out, too. Returns how many were left out as slower.
  int keep_fastest() {
    const auto is_adapter = [](const Json& v) { return v.contains("speed"); };
    const bool any_on_bus =
        std::ranges::any_of(vertices, [](const Json& v) { return v.value("on_bus", false); });
    std::set<std::string> left_out;
    for (const auto& [name, v] : vertices.items())
      if (any_on_bus && is_adapter(v) && !v["on_bus"]) left_out.insert(name);
    off_bus = static_cast<int>(left_out.size());
    double fastest = 0;
    for (const auto& [name, v] : vertices.items())
      if (!left_out.contains(name)) fastest = std::max(fastest, v.value("speed", 0.0));
    port_GBps = fastest / 8000;
    for (auto& [name, v] : vertices.items()) {
      if (!is_adapter(v)) continue;
      if (v["speed"] < fastest) left_out.insert(name);
      if (!left_out.contains(name)) (v["known"] ? known_speeds : unknown_speeds) += 1;
      for (const char* key : {"speed", "on_bus", "known"}) v.erase(key);
    }
    for (const std::string& name : left_out) vertices.erase(name);
    std::erase_if(links.get_ref<Json::array_t&>(),
                  [&](const Json& l) { return left_out.contains(l["between"][0].get<std::string>()); });
    on_unlisted_bus = std::ranges::any_of(links, [](const Json& l) { return l["kind"] == unlisted_bus; });
    if (on_unlisted_bus)
      kinds[unlisted_bus] = {
          {"type", "pcie"},
          {"bandwidth_GBps", sourced(port_GBps, "as fast as the port: NCCL takes no limit", "guess")},
          {"latency_us", sourced(0.3, "the file does not say", "guess")}};
    return static_cast<int>(left_out.size()) - off_bus;
  }

  /// Adds the links of GPUs. A link between GPUs is listed by both of them, a link to a switch by the GPU.
  /// Links with the same ends add up.
  void join() {
    struct Joined {
      std::string a, b;
      const char* kind;
      int from_a, from_b;
    };
    std::vector<Joined> joined;
    std::map<std::pair<std::string, std::string>, std::size_t> places;  ///< by ends
    for (const Pending& p : pending) {
      const auto peer = of_bus.find(p.target);
      const bool to_switch = peer == of_bus.end() && p.target_class == switch_class;
      if (to_switch) vertices["nvswitch"] = {{"kind", "switch"}};
      const std::string to = to_switch ? "nvswitch" : peer == of_bus.end() ? p.from : peer->second;
      if (to == p.from) {
        ++unread[p.tag];
        continue;
      }
      const auto [place, first] =
          places.try_emplace(std::pair<std::string, std::string>(std::minmax(p.from, to)), joined.size());
      if (first) joined.push_back({p.from, to, p.kind, 0, 0});
      Joined& j = joined[place->second];
      refuse_more_links((j.a == p.from ? j.from_a : j.from_b) += p.count,
                        "<" + p.tag + "> from " + p.from + " to " + to);
    }
    for (const Joined& j : joined) link(j.a, j.b, j.kind, std::max(j.from_a, j.from_b));
  }
};

}  // namespace

Json from_nccl(const pugi::xml_node& system, const std::string& file) {
  NcclReader reader{file};
  for (const pugi::xml_node& child : system.children())
    if (std::string(child.name()) == "cpu")
      reader.cpu(child);
    else if (child.type() == pugi::node_element)
      ++reader.unread[child.name()];
  reader.join();
  const int gpus = reader.numbers["gpu"], slower = reader.keep_fastest();
  if (gpus == 0) reject(file, "", std::string("holds no <gpu> below <system><cpu>") + incomplete);
  if (reader.hosts.size() > 1)
    reject(file, "",
           "holds " + std::to_string(reader.hosts.size()) +
               " hosts (host_hash) of one NVLink domain: leave the <cpu> of one, which becomes the node");
  join_sockets(reader.links, reader.sockets);
  Json notes = {
      "Imported from " + file +
      ". Processors are guessed, and where the PCI device is not known GPUs, too, from their "
      "architecture; NVSwitches are one vertex; one switch stands for the network, which the file does not "
      "describe."};
  if (slower > 0)
    notes.push_back("Adapters left out, slower than the fastest: " + std::to_string(slower) + ".");
  if (reader.off_bus > 0)
    notes.push_back("Interfaces left out that no PCI device holds: " + std::to_string(reader.off_bus) + ".");
  if (reader.unknown_speeds > 0)
    notes.push_back("Adapters of unknown speed, taken for 10 Gb/s: " + std::to_string(reader.unknown_speeds) +
                    ".");
  if (reader.on_unlisted_bus)
    notes.push_back("Adapters that no PCI device holds: the way to them is taken to be as fast as the port.");
  if (gpus > 1 && reader.pending.empty())
    notes.push_back("No links between GPUs (NVLink, XGMI): the file lists none.");
  if (!reader.unread.empty()) notes.push_back("Not read: " + listed(reader.unread) + ".");
  Json network = no_network();
  if (reader.port_GBps > 0)
    network = {{"kind", "single-switch"},
               {"bandwidth_GBps", reader.known_speeds > 0
                                      ? sourced(reader.port_GBps, "speed of the port in " + file, "datasheet")
                                      : sourced(reader.port_GBps, "the file does not say", "guess")},
               {"latency_us", sourced(0.15, "adapter and cable, at each end: as on Summit", "guess")},
               {"switch_latency_us", sourced(0.1, "the file does not say", "guess")}};
  Json node = {{"vertices", reader.vertices},
               {"links", reader.links},
               {"ranks_on", reader.ranks_on},
               {"ranks_per_node", gpus}};
  if (!reader.kinds.empty()) node["link_kinds"] = reader.kinds;
  add_nvls(node);
  return {{"base", "gpu-cluster"},
          {"description", "A node of " + text::counted(gpus, "GPU") + ", from an NCCL topology"},
          {"notes", notes},
          {"max_nodes", reader.port_GBps > 0 ? 64 : 1},
          {"node", node},
          {"network", network}};
}

}  // namespace collcast

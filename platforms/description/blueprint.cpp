// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/blueprint.hpp"

#include <algorithm>

#include "platforms/description/network_section.hpp"
#include "platforms/description/parts.hpp"
#include "support/json.hpp"
#include "support/suggest.hpp"

namespace collcast {
namespace {

using Kind = Blueprint::Vertex::Kind;

template <class Choice>
Choice chosen(const Json& json, const std::vector<std::string>& names) {
  return static_cast<Choice>(std::ranges::find(names, json.get<std::string>()) - names.begin());
}

/// Reads the sections of one description into one blueprint.
struct BlueprintReader {
  const Description& description;
  const Json& json;
  Blueprint b = {};
  std::vector<std::string> device_names = {}, vertex_names = {}, kind_names = {};

  [[noreturn]] void fail(const std::string& path, const std::string& message) const {
    reject(description.file(), path, message);
  }

  static constexpr auto& optional = read_optional;

  /// The index of a name. `shared`: the section of the shared parts that may have the name, too.
  int index(std::vector<std::string> names, const std::string& name, const std::string& path,
            const std::string& what, const char* shared = nullptr) const {
    const auto it = std::ranges::find(names, name);
    if (it != names.end()) return static_cast<int>(it - names.begin());
    if (shared)
      for (const auto& part : shared_parts()[shared].items()) names.push_back(part.key());
    if (names.empty()) fail(path, "there is no " + what + " '" + name + "', nor any other");
    fail(path, "there is no " + what + " '" + name + "'" + suggestion(name, names));
  }

  void devices() {
    for (const auto& [name, d] : json["devices"].items()) {
      const std::string path = "devices." + name;
      device_names.push_back(name);
      b.devices.push_back({name, optional(d, path, "reduce_GBps"), optional(d, path, "memory_bandwidth_GBps"),
                           optional(d, path, "cores"), optional(d, path, "copy_engines"),
                           optional(d, path, "gpudirect_read_GBps"),
                           optional(d, path, "gpudirect_write_GBps")});
    }
  }

  void vertices() {
    static const std::vector<std::string> kinds = {"gpu", "cpu", "nic", "switch", "dpu", "nvme"};
    for (const auto& [name, v] : json["node"]["vertices"].items()) {
      const std::string path = "node.vertices." + name + ".device";
      const int device = v.contains("device")
                             ? index(device_names, v["device"].get<std::string>(), path, "device", "devices")
                             : -1;
      vertex_names.push_back(name);
      b.vertices.push_back({name, chosen<Kind>(v["kind"], kinds), device});
    }
  }

  void link_kinds() {
    static const std::vector<std::string> types = {"nvlink", "pcie", "socket", "memory"};
    const Json& node = json["node"];
    if (!node.contains("link_kinds")) return;
    for (const auto& [name, k] : node["link_kinds"].items()) {
      const std::string path = "node.link_kinds." + name;
      kind_names.push_back(name);
      const auto type = k.contains("type") ? chosen<Blueprint::LinkKind::Type>(k["type"], types)
                                           : Blueprint::LinkKind::Type::unknown;
      b.link_kinds.push_back(
          {name, type, read_parameter(k, path, "bandwidth_GBps"), read_parameter(k, path, "latency_us")});
    }
  }

  void links() {
    if (!json["node"].contains("links")) return;
    for (std::size_t i = 0; i < json["node"]["links"].size(); ++i)
      link(json["node"]["links"][i], "node.links." + std::to_string(i));
  }

  void link(const Json& l, const std::string& path) {
    if (l["between"].size() != 2) fail(path + ".between", "must name two vertices");
    auto end = [&](std::size_t e) {
      return index(vertex_names, l["between"][e].get<std::string>(), path + ".between." + std::to_string(e),
                   "vertex");
    };
    const int from = end(0), to = end(1);
    const int kind =
        index(kind_names, l["kind"].get<std::string>(), path + ".kind", "link kind", "link_kinds");
    const bool one_way = l.contains("ways") && l["ways"] == 1;
    for (const Blueprint::Line& line : b.lines)
      if ((line.from == from && line.to == to) ||
          (line.from == to && line.to == from && !(line.one_way && one_way)))
        fail(path,
             std::string("a second link between these two; ") +
                 (line.kind == kind ? "give the first one a count"
                                    : "two vertices have links of one kind: describe both by one kind, of "
                                      "their bandwidths together"));
    b.lines.push_back({from, to, kind, l.contains("count") ? l["count"].get<int>() : 1, one_way});
  }

  void ranks() {
    const Json& node = json["node"];
    for (std::size_t i = 0; i < node["ranks_on"].size(); ++i) {
      const std::string path = "node.ranks_on." + std::to_string(i);
      b.ranks_on.push_back(index(vertex_names, node["ranks_on"][i].get<std::string>(), path, "vertex"));
      const Kind kind = b.vertices[static_cast<std::size_t>(b.ranks_on.back())].kind;
      if (kind != Kind::gpu && kind != Kind::cpu) fail(path, "ranks sit on gpu and cpu vertices only");
    }
    b.ranks_per_node = node["ranks_per_node"].get<int>();
    if (b.ranks_on.empty()) fail("node.ranks_on", "must name at least one vertex");
    if (b.ranks_per_node % static_cast<int>(b.ranks_on.size()) != 0)
      fail("node.ranks_per_node", "must be a multiple of the " + std::to_string(b.ranks_on.size()) +
                                      " vertices in node.ranks_on, not " + std::to_string(b.ranks_per_node));
  }

  Blueprint::Capabilities capabilities(const std::string& section) const {
    Blueprint::Capabilities c;
    const Json& owner = json[section];
    if (owner.contains("multicast")) {
      const std::string path = below(section, "multicast");
      const Json& m = owner["multicast"];
      c.multicast = {optional(m, path, "mtu_B"), optional(m, path, "packet_header_B"),
                     optional(m, path, "packet_overhead_us"), share(m, path, "loss_share"),
                     optional(m, path, "recovery_us")};
    }
    if (owner.contains("in_network_reduction")) {
      const std::string path = below(section, "in_network_reduction");
      const Json& r = owner["in_network_reduction"];
      c.reduction = {optional(r, path, "message_limit_KiB"), optional(r, path, "outstanding_operations"),
                     optional(r, path, "aggregation_latency_us"), share(r, path, "bandwidth_share")};
    }
    return c;
  }
  std::optional<Parameter> share(const Json& object, const std::string& path, const std::string& key) const {
    const std::optional<Parameter> p = optional(object, path, key);
    if (p && p->value > 1) fail(p->path, "a share is at most 1, not " + dump(object[key]["value"]));
    return p;
  }

  void protocol() {
    const Json& p = json["protocol"];
    b.hold = p["hold"] == "delivery" ? MessageProtocol::Hold::delivery : MessageProtocol::Hold::injection;
    b.eager_limit = optional(p, "protocol", "eager_limit_KiB");
    b.handshake = optional(p, "protocol", "handshake_us");
  }

  static Blueprint::Costs costs(const Json& at, const std::string& path) {
    return {optional(at, path, "overhead_us"),    optional(at, path, "receive_overhead_us"),
            optional(at, path, "latency_us"),     optional(at, path, "gap_us"),
            optional(at, path, "bandwidth_GBps"), optional(at, path, "copy_GBps"),
            optional(at, path, "processor_GBps")};
  }

  Blueprint::Software software(const Json& at, const std::string& path) const {
    Blueprint::Software s{costs(at, path),
                          {},
                          optional(at, path, "eager_limit_KiB"),
                          optional(at, path, "handshake_us"),
                          optional(at, path, "single_copy_GBps"),
                          optional(at, path, "other_sender_us")};
    if (!at.contains("pieces")) return s;
    for (std::size_t i = 0; i < at["pieces"].size(); ++i) {
      const std::string piece = path + ".pieces." + std::to_string(i);
      const Json& json_piece = at["pieces"][i];
      const Parameter from = read_parameter(json_piece, piece, "from_KiB");
      if (i > 0 && from.value <= s.pieces.back().from.value)
        fail(from.path,
             "must be above that of the piece before, " + dump(at["pieces"][i - 1]["from_KiB"]["value"]));
      s.pieces.push_back({from, costs(json_piece, piece)});
    }
    return s;
  }

  /// The software of a class of messages by memory. Memories that the class leaves out have that of
  /// `otherwise`.
  Blueprint::SoftwareByMemory by_memory(const std::string& name,
                                        const Blueprint::SoftwareByMemory& otherwise) const {
    if (!json.contains("software") || !json["software"].contains(name)) return otherwise;
    const Json& at = json["software"][name];
    const std::string path = "software." + name;
    const auto mixed = [&](const char* key, const std::optional<Blueprint::Software>& other) {
      return at.contains(key) ? software(at[key], path + "." + key) : other;
    };
    return {at.contains("device") ? software(at["device"], path + ".device") : otherwise.device,
            at.contains("host") ? software(at["host"], path + ".host") : otherwise.host,
            mixed("device_to_host", otherwise.device_to_host),
            mixed("host_to_device", otherwise.host_to_device), mixed("dpu", otherwise.dpu)};
  }

  void software() {
    b.in_node = by_memory("in_node", {});
    b.across_sockets = by_memory("across_sockets", b.in_node);
    b.between_nodes = by_memory("between_nodes", {});
    if (json.contains("software") && json["software"].contains("copy"))
      b.copy = software(json["software"]["copy"], "software.copy");
    b.dpu_copy = b.copy;
    if (json.contains("software") && json["software"].contains("dpu_copy"))
      b.dpu_copy = software(json["software"]["dpu_copy"], "software.dpu_copy");
    if (json.contains("software") && json["software"].contains("offload")) {
      b.offload_start = optional(json["software"]["offload"], "software.offload", "start_us");
      b.offload_handoff = optional(json["software"]["offload"], "software.offload", "handoff_us");
    }
    nccl();
  }

  void nccl() {
    if (!json.contains("software") || !json["software"].contains("nccl")) return;
    const Json& all = json["software"]["nccl"];
    std::size_t p = 0;
    for (const char* protocol : {"LL", "LL128", "Simple"}) {
      const Json costs = all.value(protocol, Json::object());
      const std::string path = below("software.nccl", protocol);
      b.nccl[p++] = {optional(costs, path, "launch_us"), optional(costs, path, "channel_us"),
                     optional(costs, path, "hop_us"), optional(costs, path, "tree_hop_us"),
                     optional(costs, path, "proxy_us")};
    }
  }
};

}  // namespace

std::vector<int> Blueprint::of_kind(Vertex::Kind kind) const {
  std::vector<int> found;
  for (std::size_t v = 0; v < vertices.size(); ++v)
    if (vertices[v].kind == kind) found.push_back(static_cast<int>(v));
  return found;
}

Blueprint make_blueprint(const Description& description) {
  BlueprintReader reader{description, description.json()};
  reader.b.name = description.name();
  reader.b.file = description.file();
  reader.devices();
  reader.vertices();
  reader.link_kinds();
  reader.links();
  reader.ranks();
  read_network(description, reader.b);
  reader.b.within = reader.capabilities("node");
  reader.b.between = reader.capabilities("network");
  reader.protocol();
  reader.software();
  return std::move(reader.b);
}

}  // namespace collcast

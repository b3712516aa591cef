// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/network_section.hpp"

#include <algorithm>

#include "support/json.hpp"
#include "support/suggest.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

using Network = Blueprint::Network;

constexpr std::int64_t most_switches = 1 << 20;

std::string text(std::int64_t n) {
  return std::to_string(n);
}

struct Section {
  const std::string& file;
  const Json& all;
  const Json& n;  ///< the section of the network
  Blueprint& b;

  [[noreturn]] void fail(const std::string& key, const std::string& message) const {
    reject(file, key.empty() ? "network" : "network." + key, message);
  }
  const Json& need(const char* key) const {
    if (!n.contains(key) || (n[key].is_array() && n[key].empty())) fail("", "a " + kind() + " needs " + key);
    return n[key];
  }
  std::string kind() const { return n["kind"].get<std::string>(); }
  std::int64_t nics() const {
    return static_cast<std::int64_t>(b.of_kind(Blueprint::Vertex::Kind::nic).size());
  }
  /// Sets the room of the network, `nodes`, and checks that max_nodes fits.
  void room(std::int64_t nodes, const char* key, const std::string& why = {}) const {
    b.room = {nodes, "network." + std::string(key)};
    if (b.max_nodes > nodes)
      fail(key, "this " + (b.network == Network::fat_tree ? "tree" : kind()) + " has room for " +
                    text(nodes) + (nodes == 1 ? " node" : " nodes") + ", but max_nodes is " +
                    text(b.max_nodes) + why);
  }

  void none() {
    if (b.max_nodes != 1) reject(file, "max_nodes", "must be 1 where network.kind is none");
  }

  void uniform() {
    if (b.vertices.size() != 1 || b.ranks_per_node != 1)
      fail("kind", "uniform needs nodes of one vertex with one rank; use single-switch");
    if (all.contains("software"))
      reject(file, "software", "does not apply where network.kind is uniform; use single-switch");
  }

  void single_switch() {
    if (n.contains("switch_ports") && b.max_nodes * nics() > n["switch_ports"].get<std::int64_t>())
      fail("switch_ports", "a switch of " + dump(n["switch_ports"]) + " ports does not take " +
                               text(b.max_nodes * nics()) + " NICs");
    b.levels = {{"switch", static_cast<int>(b.max_nodes), 0}};
    b.trunks = {{}};
    b.nodes_per_switch = b.levels.front().down;
  }

  void fat_tree() {
    need("switch_ports");
    if (need("levels").size() > 6) fail("levels", "at most 6 levels");
    for (std::size_t i = 0; i < n["levels"].size(); ++i) {
      const Json& l = n["levels"][i];
      const std::string key = "levels." + std::to_string(i);
      if (std::ranges::find(b.levels, l["name"].get<std::string>(), &Blueprint::Level::name) !=
          b.levels.end())
        fail(key + ".name", "another level is called " + l["name"].get<std::string>());
      b.levels.push_back({l["name"].get<std::string>(), l["down"].get<int>(), l.value("up", 0)});
      b.trunks.push_back({read_optional(l, "network." + key, "bandwidth_GBps"), l.value("cables", 1)});
      level(key, i + 1 == n["levels"].size(), l.value("switch_ports", n["switch_ports"].get<int>()));
    }
    // A group of nodes has one leaf switch for each NIC of a node, or one for all.
    spread_nics(static_cast<int>(nics()));
    const std::int64_t on_a_leaf = nics() / b.switches_per_node;
    if (b.levels.front().down % on_a_leaf != 0)
      fail("levels.0.down", "must be a multiple of a node's NICs, " + text(on_a_leaf) +
                                ", where all are on one leaf (switches_per_node)");
    b.nodes_per_switch = static_cast<int>(b.levels.front().down / on_a_leaf);
    std::int64_t leaves = 1;
    for (std::size_t i = 1; i < b.levels.size(); ++i)
      leaves = std::min<std::int64_t>(leaves * b.levels[i].down, 1 << 26);
    const std::string groups = ": a group of " + text::counted(b.nodes_per_switch, "node") + " has " +
                               text::counted(nics(), "leaf switch") +
                               ", one for each NIC of a node, and the levels above take " + text(leaves);
    room(leaves / b.switches_per_node * b.nodes_per_switch, "levels",
         (b.switches_per_node > 1 ? groups : "") + larger(leaves));
  }

  void spread_nics(int otherwise) {
    b.switches_per_node = n.value("switches_per_node", otherwise);
    if (b.switches_per_node != 1 && b.switches_per_node != nics())
      fail("switches_per_node",
           "must be 1 or the NICs of a node, " + text(nics()) + ", not " + text(b.switches_per_node));
  }

  /// The hint for a tree that needs more leaves.
  std::string larger(std::int64_t leaves) const {
    if (b.levels.size() == 1) return ": add one";
    const std::int64_t needed =
        (b.max_nodes + b.nodes_per_switch - 1) / b.nodes_per_switch * b.switches_per_node;
    const std::string top = "levels." + text(std::ssize(b.levels) - 1);
    const std::int64_t down = b.levels.back().down, below = std::max<std::int64_t>(1, leaves / down),
                       cables = b.trunks[b.trunks.size() - 2].cables,
                       ports = n["levels"].back().value("switch_ports", n["switch_ports"].get<int>());
    if ((needed + below - 1) / below * cables <= ports) return ": raise " + top + ".down";
    return ": " + top + " has " + text(ports) +
           " ports; in a file give it as many up as down, and add a level above";
  }

  void level(const std::string& key, bool top, int ports) const {
    const Blueprint::Level& l = b.levels.back();
    const Blueprint::Trunk& trunk = b.trunks.back();
    if (top && (l.up != 0 || trunk.bandwidth || trunk.cables != 1))
      fail(key, "the top level has no way up: drop up, cables and bandwidth_GBps");
    if (!top && l.up == 0) fail(key, "lacks the key up: how many ports lead to the next level");
    const std::int64_t below = b.trunks.size() > 1 ? b.trunks[b.trunks.size() - 2].cables : 1;
    const std::int64_t down = l.down * below, up = std::int64_t{l.up} * trunk.cables;
    if (down + up > ports)
      fail(key, text(down) + " ports down and " + text(up) + " up do not fit a switch of " + text(ports) +
                    " (switch_ports)");
  }

  /// `links`: from each switch to other switches.
  void switches(std::int64_t count, std::int64_t links, const char* key) {
    if (count > most_switches)
      fail(key, "at most " + text(most_switches) + " switches, not " + text(count) +
                    (count == 2 * most_switches ? " or more" : ""));
    b.nodes_per_switch = n.value("nodes_per_switch", 1);
    room(count / b.switches_per_node * b.nodes_per_switch, key);
    const std::int64_t down = b.nodes_per_switch * nics() / b.switches_per_node;
    if (n.contains("switch_ports") && down + links > n["switch_ports"].get<std::int64_t>())
      fail("switch_ports", text(down) + " ports to nodes and " + text(links) +
                               " to switches do not fit a switch of " + dump(n["switch_ports"]));
  }

  void torus() {
    if (need("dimensions").size() > 8) fail("dimensions", "at most 8 dimensions");
    std::int64_t count = 1, links = 0;
    for (const Json& size : n["dimensions"]) {
      b.dimensions.push_back(size.get<int>());
      count = std::min(count * b.dimensions.back(), 2 * most_switches);
      links += std::min(b.dimensions.back() - 1, 2);
    }
    b.trunks = {{read_optional(n, "network", "link_bandwidth_GBps"), 1,
                 read_optional(n, "network", "link_latency_us")}};
    switches(count, links, "dimensions");
  }

  void multiple_of(const char* key, int divisor) const {
    if (b.groups.switches % divisor != 0)
      fail("switches_per_group", std::string("must be a multiple of ") + key + ", " + text(divisor) +
                                     ", not " + text(b.groups.switches));
  }

  void dragonfly() {
    b.groups = {need("groups").get<int>(), need("switches_per_group").get<int>(),
                n.value("chassis_per_group", 1), n.value("links_between_groups", 1)};
    need("switch_ports");
    const Blueprint::Groups& g = b.groups;
    spread_nics(1);
    multiple_of("switches_per_node", b.switches_per_node);
    multiple_of("chassis_per_group", g.chassis);
    b.trunks = {{read_optional(n, "network", "local_bandwidth_GBps")},
                {read_optional(n, "network", "global_bandwidth_GBps"), 1,
                 read_optional(n, "network", "global_latency_us")},
                {read_optional(n, "network",
                               n.contains("chassis_bandwidth_GBps") ? "chassis_bandwidth_GBps"
                                                                    : "local_bandwidth_GBps")}};
    const int blades = g.switches / g.chassis;
    switches(std::int64_t{g.count} * g.switches, blades - 1 + g.chassis - 1 + g.global_ports(), "groups");
    if (b.routing.adaptive) {  // AdaptiveDragonfly treats such links as one
      b.trunks[0].cables = std::max(1, blades - 1);
      b.trunks[1].cables = std::max(1, (g.count - 1) * g.cables);
      b.trunks[2].cables = std::max(1, g.chassis - 1);
    }
  }
};

/// A kind of network: how it is read, its own settings, and its routings: the default, one that draws routes,
/// and one that adapts.
struct NetworkKind {
  const char* name;
  Network network;
  void (Section::*read)();
  std::vector<std::string> settings, routings = {};
};
const NetworkKind network_kinds[] = {
    {"none", Network::none, &Section::none, {}},
    {"uniform", Network::uniform, &Section::uniform, {}},
    {"single-switch", Network::single_switch, &Section::single_switch, {}},
    {"fat-tree", Network::fat_tree, &Section::fat_tree, {"switches_per_node"}, {"d-mod-k", "ecmp"}},
    {"torus", Network::torus, &Section::torus, {"dimensions", "nodes_per_switch"}, {"minimal", "valiant"}},
    {"dragonfly",
     Network::dragonfly,
     &Section::dragonfly,
     {"groups", "switches_per_group", "chassis_per_group", "links_between_groups", "nodes_per_switch",
      "switches_per_node"},
     {"minimal", "valiant", "adaptive"}}};

/// Refuses settings of other kinds of networks. Only `levels` and `switch_ports` may be there, left over from
/// a base with another network.
void check_settings(const Section& section, const NetworkKind& kind) {
  for (const NetworkKind& other : network_kinds)
    for (const std::string& key : other.settings)
      if (section.n.contains(key) && std::ranges::find(kind.settings, key) == kind.settings.end())
        section.fail(key, std::string("does not apply where network.kind is ") + kind.name);
}

Blueprint::Routing routing(const Section& section, const NetworkKind& kind) {
  const bool seeded = section.n.contains("routing_seed");
  if (kind.routings.empty()) {
    for (const char* key : {"routing", "routing_seed"})
      if (section.n.contains(key))
        section.fail(key, std::string("does not apply where network.kind is ") + kind.name);
    return {};
  }
  const std::string name = section.n.value("routing", kind.routings.front());
  const auto known = std::ranges::find(kind.routings, name);
  if (known == kind.routings.end())
    section.fail("routing", "must be " + join(kind.routings, " or ") + " where network.kind is " + kind.name +
                                ", not " + name);
  const auto which = known - kind.routings.begin();
  if (seeded && which != 1) section.fail("routing_seed", "goes with the routing " + kind.routings[1]);
  return {which == 1, section.n.value("routing_seed", std::uint64_t{1}), which == 2};
}

}  // namespace

Parameter read_parameter(const Json& object, const std::string& path, const std::string& key) {
  const Json& p = object[key];
  return {below(path, key), p["value"].get<double>(), key.substr(key.find_last_of('_') + 1),
          p["source"].get<std::string>(), *parse_stamp(p["stamp"].get<std::string>())};
}

std::optional<Parameter> read_optional(const Json& object, const std::string& path, const std::string& key) {
  if (!object.contains(key)) return std::nullopt;
  return read_parameter(object, path, key);
}

void read_network(const Description& description, Blueprint& b) {
  const Json& json = description.json();
  Section section{description.file(), json, json["network"], b};
  const NetworkKind& kind =
      *std::ranges::find(network_kinds, section.n["kind"].get<std::string>(), &NetworkKind::name);
  b.network = kind.network;
  b.bandwidth = read_optional(section.n, "network", "bandwidth_GBps");
  b.latency = read_optional(section.n, "network", "latency_us");
  b.switch_latency = read_optional(section.n, "network", "switch_latency_us");
  b.max_nodes = json["max_nodes"].get<std::int64_t>();
  const bool switches = b.network != Network::none && b.network != Network::uniform;
  if (b.network != Network::none)
    for (const char* key : {"bandwidth_GBps", "latency_us"})
      if (!section.n.contains(key)) section.fail("", std::string("lacks the key ") + key);
  if (switches && !b.switch_latency) section.fail("", "lacks the key switch_latency_us");
  if (switches && section.nics() == 0)
    reject(section.file, "node.vertices", "has no vertex of kind nic, but there is a network");
  check_settings(section, kind);
  b.routing = routing(section, kind);
  (section.*kind.read)();
}

}  // namespace collcast

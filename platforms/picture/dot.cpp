// SPDX-License-Identifier: Apache-2.0
#include "platforms/picture/dot.hpp"

#include <cmath>
#include <sstream>

namespace collcast {
namespace {

using Kind = Blueprint::Vertex::Kind;

/// The look of each kind of vertex.
std::string look(Kind kind) {
  switch (kind) {
    case Kind::gpu:
      return "shape=box, style=filled, fillcolor=\"#a8d08d\"";
    case Kind::cpu:
      return "shape=box, style=filled, fillcolor=\"#9dc3e6\"";
    case Kind::nic:
      return "shape=house, style=filled, fillcolor=\"#f4b183\"";
    case Kind::dpu:
      return "shape=box, style=filled, fillcolor=\"#ffd966\"";
    case Kind::nvme:
      return "shape=cylinder, style=filled, fillcolor=\"#d9d9d9\"";
    case Kind::network_switch:
      break;
  }
  return "shape=ellipse";
}

/// The colour of a link and its label, by its type.
const char* colour(Blueprint::LinkKind::Type type) {
  switch (type) {
    case Blueprint::LinkKind::Type::nvlink:
      return "#548235";
    case Blueprint::LinkKind::Type::pcie:
      return "#c55a11";
    case Blueprint::LinkKind::Type::socket:
      return "#2e75b6";
    case Blueprint::LinkKind::Type::memory:
      return "#7f7f7f";
    case Blueprint::LinkKind::Type::unknown:
      break;
  }
  return "#000000";
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) out += (c == '"' || c == '\\') ? std::string("\\") + c : std::string(1, c);
  return out + "\"";
}

std::string GBps(double value) {
  std::ostringstream out;
  out << value << " GB/s";
  return out.str();
}

void node(std::ostream& out, const Blueprint& b) {
  out << "  subgraph cluster_node {\n    label=\"one node\";\n";
  for (const Blueprint::Vertex& v : b.vertices) {
    std::string label = v.name;
    if (v.device >= 0) label += "\n" + b.devices[static_cast<std::size_t>(v.device)].name;
    out << "    " << quoted(v.name) << " [" << look(v.kind) << ", label=" << quoted(label) << "];\n";
  }
  for (const Blueprint::Line& l : b.lines) {
    const Blueprint::LinkKind& kind = b.link_kinds[static_cast<std::size_t>(l.kind)];
    const double total = l.count * kind.bandwidth.value;
    const std::string times = l.count > 1 ? std::to_string(l.count) + " x " : "";
    out << "    " << quoted(b.vertices[static_cast<std::size_t>(l.from)].name) << " -- "
        << quoted(b.vertices[static_cast<std::size_t>(l.to)].name)
        << " [label=" << quoted(" " + times + kind.name + "\n " + GBps(total)) << ", color=\""
        << colour(kind.type) << "\", fontcolor=\"" << colour(kind.type)
        << "\", penwidth=" << 1 + std::log2(1 + total / 10) << (l.one_way ? ", dir=forward" : "") << "];\n";
  }
  out << "  }\n";
}

/// The switches of one level, as one box.
void box(std::ostream& out, const std::string& id, const std::string& label) {
  out << "    " << id << " [shape=box3d, label=" << quoted(label) << "];\n";
}

double bandwidth(const Blueprint& b, std::size_t trunk) {
  const Blueprint::Trunk& t = b.trunks[trunk];
  return t.cables * (t.bandwidth ? t.bandwidth : b.bandwidth)->value;
}

void edge(std::ostream& out, const std::string& from, const std::string& to, const std::string& label) {
  out << "    " << from << " -- " << to << " [label=" << quoted(" " + label) << "];\n";
}

void levels(std::ostream& out, const Blueprint& b) {
  for (std::size_t i = 0; i < b.levels.size(); ++i) {
    const Blueprint::Level& l = b.levels[i];
    std::string label = l.name + "\n" + std::to_string(l.down) + " ways down";
    if (l.up > 0) label += ", " + std::to_string(l.up) + " up";
    box(out, "level" + std::to_string(i), label);
    if (i > 0)
      edge(out, "level" + std::to_string(i - 1), "level" + std::to_string(i), GBps(bandwidth(b, i - 1)));
    else
      edge(out, "nodes", "level0", GBps(b.bandwidth->value));
  }
}

std::string nodes_per_switch(const Blueprint& b) {
  return "\n" + std::to_string(b.nodes_per_switch) + (b.nodes_per_switch > 1 ? " nodes" : " node") +
         " per switch" +
         (b.switches_per_node > 1 ? ", " + std::to_string(b.switches_per_node) + " switches per node" : "");
}

/// Draws all switches as one box, which says how they are linked.
void torus(std::ostream& out, const Blueprint& b) {
  std::string sizes;
  for (int size : b.dimensions) sizes += (sizes.empty() ? "" : " x ") + std::to_string(size);
  box(out, "switches",
      "torus of " + sizes + " switches" + nodes_per_switch(b) + "\n" + GBps(bandwidth(b, 0)) +
          " to each neighbour");
  edge(out, "nodes", "switches", GBps(b.bandwidth->value));
}

void dragonfly(std::ostream& out, const Blueprint& b) {
  const Blueprint::Groups& g = b.groups;
  const auto of_one = [&](std::size_t trunk) { return bandwidth(b, trunk) / b.trunks[trunk].cables; };
  const std::string times = g.cables > 1 ? std::to_string(g.cables) + " x " : "";
  const std::string within =
      g.chassis > 1 ? "chassis, " + GBps(of_one(2)) + " between those of a group" : "group";
  box(out, "switches",
      std::to_string(g.count) + " groups of " + std::to_string(g.switches) + " switches" +
          (g.chassis > 1 ? " in " + std::to_string(g.chassis) + " chassis" : "") + nodes_per_switch(b) +
          "\n" + GBps(of_one(0)) + " between two of a " + within + "\n" + times + GBps(of_one(1)) +
          " between two groups");
  edge(out, "nodes", "switches", GBps(b.bandwidth->value));
}

void uniform(std::ostream& out, const Blueprint& b) {
  box(out, "fabric", "any to any");
  edge(out, "nodes", "fabric", GBps(b.bandwidth->value));
}

void network(std::ostream& out, const Blueprint& b) {
  using Network = Blueprint::Network;
  if (b.network == Network::none) return;
  out << "  subgraph cluster_network {\n    label=\"network\";\n";
  const auto nics = b.of_kind(Kind::nic).size();
  box(out, "nodes",
      std::to_string(b.max_nodes) + " nodes" + (nics > 1 ? "\n" + std::to_string(nics) + " NICs each" : ""));
  const auto draw = b.network == Network::uniform     ? uniform
                    : b.network == Network::torus     ? torus
                    : b.network == Network::dragonfly ? dragonfly
                                                      : levels;
  draw(out, b);
  out << "  }\n";
}

}  // namespace

std::string dot(const Blueprint& b) {
  std::ostringstream out;
  out << "graph " << quoted(b.name)
      << " {\n  rankdir=BT;\n  fontname=\"Helvetica\";\n  node [fontname=\"Helvetica\"];\n"
      << "  edge [fontname=\"Helvetica\", fontsize=10];\n";
  node(out, b);
  network(out, b);
  out << "}\n";
  return out.str();
}

}  // namespace collcast

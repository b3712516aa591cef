// SPDX-License-Identifier: Apache-2.0
#include "platforms/picture/dot.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace collcast {
namespace {

using Kind = Blueprint::Vertex::Kind;

/// How each kind of vertex looks.
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
        << " [label=" << quoted(times + kind.name + "\n" + GBps(total))
        << ", penwidth=" << 1 + std::log2(1 + total / 10) << "];\n";
  }
  out << "  }\n";
}

/// The switches of one level, as one box.
void box(std::ostream& out, const std::string& id, const std::string& label) {
  out << "    " << id << " [shape=box3d, label=" << quoted(label) << "];\n";
}

void levels(std::ostream& out, const Blueprint& b) {
  for (std::size_t i = 0; i < b.levels.size(); ++i) {
    const Blueprint::Level& l = b.levels[i];
    std::string label = l.name + "\n" + std::to_string(l.down) + " ways down";
    if (l.up > 0) label += ", " + std::to_string(l.up) + " up";
    box(out, "level" + std::to_string(i), label);
    const std::string below = i == 0 ? "nodes" : "level" + std::to_string(i - 1);
    double each = b.bandwidth->value;
    if (i > 0) {
      const Blueprint::Level& from = b.levels[i - 1];
      each = from.cables * (from.bandwidth ? from.bandwidth : b.bandwidth)->value;
    }
    out << "    " << below << " -- level" << i << " [label=" << quoted(GBps(each)) << "];\n";
  }
}

void network(std::ostream& out, const Blueprint& b) {
  if (b.network == Blueprint::Network::none) return;
  out << "  subgraph cluster_network {\n    label=\"network\";\n";
  const auto nics = b.of_kind(Kind::nic).size();
  box(out, "nodes",
      std::to_string(b.max_nodes) + " nodes" + (nics > 1 ? "\n" + std::to_string(nics) + " NICs each" : ""));
  if (b.levels.empty()) {
    box(out, "fabric", "any to any");
    out << "    nodes -- fabric [label=" << quoted(GBps(b.bandwidth->value)) << "];\n";
  }
  levels(out, b);
  out << "  }\n";
}

}  // namespace

std::string dot(const Blueprint& b) {
  std::ostringstream out;
  out << "graph " << quoted(b.name) << " {\n  rankdir=BT;\n  node [fontname=\"Helvetica\"];\n"
      << "  edge [fontname=\"Helvetica\", fontsize=10];\n";
  node(out, b);
  network(out, b);
  out << "}\n";
  return out.str();
}

}  // namespace collcast

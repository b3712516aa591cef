// SPDX-License-Identifier: Apache-2.0
#include "platforms/picture/sketch.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace collcast {
namespace {

using Vertex = Blueprint::Vertex;

constexpr int unreached = std::numeric_limits<int>::max();

/// How many lines each vertex is away from the nearest one of `kind`, on ways that do not pass `not_through`.
std::vector<int> lines_to(const Blueprint& b, Vertex::Kind kind, Vertex::Kind not_through) {
  std::vector<int> far(b.vertices.size(), unreached);
  for (const int v : b.of_kind(kind)) far[static_cast<std::size_t>(v)] = 0;
  for (bool nearer = true; nearer;) {
    nearer = false;
    for (const Blueprint::Line& l : b.lines)
      for (const auto& [from, to] : {std::pair(l.from, l.to), std::pair(l.to, l.from)}) {
        const int at = far[static_cast<std::size_t>(from)];
        int& next = far[static_cast<std::size_t>(to)];
        const bool passes = b.vertices[static_cast<std::size_t>(from)].kind != not_through;
        if (passes && at != unreached && at + 1 < next) next = at + 1, nearer = true;
      }
  }
  return far;
}

/// A number for each vertex that orders the rows of a node: switches of GPUs alone, GPUs, switches between
/// GPUs and CPUs, CPUs, other switches, the rest.
std::vector<int> heights(const Blueprint& b) {
  constexpr int cpus = 1 << 20;
  const std::vector<int> to_cpu = lines_to(b, Vertex::Kind::cpu, Vertex::Kind::gpu),
                         to_gpu = lines_to(b, Vertex::Kind::gpu, Vertex::Kind::cpu);
  std::vector<int> all;
  for (std::size_t v = 0; v < b.vertices.size(); ++v) {
    const Vertex::Kind kind = b.vertices[v].kind;
    if (kind == Vertex::Kind::gpu)
      all.push_back(1);
    else if (kind == Vertex::Kind::cpu)
      all.push_back(cpus);
    else if (kind != Vertex::Kind::network_switch)
      all.push_back(3 * cpus);
    else if (to_gpu[v] == unreached)
      all.push_back(2 * cpus);
    else
      all.push_back(to_cpu[v] == unreached ? 0 : cpus - to_cpu[v]);
  }
  return all;
}

/// Orders each row by the positions of the boxes above that its boxes are linked to.
void order_columns(Sketch& s) {
  std::map<int, std::vector<std::size_t>> rows;
  for (std::size_t b = 0; b < s.boxes.size(); ++b) rows[s.boxes[b].row].push_back(b);
  std::vector<double> across(s.boxes.size());
  for (auto& [row, boxes] : rows) {
    const auto width = static_cast<double>(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      double sum = 0, above = 0;
      for (const Sketch::Line& l : s.lines)
        for (const auto& [own, other] : {std::pair(l.from, l.to), std::pair(l.to, l.from)})
          if (own == static_cast<int>(boxes[i]) && s.boxes[static_cast<std::size_t>(other)].row < row)
            sum += across[static_cast<std::size_t>(other)], ++above;
      across[boxes[i]] = above > 0 ? sum / above : (static_cast<double>(i) + 0.5) / width;
    }
    std::ranges::stable_sort(boxes, {}, [&](std::size_t b) { return across[b]; });
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      s.boxes[boxes[i]].column = static_cast<int>(i);
      across[boxes[i]] = (static_cast<double>(i) + 0.5) / width;
    }
  }
}

void add_node(Sketch& s, const Blueprint& b) {
  const std::vector<int> all = heights(b);
  const std::set<int> rows(all.begin(), all.end());
  for (std::size_t v = 0; v < b.vertices.size(); ++v) {
    const auto row = static_cast<int>(std::distance(rows.begin(), rows.find(all[v])));
    const int device = b.vertices[v].device;
    s.boxes.push_back({b.vertices[v].name, device < 0 ? "" : b.devices[static_cast<std::size_t>(device)].name,
                       row, 0, false});
  }
  const auto ways = [&](int from, int to) -> std::vector<std::string> {
    const std::string &a = s.boxes[static_cast<std::size_t>(from)].name,
                      &z = s.boxes[static_cast<std::size_t>(to)].name;
    return {a + " to " + z, a + " out to " + z, z + " in from " + a};
  };
  for (const Blueprint::Line& l : b.lines)
    if (l.from != l.to)
      s.lines.push_back(
          {l.from, l.to, ways(l.from, l.to), l.one_way ? std::vector<std::string>() : ways(l.to, l.from)});
  order_columns(s);
}

/// Adds lines for copies within the memories of a node's ranks.
void add_copies(Sketch& s, const Blueprint& b) {
  for (std::size_t v = 0; v < b.vertices.size(); ++v) {
    Sketch::Line copies{static_cast<int>(v), static_cast<int>(v), {}, {}};
    for (int slot = 0; slot < b.ranks_per_node; ++slot) {
      const std::string number = " slot " + std::to_string(slot);
      for (const std::string& by : {b.vertices[v].name + " ", std::string()}) {  // as links, and as ports
        if (by.empty() && b.vertex_of_slot(slot) != copies.from) continue;
        copies.forth.push_back(by + "copies out of" + number);
        copies.back.push_back(by + "copies into" + number);
      }
    }
    s.lines.push_back(std::move(copies));
  }
}

/// Adds a level of the network below all other boxes.
int add_level(Sketch& s, std::string name, std::string what) {
  const int lowest = std::ranges::max_element(s.boxes, {}, &Sketch::Box::row)->row;
  s.boxes.push_back({std::move(name), std::move(what), lowest + 1, 0, true});
  return static_cast<int>(s.boxes.size()) - 1;
}

void add_nics(Sketch& s, const Blueprint& b, int to) {
  const std::vector<int> nics = b.of_kind(Vertex::Kind::nic);
  for (std::size_t n = 0; n < nics.size(); ++n) {
    const std::string name = nics.size() == 1 ? "NIC" : "NIC " + std::to_string(n);
    s.lines.push_back({nics[n], to, {name + " out"}, {name + " in"}});
  }
}

void add_network(Sketch& s, const Blueprint& b) {
  using Network = Blueprint::Network;
  switch (b.network) {
    case Network::none:
      return;
    case Network::uniform:
      return s.lines.push_back({0, add_level(s, "network", "any to any"), {"rank out"}, {"rank in"}});
    case Network::torus: {
      std::string sizes;
      for (const int size : b.dimensions) sizes += (sizes.empty() ? "" : " x ") + std::to_string(size);
      const int torus = add_level(s, "switches", "torus of " + sizes);
      add_nics(s, b, torus);
      return s.lines.push_back({torus, torus, {"switch to switch"}, {}});
    }
    case Network::dragonfly: {
      const int group = add_level(s, "group", std::to_string(b.groups.switches) + " switches");
      add_nics(s, b, group);
      s.lines.push_back({group, group, {"switch to switch of a group"}, {}});
      const int others = add_level(s, "other groups", std::to_string(b.groups.count - 1));
      return s.lines.push_back({group, others, {"group to group"}, {}});
    }
    case Network::single_switch:
    case Network::fat_tree:
      break;
  }
  int below = -1;
  for (const Blueprint::Level& l : b.levels) {
    const int level = add_level(
        s, l.name,
        std::to_string(l.down) + " ways down" + (l.up > 0 ? ", " + std::to_string(l.up) + " up" : ""));
    if (below < 0) add_nics(s, b, level);
    if (const std::string& name = s.boxes[static_cast<std::size_t>(level) - 1].name; below >= 0)
      s.lines.push_back({below, level, {name + " up"}, {name + " down"}});
    below = level;
  }
}

}  // namespace

Sketch sketch(const Blueprint& b) {
  Sketch s;
  add_node(s, b);
  add_copies(s, b);
  add_network(s, b);
  return s;
}

}  // namespace collcast

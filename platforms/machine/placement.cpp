// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine/placement.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

#include "platforms/description/schema.hpp"
#include "support/error.hpp"
#include "support/file_kind.hpp"
#include "support/input_file.hpp"
#include "support/numbers.hpp"

namespace collcast {
namespace {

const std::vector<std::string> orders = {"block", "round-robin", "by-socket"};  // as in Order

std::string line(int number) {
  return "line " + std::to_string(number);
}

/// Reads the lines of one file.
struct PlacementReader {
  const std::string& file;
  std::map<int, Placement::Line> ranks = {};

  void read(std::string text, int number) {
    static const std::regex form(
        R"(\s*rank\s+(\d{1,9})\s*=\s*(?:node|\+n)(\d{1,9})\s+slot\s*=\s*(?:(\d{1,9}):)?(\d{1,9})\s*)");
    text.erase(std::min(text.find('#'), text.size()));
    if (text.find_first_not_of(" \t\r") == std::string::npos) return;
    std::smatch m;
    if (text.size() > 200 || !std::regex_match(text, m, form))
      reject(file, line(number),
             "must be as in 'rank 0=node3 slot=1', or 'slot=1:0' for the first slot of the second socket, "
             "not '" +
                 text.substr(0, 40) + "'");
    const int rank = std::stoi(m[1]), socket = m[3].matched ? std::stoi(m[3]) : -1;
    const auto [at, first] =
        ranks.try_emplace(rank, Placement::Line{number, std::stoi(m[2]), socket, std::stoi(m[4])});
    if (!first)
      reject(file, line(number),
             "rank " + m[1].str() + " stands in line " + std::to_string(at->second.number) + " already");
  }

  std::vector<Placement::Line> all() const {
    if (ranks.empty()) reject(file, "", "places no rank");
    std::vector<Placement::Line> lines;
    for (const auto& [rank, where] : ranks) {
      if (rank != static_cast<int>(lines.size()))
        reject(file, "",
               "places rank " + std::to_string(ranks.rbegin()->first) + ", but not rank " +
                   std::to_string(lines.size()));
      lines.push_back(where);
    }
    return lines;
  }
};

/// The slots of each socket: those whose nearest cpu is the same.
std::vector<std::vector<int>> sockets(const Blueprint& b, const NodeGraph& graph) {
  std::vector<std::vector<int>> slots;
  std::vector<int> cpus;
  for (int s = 0; s < b.ranks_per_node; ++s) {
    const int cpu = graph.place(s, Memory::host);
    const auto at = std::ranges::find(cpus, cpu) - cpus.begin();
    if (at == std::ssize(cpus)) cpus.push_back(cpu), slots.emplace_back();
    slots[static_cast<std::size_t>(at)].push_back(s);
  }
  return slots;
}

/// The slots of a node, taken from its sockets in turn, as long as a socket has one left.
std::vector<int> taking_turns(const std::vector<std::vector<int>>& sockets, int slots) {
  std::vector<int> order;
  for (std::size_t turn = 0; std::ssize(order) < slots; ++turn)
    for (const auto& socket : sockets)
      if (turn < socket.size()) order.push_back(socket[turn]);
  return order;
}

std::vector<Seat> listed(const Placement& p, const Blueprint& b, const NodeGraph& graph, Rank ranks) {
  if (std::ssize(p.lines) != ranks)
    reject(p.file, "", "places " + std::to_string(p.lines.size()) + " ranks, not " + std::to_string(ranks));
  const auto by_socket = sockets(b, graph);
  std::vector<Seat> all;
  std::map<std::pair<int, int>, int> taken;
  for (const Placement::Line& l : p.lines) {
    const auto need = [&](int value, std::int64_t count, const std::string& what) {
      if (value >= count)
        reject(p.file, line(l.number),
               what + " " + std::to_string(value) + ": " + b.name + " has " + std::to_string(count) +
                   " of them, from 0");
    };
    need(l.node, b.max_nodes, "node");
    int slot = l.slot;
    if (l.socket >= 0) {
      need(l.socket, std::ssize(by_socket), "socket");
      const auto& of = by_socket[static_cast<std::size_t>(l.socket)];
      need(slot, std::ssize(of), "slot of a socket");
      slot = of[static_cast<std::size_t>(slot)];
    }
    need(slot, b.ranks_per_node, "slot");
    const auto [at, first] = taken.try_emplace({l.node, slot}, l.number);
    if (!first)
      reject(p.file, line(l.number),
             "line " + std::to_string(at->second) + " has a rank in this slot already");
    all.push_back({static_cast<std::uint32_t>(l.node), slot});
  }
  return all;
}

}  // namespace

Placement parse_placement(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto known = std::ranges::find(orders, text.substr(0, colon));
  if (known != orders.end()) {
    Placement placement = static_cast<Placement::Order>(known - orders.begin());
    if (colon == std::string::npos) return placement;
    placement.nodes = number_in<int>(std::string_view(text).substr(colon + 1)).value_or(0);
    if (placement.nodes < 1)
      throw InputError("placement: '" + text + "' needs a number of nodes from 1 after the colon");
    return placement;
  }
  if (std::error_code too_long; !std::filesystem::exists(text, too_long))
    throw InputError(
        "placement: must be block, round-robin or by-socket, with :NODES or without, or a file of 'rank "
        "0=node3 slot=1' lines, not '" +
        text + "'");
  const std::string content = read_file(text);
  refuse_other_kinds(text, content, "a file of 'rank 0=node3 slot=1' lines");
  std::istringstream in(content);
  PlacementReader reader{text};
  int number = 0;
  for (std::string l; std::getline(in, l);) reader.read(l, ++number);
  Placement placement = Placement::listed;
  placement.file = text;
  placement.lines = reader.all();
  return placement;
}

namespace {

/// The number of nodes on which the ranks sit.
int nodes_of(const Placement& p, const Blueprint& b, Rank ranks) {
  if (p.nodes == 0) return (ranks - 1) / b.ranks_per_node + 1;
  const std::string said =
      "placement: " + std::to_string(ranks) + " ranks on " + std::to_string(p.nodes) + " nodes";
  if (p.nodes > ranks) throw InputError(said + " leave nodes without a rank");
  if (p.nodes > b.max_nodes) throw InputError(said + ": " + b.name + " has " + std::to_string(b.max_nodes));
  if (const int most = (ranks - 1) / p.nodes + 1; most > b.ranks_per_node)
    throw InputError(said + " are up to " + std::to_string(most) + " a node, which holds " +
                     std::to_string(b.ranks_per_node));
  return p.nodes;
}

}  // namespace

std::vector<Seat> seats(const Placement& p, const Blueprint& b, const NodeGraph& graph, Rank ranks) {
  if (p.order == Placement::listed) return listed(p, b, graph, ranks);
  const std::vector<int> turns = taking_turns(sockets(b, graph), b.ranks_per_node);
  const int nodes = nodes_of(p, b, ranks);
  std::vector<Seat> all;
  all.reserve(static_cast<std::size_t>(ranks));
  const auto sit = [&](int node, int turn) {
    const int slot = p.order == Placement::by_socket ? turns[static_cast<std::size_t>(turn)] : turn;
    all.push_back({static_cast<std::uint32_t>(node), slot});
  };
  if (p.order == Placement::round_robin) {
    for (Rank r = 0; r < ranks; ++r) sit(r % nodes, r / nodes);
    return all;
  }
  // The first nodes have a rank more, if ranks are shared out; else all but the last are full.
  const auto held = [&](int node) {
    return p.nodes > 0 ? ranks / nodes + (node < ranks % nodes) : b.ranks_per_node;
  };
  for (int node = 0; node < nodes; ++node)
    for (int turn = 0; turn < held(node) && std::ssize(all) < ranks; ++turn) sit(node, turn);
  return all;
}

}  // namespace collcast

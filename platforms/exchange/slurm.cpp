// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "platforms/exchange/formats.hpp"
#include "platforms/exchange/hostlist.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

struct TreeSwitch {
  int line = 0;
  std::set<std::string> children = {};  ///< switches
  std::set<std::string> nodes = {};     ///< nodes below the switch
  std::vector<std::string> parents = {};
  int level = 0;  ///< 0: a leaf
};

struct Tree {
  std::map<std::string, TreeSwitch> switches = {};
  bool speeds = false;  ///< some LinkSpeed is not 1, the default
};

/// The values by key, in lower case, of a line as "SwitchName=s0 Nodes=tux[0-3]". Errors begin with `where`.
std::map<std::string, std::string> values(const std::string& line, const std::string& where) {
  static const std::set<std::string> known = {"switchname", "switches", "nodes", "linkspeed", "level"};
  std::map<std::string, std::string> found;
  std::istringstream words(line.substr(0, line.find('#')));
  for (std::string word; words >> word;) {
    const std::string written = word.substr(0, word.find('=')), key = text::lower(written);
    if (key.starts_with("block"))
      throw InputError(where +
                       "is of topology/block, which names no switches; import the output of ibnetdiscover");
    if (!known.contains(key) || written == word)
      throw InputError(where + "'" + word.substr(0, 40) +
                       "' is none of SwitchName=, Switches=, Nodes=, LinkSpeed= and Level=");
    if (!found.emplace(key, word.substr(written.size() + 1)).second)
      throw InputError(where + "has " + written + " twice");
  }
  return found;
}

/// Reads a line per switch. `scontrol show topology` names the nodes below every switch, not only below
/// leaves.
Tree parse_tree(const std::string& text, const std::string& file) {
  Tree tree;
  Hostlists lists;
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    const std::string where = file + ": line " + std::to_string(++number) + ": ";
    const auto said = values(line, where);
    if (said.empty()) continue;
    if (said.contains("nodes") && text::lower(said.at("nodes")) == "all")
      throw InputError(where + "Nodes=ALL does not say which nodes there are; list them, as in node[0-63]");
    const auto list = [&](const char* key) {
      return said.contains(key) ? lists.names(said.at(key), where) : std::set<std::string>();
    };
    const TreeSwitch s{number, list("switches"), list("nodes")};
    if (!said.contains("switchname") || said.at("switchname").empty())
      throw InputError(where + "lacks SwitchName");
    if (s.children.empty() && s.nodes.empty()) throw InputError(where + "has neither Switches nor Nodes");
    if (!tree.switches.emplace(said.at("switchname"), s).second)
      throw InputError(where + said.at("switchname") + " has a line already");
    tree.speeds |= said.contains("linkspeed") && said.at("linkspeed") != "1";
  }
  return tree;
}

/// Sets the parents of switches, and their levels from the leaves up.
void climb(Tree& tree, const std::string& file) {
  const auto refuse = [&](const TreeSwitch& s, const std::string& message) {
    reject(file, "", "line " + std::to_string(s.line) + ": " + message);
  };
  std::vector<TreeSwitch*> ready;
  std::map<std::string, std::size_t> missing;
  std::map<std::string, std::string> leaf;
  for (auto& [name, s] : tree.switches) {
    for (const std::string& child : s.children) {
      if (!tree.switches.contains(child)) refuse(s, child + " has no line of its own");
      tree.switches[child].parents.push_back(name);
    }
    if ((missing[name] = s.children.size()) > 0) continue;
    ready.push_back(&s);
    for (const std::string& node : s.nodes)
      if (const auto [other, first] = leaf.emplace(node, name); !first)
        refuse(s, node + " is on two leaf switches, " + other->second + " and " + name);
  }
  for (std::size_t i = 0; i < ready.size(); ++i)
    for (const std::string& parent : ready[i]->parents) {
      TreeSwitch& p = tree.switches[parent];
      p.level = std::max(p.level, ready[i]->level + 1);
      if (--missing[parent] == 0) ready.push_back(&p);
    }
  for (const auto& [name, s] : tree.switches) {
    if (missing[name] > 0) refuse(s, name + " is below itself");
    for (const std::string& node : s.nodes)
      if (!leaf.contains(node)) refuse(s, node + " is on no leaf switch");
  }
}

/// Switches that are connected, and the nodes on them.
struct Part {
  std::vector<std::string> switches = {};
  std::int64_t nodes = 0;
};

/// The unconnected parts of the tree, the one with most nodes first.
std::vector<Part> parts(const Tree& tree) {
  std::vector<Part> all;
  std::set<std::string> seen;
  for (const auto& [start, first] : tree.switches) {
    if (!seen.insert(start).second) continue;
    Part part{{start}};
    for (std::size_t i = 0; i < part.switches.size(); ++i) {
      const TreeSwitch& s = tree.switches.at(part.switches[i]);
      if (s.children.empty()) part.nodes += std::ssize(s.nodes);
      const auto join = [&](const auto& names) {
        for (const std::string& name : names)
          if (seen.insert(name).second) part.switches.push_back(name);
      };
      join(s.children), join(s.parents);
    }
    all.push_back(std::move(part));
  }
  std::ranges::stable_sort(all, std::greater(), &Part::nodes);
  return all;
}

std::string listed_first(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < 8; ++i) text += (i > 0 ? ", " : "") + names[i];
  return text + (names.size() > 8 ? ", ..." : "");
}

/// The levels of a fat tree, in which the widest switch of each level stands for all, with as many cables up
/// as down.
Json tree_levels(const Tree& tree, const Part& part, const std::string& file) {
  struct Widest {
    std::size_t down = 0, up = 0;
  };
  std::vector<Widest> widest;
  for (const std::string& name : part.switches) {
    const TreeSwitch& s = tree.switches.at(name);
    widest.resize(std::max<std::size_t>(widest.size(), s.level + 1));
    Widest& w = widest[s.level];
    w.down = std::max(w.down, s.children.empty() ? s.nodes.size() : s.children.size());
    w.up = std::max(w.up, s.parents.size());
  }
  Json levels = Json::array();
  std::size_t cables = 1;  // of each link down
  for (std::size_t l = 0; l < widest.size(); ++l) {
    const std::size_t down = widest[l].down * cables;
    Json level = {{"name", "level " + std::to_string(l + 1)}, {"down", widest[l].down}};
    if (l + 1 < widest.size()) {
      cables = (down - 1) / widest[l].up + 1;
      level["up"] = widest[l].up;
      if (cables > 1) level["cables"] = cables;
    }
    const std::size_t ports = down + (l + 1 < widest.size() ? widest[l].up * cables : 0);
    if (ports > 65536 || std::max({widest[l].down, widest[l].up, cables}) > 4096)
      reject(file, "",
             "a switch of level " + std::to_string(l + 1) + " would need " + std::to_string(ports) +
                 " ports: a platform has up to 4096 ways to each side, of 65536 in all");
    level["switch_ports"] = ports;
    levels.push_back(level);
  }
  return levels;
}

/// Children of a switch that are more than one level below it.
std::vector<std::string> hanging(const Tree& tree, const Part& part) {
  std::vector<std::string> found;
  for (const std::string& name : part.switches) {
    const TreeSwitch& s = tree.switches.at(name);
    if (std::ranges::any_of(s.parents,
                            [&](const auto& p) { return tree.switches.at(p).level > s.level + 1; }))
      found.push_back(name);
  }
  return found;
}

Json notes_on(const Tree& tree, const std::vector<Part>& found, const std::string& file) {
  Json notes = {
      "Imported from " + file +
      ". Nodes are not in the file: one socket, one rank, adapters on PCIe 5. The widest switch of a level "
      "stands for all."};
  const bool one = found.front().switches.size() == 1;
  notes.push_back(std::string("Speeds") + (one ? "" : " and numbers of cables") +
                  " are not in the file: network.bandwidth_GBps is a guess" +
                  (one ? "." : ", and so is that as many cables lead up as down (network.levels.N.cables)."));
  if (tree.speeds) notes.push_back("LinkSpeed is not read: Slurm gives it no unit.");
  if (const auto names = hanging(tree, found.front()); !names.empty())
    notes.push_back(
        "As if switches of the levels between joined them with the one above: " + listed_first(names) + ".");
  for (std::size_t i = 1; i < found.size() && i <= 8; ++i)
    notes.push_back("Left out, as nothing joins them with the rest: " + listed_first(found[i].switches) +
                    ", with " + text::counted(found[i].nodes, "node") + ".");
  if (found.size() > 9)
    notes.push_back("Left out likewise: " + std::to_string(found.size() - 9) + " further parts.");
  return notes;
}

}  // namespace

bool is_slurm_topology(const std::string& text) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    const std::string key = text::lower(line.substr(first, std::string("SwitchName=").size()));
    return key == "switchname=" || key.starts_with("blockname=") || key.starts_with("blocksizes=");
  }
  return false;
}

Json from_slurm(const std::string& text, const std::string& file) {
  Tree tree = parse_tree(text, file);
  climb(tree, file);
  const std::vector<Part> found = parts(tree);
  const Part& part = found.front();
  return hosts_on_switches({.description = text::counted(part.nodes, "node") + " on " +
                                           text::counted(std::ssize(part.switches), "switch") +
                                           ", from Slurm",
                            .notes = notes_on(tree, found, file),
                            .hosts = part.nodes,
                            .nics = 1,
                            .bandwidth = sourced(12.5, "the file does not say", "guess"),
                            .levels = tree_levels(tree, part, file)});
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "platforms/exchange/formats.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// The bandwidth of one lane in GB/s, by the name of the rate.
const std::map<std::string, double> lanes = {{"SDR", 0.25},   {"DDR", 0.5},  {"QDR", 1.0},
                                             {"FDR10", 1.25}, {"FDR", 1.7},  {"EDR", 3.125},
                                             {"HDR", 6.25},   {"NDR", 12.5}, {"XDR", 25}};

/// The regular expressions take some stack for each character.
constexpr std::size_t longest_line = 4096;

struct Switch {
  int ports = 0;
  int level = -1;                                     ///< 0: a leaf, which has hosts
  int hosts = 0;                                      ///< ports that lead to hosts
  std::set<std::string> names = {};                   ///< of the hosts
  std::set<double> host_GBps = {};                    ///< of the hosts' ports
  std::map<std::string, int> peers = {};              ///< other switches: the number of cables
  std::map<std::string, std::set<double>> GBps = {};  ///< of the cables to each switch
};

struct FoundFabric {
  std::map<std::string, Switch> switches = {};
  std::map<std::string, int> adapters = {};  ///< by name of a host: its adapters
  int aggregating = 0;                       ///< switches with a node for SHARP in them
};

/// Whether a line is of the node that SHARP adds to a switch. It looks like a host.
bool aggregates(const std::string& line) {
  return line.find("Aggregation Node") != std::string::npos;
}

/// The name of a host: "node07" of "node07 mlx5_0". Adapters that only carry the name of their model are
/// named by their number.
std::string host(const std::string& guid, const std::string& name) {
  static const std::regex model(R"(MT\d+|)");
  return std::regex_match(name, model) ? guid : name;
}

/// Reads stanzas "Switch 36 "S-guid" # ..." and "Ca 1 "H-guid" # "host mlx5_0"", each with lines [port]
/// "peer"[port] # "name" lid ... 4xEDR".
FoundFabric parse(const std::string& text, const std::string& file) {
  static const std::regex owner(R"re(^(Switch|Ca|Rt)\s+(\d+)\s+"([^"]+)"(?:.*#\s*"([^" ]*))?)re");
  static const std::regex cable(
      R"re(^\[\d+\](?:\([^)]*\))?\s+"([SHR])-([^"]+)"\[\d+\](?:.*#\s*"([^" ]*))?)re");
  static const std::regex rate(R"re((\d+)x([A-Z]+\d*)\s*$)re");
  FoundFabric fabric;
  std::string current;
  std::istringstream in(text);
  std::smatch m;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.size() > longest_line)
      reject(file, "",
             "line " + std::to_string(number) + ": has more than " + std::to_string(longest_line) +
                 " characters");
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (aggregates(line)) {
      if (line.starts_with("Ca")) ++fabric.aggregating, current = "";
    } else if (std::regex_search(line, m, owner)) {
      current = m[1] == "Switch" ? m[3].str() : "";
      if (m[1] == "Switch") fabric.switches[current].ports = std::stoi(m[2].str().substr(0, 5));
      if (m[1] == "Ca") ++fabric.adapters[host(m[3], m[4])];
    } else if (std::regex_search(line, m, cable)) {
      if (current.empty()) continue;
      const std::string side = m[1], peer = side + "-" + m[2].str();
      Switch& s = fabric.switches[current];
      side == "S" ? ++s.peers[peer] : ++s.hosts;
      if (side == "H") s.names.insert(host(peer, m[3]));
      std::smatch r;
      if (std::regex_search(line, r, rate)) {
        const auto lane = lanes.find(r[2]);
        if (lane == lanes.end())
          reject(file, "", "line " + std::to_string(number) + ": unknown rate " + r[0].str());
        const double GBps = std::stoi(r[1].str().substr(0, 3)) * lane->second;
        if (side == "H") s.host_GBps.insert(GBps);
        if (side == "S") s.GBps[peer].insert(GBps);
      }
    }
  }
  return fabric;
}

/// Leaves out hosts of services, such as a fabric manager: those of a switch that joins leaves each with at
/// least twice as many hosts. Returns their names.
std::set<std::string> leave_out_services(FoundFabric& f) {
  std::vector<Switch*> between_leaves;
  for (auto& [name, s] : f.switches) {
    int leaves = 0, fewest = s.hosts;
    for (const auto& [peer, cables] : s.peers)
      if (const auto p = f.switches.find(peer); p != f.switches.end() && p->second.hosts > 0)
        fewest = leaves++ == 0 ? p->second.hosts : std::min(fewest, p->second.hosts);
    if (s.hosts > 0 && leaves > 1 && fewest >= 2 * s.hosts) between_leaves.push_back(&s);
  }
  std::set<std::string> out;
  for (Switch* s : between_leaves) {
    out.merge(s->names);
    s->hosts = 0, s->names.clear(), s->host_GBps.clear();
  }
  for (const auto& [name, s] : f.switches)
    for (const std::string& host : s.names) out.erase(host);
  for (const std::string& host : out) f.adapters.erase(host);
  return out;
}

/// Sets the levels of switches and returns the top one. Leaves have hosts; any other switch is one level
/// above the lowest switch that it joins.
int set_levels(FoundFabric& f, const std::string& file) {
  std::deque<std::string> next;
  for (auto& [name, s] : f.switches)
    if (s.hosts > 0) s.level = 0, next.push_back(name);
  int top = 0;
  for (; !next.empty(); next.pop_front())
    for (const auto& [peer, cables] : f.switches[next.front()].peers) {
      if (!f.switches.contains(peer)) reject(file, "", "a cable leads to " + peer + ", which has no stanza");
      if (f.switches[peer].level >= 0) continue;
      f.switches[peer].level = f.switches[next.front()].level + 1;
      top = std::max(top, f.switches[peer].level);
      next.push_back(peer);
    }
  return top;
}

/// The most ports that one host has on one leaf switch.
int shared(const FoundFabric& f) {
  int most = 1;
  for (const auto& [name, s] : f.switches)
    if (!s.names.empty()) most = std::max(most, (s.hosts - 1) / static_cast<int>(s.names.size()) + 1);
  return most;
}

/// Names the switches that have fewer cables up than others of their level.
void tell_weaker(const std::map<int, std::vector<std::string>>& by_uplinks, Json& notes) {
  for (const auto& [cables, names] : by_uplinks) {
    const int most = by_uplinks.rbegin()->first;
    if (cables == most) return;
    notes.push_back("Cables up: " + std::to_string(cables) + " of " + text::join(names) + ", " +
                    std::to_string(most) + " of others on the level.");
  }
}

/// The levels of a fat tree, in which the widest switch of each level stands for all. A leaf on which hosts
/// have several ports each stands for as many leaves.
Json levels_of(const FoundFabric& f, int top, double hosts_GBps, const std::string& file, Json& notes) {
  Json levels = Json::array();
  for (int l = 0; l <= top; ++l) {
    int down = 0, up = 0, cables = 1, ports = 1;
    std::set<double> rates;
    std::map<int, std::vector<std::string>> by_uplinks;  // switches by their cables up
    for (const auto& [name, s] : f.switches) {
      if (s.level != l) continue;
      int below = static_cast<int>(l == 0 ? s.names.size() : 0), above = 0, uplinks = 0;
      for (const auto& [peer, n] : s.peers) {
        const int other = f.switches.at(peer).level;
        if (other == l)
          reject(file, "",
                 name + " and " + peer +
                     (l > 0 ? " are on one level"
                            : " both have hosts (" + *s.names.begin() + ", " +
                                  *f.switches.at(peer).names.begin() + ")") +
                     " and a cable between them: this is not a fat tree");
        (other < l ? below : above) += 1;
        if (other < l) continue;
        cables = std::max(cables, n), uplinks += n;
        if (const auto known = s.GBps.find(peer); known != s.GBps.end())
          rates.insert(known->second.begin(), known->second.end());
      }
      down = std::max(down, below), up = std::max(up, above), ports = std::max(ports, s.ports);
      by_uplinks[uplinks].push_back(name);
    }
    if (l < top) tell_weaker(by_uplinks, notes);
    if (l == 1) down *= shared(f);
    Json level = {{"name", "level " + std::to_string(l + 1)}, {"down", down}, {"switch_ports", ports}};
    if (l < top) level["up"] = up;
    if (l < top && cables > 1) level["cables"] = cables;
    const double GBps = rates.empty() ? 0 : *rates.rbegin();
    if (rates.size() > 1)
      notes.push_back("Cables above level " + std::to_string(l + 1) + " differ in speed, from " +
                      text::gbps(*rates.begin()) + "; the fastest, " + text::gbps(GBps) + ", stand for all.");
    if (l < top && GBps > 0 && GBps != hosts_GBps)
      level["bandwidth_GBps"] = sourced(GBps, "data rate of the cables in " + file, "datasheet");
    levels.push_back(level);
  }
  return levels;
}

}  // namespace

Json from_ibnetdiscover(const std::string& text, const std::string& file) {
  FoundFabric f = parse(text, file);
  if (f.switches.empty() || f.adapters.empty())
    reject(file, "",
           "has no Switch and Ca stanzas: neither XML, nor the output of ibnetdiscover, nor Slurm's "
           "topology.conf");
  const std::set<std::string> out = leave_out_services(f);
  const int top = set_levels(f, file);
  std::set<double> rates;
  for (const auto& [name, s] : f.switches) rates.insert(s.host_GBps.begin(), s.host_GBps.end());
  const double GBps = rates.empty() ? 12.5 : *rates.rbegin();
  int nics = 1;
  for (const auto& [host, n] : f.adapters) nics = std::max(nics, n);
  Json notes = {
      "Imported from " + file +
      ". Nodes are not in the file: one socket, one rank, adapters on PCIe 5. The widest switch of a level "
      "stands for all."};
  if (rates.size() > 1) notes.push_back("Hosts' ports differ in speed; the fastest stand for all.");
  if (!out.empty())
    notes.push_back("Left out, on switches that join leaves with more hosts: " + text::join(out) + ".");
  if (top > 0 && shared(f) > 1)
    notes.push_back(
        "Some hosts have several ports on one leaf switch. Each is taken to have a leaf of its own, with all "
        "of its uplinks.");
  if (f.aggregating > 0)
    notes.push_back(std::to_string(f.aggregating) +
                    " switches can reduce (SHARP); what that costs is not in the file: see "
                    "network.in_network_reduction.");
  const Json levels = levels_of(f, top, GBps, file, notes);
  return hosts_on_switches(
      {.description = text::counted(static_cast<std::int64_t>(f.adapters.size()), "host") + " on " +
                      text::counted(static_cast<std::int64_t>(f.switches.size()), "switch") +
                      ", from ibnetdiscover",
       .notes = notes,
       .hosts = static_cast<std::int64_t>(f.adapters.size()),
       .nics = nics,
       .bandwidth = rates.empty() ? sourced(GBps, "the file does not say", "guess")
                                  : sourced(GBps, "data rate of the hosts' ports in " + file, "datasheet"),
       .levels = levels});
}

}  // namespace collcast

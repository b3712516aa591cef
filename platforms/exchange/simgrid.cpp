// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <ranges>
#include <sstream>
#include <vector>

#include "platforms/exchange/formats.hpp"

namespace collcast {
namespace {

struct Unit {
  const char* suffix;
  double factor;
};
/// To GB/s and to us, the longest suffix first.
constexpr Unit bandwidths[] = {{"TBps", 1e3},      {"GBps", 1},       {"MBps", 1e-3},  {"kBps", 1e-6},
                               {"Bps", 1e-9},      {"Tbps", 125},     {"Gbps", 0.125}, {"Mbps", 0.125e-3},
                               {"kbps", 0.125e-6}, {"bps", 0.125e-9}, {"", 1e-9}};
constexpr Unit times[] = {{"ms", 1e3}, {"us", 1}, {"ns", 1e-3}, {"s", 1e6}, {"", 1e6}};

struct SimgridReader {
  const std::string& file;

  template <std::size_t N>
  double quantity(const pugi::xml_node& node, const char* key, const Unit (&units)[N]) const {
    const std::string text = node.attribute(key).value();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string suffix(end, text.data() + text.size());
    for (const Unit& u : units)
      if (error == std::errc{} && suffix == u.suffix && std::isfinite(value) && value >= 0)
        return value * u.factor;
    reject(file, std::string("<cluster> ") + key, "'" + text + "' is no such quantity; write 12.5GBps, 1us");
  }

  /// "0-15,20": how many hosts.
  std::int64_t hosts(const std::string& radical) const {
    std::int64_t count = 0;
    std::istringstream ranges(radical);
    for (std::string range; std::getline(ranges, range, ',');) {
      std::int64_t first = 0, last = 0;
      const char* end = range.data() + range.size();
      auto [stop, error] = std::from_chars(range.data(), end, first);
      last = first;
      if (error == std::errc{} && stop != end && *stop == '-') {
        const auto second = std::from_chars(stop + 1, end, last);
        stop = second.ptr, error = second.ec;
      }
      if (error != std::errc{} || stop != end || last < first || last - first > 1 << 24)
        reject(file, "<cluster> radical", "'" + range + "' is no range of hosts; write 0-15");
      count += last - first + 1;
    }
    if (count < 1) reject(file, "<cluster> radical", "names no host");
    return count;
  }

  std::vector<int> numbers(const std::string& text) const {
    std::vector<int> all;
    std::istringstream in(text);
    for (std::string item; std::getline(in, item, ',');) {
      int n = 0;
      const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), n);
      if (error != std::errc{} || end != item.data() + item.size() || n < 1)
        reject(file, "<cluster> topo_parameters", "'" + item + "' is no count");
      all.push_back(n);
    }
    return all;
  }

  /// "2;4,4;1,2;1,2": levels, children, parents and cables, from the hosts up.
  Json fat_tree(const std::string& parameters) const {
    std::vector<std::vector<int>> lists;
    std::istringstream in(parameters);
    for (std::string part; std::getline(in, part, ';');) lists.push_back(numbers(part));
    if (lists.size() != 4 || lists[0].size() != 1 ||
        std::any_of(lists.begin() + 1, lists.end(),
                    [&](const auto& l) { return l.size() != static_cast<std::size_t>(lists[0][0]); }))
      reject(file, "<cluster> topo_parameters",
             "must be levels;children;parents;cables, each a list of as many");
    if (lists[2][0] != 1 || lists[3][0] != 1)
      reject(file, "<cluster> topo_parameters", "hosts with several links into the tree are not read");
    Json levels = Json::array();
    for (std::size_t l = 0; l < lists[1].size(); ++l) {
      Json level = {{"name", "level " + std::to_string(l + 1)}, {"down", lists[1][l]}};
      if (l + 1 < lists[1].size()) level["up"] = lists[2][l + 1];
      if (l + 1 < lists[1].size() && lists[3][l + 1] > 1) level["cables"] = lists[3][l + 1];
      levels.push_back(level);
    }
    return levels;
  }

  /// A message to a host crosses a link more than switches.
  Json network(const pugi::xml_node& cluster) const {
    const std::string topology = cluster.attribute("topology").as_string("FLAT");
    const double latency = quantity(cluster, "lat", times);
    const std::string source = "<cluster> in " + file;
    Json n = {{"kind", topology == "FAT_TREE" ? "fat-tree" : "single-switch"},
              {"bandwidth_GBps", sourced(quantity(cluster, "bw", bandwidths), source, "datasheet")},
              {"latency_us", sourced(latency / 2, source + ": half of lat, at each end", "derived")},
              {"switch_latency_us", sourced(latency, source + ": lat", "datasheet")}};
    if (topology == "FAT_TREE") {
      n["levels"] = fat_tree(cluster.attribute("topo_parameters").value());
      n["switch_ports"] = 4096;
    } else if (topology != "FLAT") {
      reject(file, "<cluster> topology", topology + " is not read; FLAT and FAT_TREE are");
    }
    return n;
  }
};

}  // namespace

Json from_simgrid(const pugi::xml_node& platform, const std::string& file) {
  const pugi::xpath_node_set clusters = platform.select_nodes(".//cluster");
  if (clusters.size() != 1)
    reject(file, "",
           "must hold one <cluster>, the kind of zone that is read; it holds " +
               std::to_string(clusters.size()));
  const pugi::xml_node cluster = clusters.first().node();
  const SimgridReader reader{file};
  const std::string guess = "the file does not say";
  return {
      {"description", "Cluster " + std::string(cluster.attribute("id").as_string("?")) + ", from SimGrid"},
      {"notes", {"Imported from " + file + ". Costs of software and speeds of memory are not in the file."}},
      {"max_nodes", reader.hosts(cluster.attribute("radical").value())},
      {"devices", {{"host", {{"reduce_GBps", sourced(10, guess, "guess")}}}}},
      {"node",
       {{"vertices", {{"cpu0", {{"kind", "cpu"}, {"device", "host"}}}, {"nic0", {{"kind", "nic"}}}}},
        {"link_kinds",
         {{"bus",
           {{"bandwidth_GBps", sourced(1000, guess + ": no limit", "guess")},
            {"latency_us", sourced(0, guess, "guess")}}}}},
        {"links", Json::array({{{"between", {"cpu0", "nic0"}}, {"kind", "bus"}}})},
        {"ranks_on", {"cpu0"}},
        {"ranks_per_node", 1}}},
      {"network", reader.network(cluster)},
      {"protocol", {{"hold", "injection"}}}};
}

}  // namespace collcast

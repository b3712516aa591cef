// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <sstream>
#include <vector>

#include "platforms/exchange/formats.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

struct Unit {
  const char* suffix;
  double factor;
};
/// Factors to GB/s and to us; longer suffixes come first.
constexpr Unit bandwidths[] = {{"TBps", 1e3},      {"GBps", 1},       {"MBps", 1e-3},  {"kBps", 1e-6},
                               {"Bps", 1e-9},      {"Tbps", 125},     {"Gbps", 0.125}, {"Mbps", 0.125e-3},
                               {"kbps", 0.125e-6}, {"bps", 0.125e-9}, {"", 1e-9}};
constexpr Unit times[] = {{"ms", 1e3}, {"us", 1}, {"ns", 1e-3}, {"s", 1e6}, {"", 1e6}};

/// "blades_per_chassis" of "3,4;4,3;5,1;2", and the like.
using Lists = std::vector<std::vector<int>>;

std::map<std::string, int> others(const pugi::xml_node& document) {
  std::map<std::string, int> elements;
  for (const pugi::xpath_node& e :
       document.select_nodes("//*[not(self::platform or self::zone or self::AS or self::cluster)]"))
    ++elements[e.node().name()];
  return elements;
}

struct SimgridReader {
  const std::string& file;
  const pugi::xml_node& cluster;
  Json not_read = Json::array();

  [[noreturn]] void fail(const std::string& key, const std::string& message) const {
    reject(file, "<cluster> " + key, message);
  }

  template <std::size_t N>
  double quantity(const char* key, const Unit (&units)[N]) const {
    const std::string text = cluster.attribute(key).value();
    const auto number = leading_number<double>(text);
    for (const Unit& u : units)
      if (number && number->rest == u.suffix && std::isfinite(number->value) && number->value >= 0)
        return number->value * u.factor;
    fail(key, "'" + text + "' is not such a quantity; write 12.5GBps or 1us");
  }

  /// How many hosts `radical` has, as in "0-15,20".
  std::int64_t hosts() const {
    std::int64_t count = 0;
    std::istringstream ranges(cluster.attribute("radical").value());
    for (std::string range; std::getline(ranges, range, ',');) {
      const std::size_t dash = range.find('-', 1);
      const auto first = number_in<std::int64_t>(range.substr(0, dash));
      const auto last = dash == range.npos ? first : number_in<std::int64_t>(range.substr(dash + 1));
      if (!first || !last || *last < *first || *last - *first > 1 << 24)
        fail("radical", "'" + range + "' is not a range of hosts; write 0-15");
      count += *last - *first + 1;
    }
    if (count < 1) fail("radical", "names no host");
    return count;
  }

  /// The lists of `topo_parameters`, as in "2;4,4;1,2;1,2". `sizes`: the size that each list must have; 0:
  /// any.
  Lists parameters(const std::vector<std::size_t>& sizes, const std::string& form) const {
    Lists lists;
    std::istringstream in(cluster.attribute("topo_parameters").value());
    for (std::string part; std::getline(in, part, ';');) {
      lists.emplace_back();
      std::istringstream items(part);
      for (std::string item; std::getline(items, item, ',');) {
        const auto n = number_in<int>(item);
        if (!n || *n < 1) fail("topo_parameters", "'" + item + "' is not a count");
        lists.back().push_back(*n);
      }
    }
    bool good = lists.size() == sizes.size();
    for (std::size_t i = 0; good && i < sizes.size(); ++i)
      good = sizes[i] == 0 ? !lists[i].empty() : lists[i].size() == sizes[i];
    if (!good) fail("topo_parameters", "must be " + form);
    return lists;
  }

  Json given(double value, const std::string& what) const {
    return sourced(value, "<cluster> in " + file + ": " + what, "datasheet");
  }
  double bandwidth() const { return quantity("bw", bandwidths); }

  /// Lists attributes that say nothing of the network, or for which the model has no place.
  void list_unread(const std::vector<std::string>& read) {
    for (const pugi::xml_attribute& a : cluster.attributes())
      if (std::ranges::find(read, a.name()) == read.end() && !std::string_view(a.value()).empty() &&
          a.value() != std::string("SPLITDUPLEX"))
        not_read.push_back(std::string(a.name()) + "=" + a.value());
    const std::map<std::string, int> elements = others(cluster.root());
    if (!elements.empty()) not_read.push_back(listed(elements));
  }

  /// A message to a host crosses a link more than switches.
  Json flat() const {
    Json n = {{"kind", "single-switch"}};
    if (cluster.attribute("bb_bw") && cluster.attribute("bb_lat"))
      n["switch_latency_us"] = given(quantity("lat", times) + quantity("bb_lat", times), "lat and bb_lat");
    return n;
  }

  /// Reads levels, children, parents and cables, from the hosts up.
  Json fat_tree() const {
    const Lists lists = parameters({1, 0, 0, 0}, "levels;children;parents;cables, each a list of as many");
    const auto levels = static_cast<std::size_t>(lists[0][0]);
    for (std::size_t i = 1; i < 4; ++i)
      if (lists[i].size() != levels)
        fail("topo_parameters", "must be levels;children;parents;cables, each a list of as many");
    if (lists[2][0] != 1 || lists[3][0] != 1)
      fail("topo_parameters", "hosts with several links into the tree are not read");
    Json all = Json::array();
    for (std::size_t l = 0; l < levels; ++l) {
      Json level = {{"name", "level " + std::to_string(l + 1)}, {"down", lists[1][l]}};
      if (l + 1 < levels) level["up"] = lists[2][l + 1], level["bandwidth_GBps"] = given(bandwidth(), "bw");
      if (l + 1 < levels && lists[3][l + 1] > 1) level["cables"] = lists[3][l + 1];
      all.push_back(level);
    }
    return {{"kind", "fat-tree"}, {"levels", all}, {"switch_ports", 4096}};
  }

  /// Reads a torus, in which hosts are their own switches: only the links between them take time.
  Json torus() const {
    const Lists lists = parameters({0}, "the sizes of the dimensions, as in 4,4,2");
    const double bw = bandwidth();
    const std::string source = "<cluster> in " + file + ": hosts are their own switches";
    Json n = {{"kind", "torus"},
              {"dimensions", lists[0]},
              {"link_bandwidth_GBps", given(bw, "bw")},
              {"link_latency_us", given(quantity("lat", times), "lat")},
              {"latency_us", sourced(0, source, "derived")},
              {"switch_latency_us", sourced(0, source, "derived")}};
    if (!cluster.attribute("limiter_link"))
      n["bandwidth_GBps"] =
          sourced(2 * static_cast<double>(lists[0].size()) * bw, source + ": all links together", "derived");
    return n;
  }

  /// Reads groups, chassis and blades, each with the number of parallel links, and the nodes of a blade.
  Json dragonfly() const {
    const Lists lists =
        parameters({2, 2, 2, 1}, "groups,links;chassis,links;blades,links;nodes, as in 3,4;4,3;5,1;2");
    const double bw = bandwidth();
    return {{"kind", "dragonfly"},
            {"groups", lists[0][0]},
            {"switches_per_group", std::int64_t{lists[1][0]} * lists[2][0]},
            {"chassis_per_group", lists[1][0]},
            {"nodes_per_switch", lists[3][0]},
            {"switch_ports", 4096},
            {"local_bandwidth_GBps", given(lists[2][1] * bw, "links of a chassis, side by side")},
            {"chassis_bandwidth_GBps", given(lists[1][1] * bw, "links between chassis, side by side")},
            {"global_bandwidth_GBps", given(lists[0][1] * bw, "links between groups, side by side")}};
  }

  Json network() {
    using Topology = Json (SimgridReader::*)() const;
    static const std::vector<std::pair<std::string, Topology>> topologies = {
        {"FLAT", &SimgridReader::flat},
        {"FAT_TREE", &SimgridReader::fat_tree},
        {"TORUS", &SimgridReader::torus},
        {"DRAGONFLY", &SimgridReader::dragonfly}};
    const std::string name = cluster.attribute("topology").as_string("FLAT");
    const auto topology = std::ranges::find(topologies, name, [](const auto& t) { return t.first; });
    if (topology == topologies.end())
      fail("topology", name + " is not read; FLAT, FAT_TREE, TORUS and DRAGONFLY are");
    const double latency = quantity("lat", times);
    const bool limited = cluster.attribute("limiter_link");
    Json n = {{"kind", ""},
              {"bandwidth_GBps", limited ? given(std::min(bandwidth(), quantity("limiter_link", bandwidths)),
                                                 "bw and limiter_link")
                                         : given(bandwidth(), "bw")},
              {"latency_us",
               sourced(latency / 2, "<cluster> in " + file + ": half of lat, at each end", "derived")},
              {"switch_latency_us", given(latency, "lat")}};
    n.merge_patch((this->*topology->second)());
    list_unread({"id", "prefix", "suffix", "radical", "bw", "lat", "topology", "topo_parameters",
                 "limiter_link", "router_id", name == "FLAT" ? "bb_lat" : ""});
    return n;
  }
};

/// The platform that our own export put into the file; null if there is none. The rest of the file was
/// derived from it.
Json enclosed(const pugi::xml_node& platform, const std::string& file) {
  const pugi::xpath_node prop = platform.select_node("zone/prop[@id='collcast']");
  if (!prop) return nullptr;
  const Json json = parse_json(prop.node().attribute("value").value());
  if (json.is_discarded()) reject(file, "<prop> collcast", "is no JSON");
  return json;
}

}  // namespace

Json from_simgrid(const pugi::xml_node& platform, const std::string& file) {
  if (Json own = enclosed(platform, file); !own.is_null()) return own;
  const pugi::xpath_node_set clusters = platform.select_nodes(".//cluster");
  if (clusters.size() != 1) {
    const std::map<std::string, int> elements = others(platform);
    reject(file, "",
           "must hold one <cluster>, the kind of zone that is read, not " + std::to_string(clusters.size()) +
               (elements.empty() ? "" : "; it holds " + listed(elements)));
  }
  const pugi::xml_node cluster = clusters.first().node();
  SimgridReader reader{file, cluster};
  const std::string guess = "the file does not say";
  const Json network = reader.network();
  Json notes = {"Imported from " + file + ". Costs of software and speeds of memory are not in the file."};
  if (network["kind"] == "dragonfly" && network["groups"] > 1)
    notes.push_back("The links between groups hang on other switches of a group than in SimGrid.");
  if (!reader.not_read.empty())
    notes.push_back(
        "Not read: " +
        text::join(reader.not_read, ", ", [](const Json& item) { return item.get<std::string>(); }) + ".");
  return {
      {"description", "Cluster " + std::string(cluster.attribute("id").as_string("?")) + ", from SimGrid"},
      {"notes", notes},
      {"max_nodes", reader.hosts()},
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
      {"network", network},
      {"protocol", {{"hold", "injection"}}}};
}

}  // namespace collcast

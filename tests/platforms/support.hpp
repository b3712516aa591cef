// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"
#include "support/json.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"

namespace collcast::testing {

/// A shipped platform with one place of its JSON changed, as if read from x.json.
inline Description edited(const std::string& platform, const std::string& pointer, const Json& value) {
  Json json = load_platform(platform).json();
  json[Json::json_pointer(pointer)] = value;
  return {"x", "x.json", std::move(json)};
}

/// Summit with software costs that tests can compute with by hand.
inline Description plain_summit() {
  return load_platform(COLLCAST_SOURCE_DIR "/tests/platforms/data/plain-summit.json");
}

/// A platform's links alone.
inline Description without_software(const Description& d) {
  Json json = d.json();
  json.erase("software");
  for (auto& device : json["devices"])
    for (const char* limit : {"gpudirect_read_GBps", "gpudirect_write_GBps"}) device.erase(limit);
  return {d.name(), d.file(), std::move(json)};
}

/// edr-cluster, a GPU and a port per node, on another network; `settings` as for --set, without "network.".
inline Description rewired(std::int64_t nodes, const std::vector<std::string>& settings) {
  Description d = load_platform("edr-cluster");
  std::vector<std::string> all = {"max_nodes=" + std::to_string(nodes)};
  for (const std::string& s : settings) all.push_back("network." + s);
  set_all(d, all);
  return d;
}
inline Description torus(std::int64_t nodes, const std::string& dimensions, int nodes_per_switch = 1) {
  return rewired(nodes, {"kind=torus", "dimensions=" + dimensions, "link_bandwidth_GBps=9",
                         "nodes_per_switch=" + std::to_string(nodes_per_switch)});
}
inline Description dragonfly(std::int64_t nodes, int groups, int switches, int cables = 1,
                             int nodes_per_switch = 1) {
  return rewired(nodes, {"kind=dragonfly", "groups=" + std::to_string(groups),
                         "switches_per_group=" + std::to_string(switches),
                         "links_between_groups=" + std::to_string(cables),
                         "nodes_per_switch=" + std::to_string(nodes_per_switch), "local_bandwidth_GBps=10",
                         "global_bandwidth_GBps=8", "global_latency_us=0.2"});
}
/// One of each kind and more, of all of which every node is in use.
inline std::vector<Description> networks() {
  return {torus(9, "3,3"),       torus(8, "2,2,2"),      torus(24, "4,3,2"),        torus(7, "7"),
          torus(8, "1,4,1", 2),  dragonfly(6, 3, 2),     dragonfly(27, 3, 3, 1, 3), dragonfly(20, 5, 4),
          dragonfly(6, 3, 2, 2), dragonfly(12, 4, 3, 4), dragonfly(4, 4, 1),        dragonfly(4, 1, 4)};
}

/// Those with more than one way between two switches, routed as Valiant does.
inline std::vector<Description> valiant_networks() {
  std::vector<Description> all = networks();
  for (Description& d : all) set(d, "network.routing=valiant");
  return all;
}

/// The dragonflies, whose packets take any way.
inline std::vector<Description> adaptive_networks() {
  std::vector<Description> all = networks();
  std::erase_if(all, [](const Description& d) { return d.json()["network"]["kind"] != "dragonfly"; });
  for (Description& d : all) set(d, "network.routing=adaptive");
  return all;
}

/// The shipped ones; those whose networks have a million links, as all are made that are asked for one,
/// smaller.
inline std::vector<Description> shipped_and_small() {
  std::vector<Description> all;
  for (const std::string& name : shipped_platforms()) {
    all.push_back(load_platform(name));
    if (name == "fugaku") set_all(all.back(), {"network.dimensions=2,3,2,4,3,4", "max_nodes=576"});
    if (name == "frontier") set_all(all.back(), {"network.groups=5", "max_nodes=640"});
  }
  return all;
}

inline Rank capped_ranks(const Description& d) {
  return static_cast<Rank>(std::min<std::int64_t>(max_ranks(d), 27648));
}

inline double us(Seconds s) {
  return s.value * 1e6;
}
inline double GBps(SecondsPerByte g) {
  return 1e-9 / g.value;
}

}  // namespace collcast::testing

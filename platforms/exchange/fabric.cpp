// SPDX-License-Identifier: Apache-2.0

#include "platforms/exchange/formats.hpp"

namespace collcast {

Json hosts_on_switches(const FoundHosts& found) {
  Json vertices = {{"cpu0", {{"kind", "cpu"}, {"device", "Xeon-6148"}}}}, links = Json::array();
  links.push_back({{"between", {"cpu0", "cpu0"}}, {"kind", "shared-memory"}});
  for (int n = 0; n < found.nics; ++n) {  // by a link that is not known, and so does not limit the ports
    vertices["nic" + std::to_string(n)] = {{"kind", "nic"}};
    links.push_back({{"between", {"nic" + std::to_string(n), "cpu0"}}, {"kind", "pcie5-x16"}});
  }
  Json network = {{"kind", found.levels.size() > 1 ? "fat-tree" : "single-switch"},
                  {"bandwidth_GBps", found.bandwidth},
                  {"latency_us", sourced(0.15, "adapter and cable, at each end: as on Summit", "guess")},
                  {"switch_latency_us", sourced(0.1, "the file does not say", "guess")}};
  if (found.levels.size() > 1) network["switch_ports"] = 4096, network["levels"] = found.levels;
  return {{"base", "gpu-cluster"},
          {"description", found.description},
          {"notes", found.notes},
          {"max_nodes", found.hosts},
          {"node", {{"vertices", vertices}, {"links", links}, {"ranks_on", {"cpu0"}}, {"ranks_per_node", 1}}},
          {"network", network}};
}

}  // namespace collcast

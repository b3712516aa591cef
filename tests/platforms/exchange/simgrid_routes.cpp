// SPDX-License-Identifier: Apache-2.0
// Loads a platform with SimGrid itself and prints hosts, links, and the latency and slowest link of a route.
#include <algorithm>
#include <cstdio>
#include <simgrid/s4u.hpp>

int main(int argc, char** argv) {
  simgrid::s4u::Engine engine(&argc, argv);
  engine.load_platform(argv[1]);
  std::printf("%zu hosts\n", engine.get_host_count());
  std::vector<simgrid::s4u::Link*> links;
  double latency = 0, slowest = 1e30;
  engine.host_by_name(argv[2])->route_to(engine.host_by_name(argv[3]), links, &latency);
  for (const auto* link : links) slowest = std::min(slowest, link->get_bandwidth());
  std::printf("%.4f us, %.4f GB/s\n", latency * 1e6, slowest * 1e-9);
}

// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/plausible.hpp"

#include <sstream>

#include "support/json.hpp"

namespace collcast {
namespace {

/// What parameters whose path begins and ends so have ever been: from the slowest Ethernet and the oldest GPU
/// to what is announced, with room.
struct Range {
  std::string_view begins, ends;
  double least, most;
  std::string_view what;
};
constexpr Range ranges[] = {
    {"network.local_", "bandwidth_GBps", 0.01, 5000,
     "what joins two switches"},  // of several cables, at times
    {"network.chassis_", "bandwidth_GBps", 0.01, 5000, "what joins two switches"},
    {"network.global_", "bandwidth_GBps", 0.01, 5000, "what joins two groups"},
    {"network.", "bandwidth_GBps", 0.01, 120, "a port or cable of a network"},  // 100 Mb/s to 800 Gb/s
    {"network.", "latency_us", 0, 1000, "a latency within a machine room"},
    {"node.link_kinds.", "bandwidth_GBps", 0.1, 5000, "a link within a node"},
    {"node.link_kinds.", "latency_us", 0, 100, "a link within a node"},
    {"devices.", "memory_bandwidth_GBps", 1, 20000, "a device's memory"},
    {"devices.", "reduce_GBps", 0.1, 20000, "a device's reduction"},
    {"devices.", "memory_GiB", 0.1, 20000, "a device's memory"},
    {"devices.", "_TFLOPS", 0.001, 50000, "a device"},
    {"software.", "_GBps", 0.0001, 5000, "a copy or a message"},
    {"software.", "_us", 0, 10000, "a message's software"},
    {"protocol.", "_us", 0, 10000, "a handshake"},
};

std::string short_number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string sentence(const Parameter& p, const Range& range) {
  const bool more = p.value > range.most;
  std::string words = p.path + " = " + short_number(p.value) + " is " + (more ? "more" : "less") + " than " +
                      std::string(range.what) + " has ever had (" +
                      short_number(more ? range.most : range.least) + ")";
  if (more && p.unit == "GBps")
    words += "; GB are bytes: " + short_number(p.value) + " Gb/s are " + short_number(p.value / 8) + " GB/s";
  return words;
}

}  // namespace

std::vector<std::string> implausible(const Description& description) {
  std::vector<std::string> found;
  const Json& network = description.json()["network"];
  const bool feeds_links = network.value("kind", "") == "torus" && network.contains("link_bandwidth_GBps");
  for (const Parameter& p : description.parameters())
    for (const Range& range : ranges)
      if (p.path.starts_with(range.begins) && p.path.ends_with(range.ends)) {
        if (feeds_links && p.path == "network.bandwidth_GBps") break;  // it is that of several links
        if (p.value < range.least || p.value > range.most) found.push_back(sentence(p, range));
        break;
      }
  return found;
}

}  // namespace collcast

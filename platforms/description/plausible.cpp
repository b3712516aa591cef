// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/plausible.hpp"

#include "platforms/description/pieces.hpp"
#include "support/decimal.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// The values that parameters have ever had whose path begins and ends like this: from the slowest Ethernet
/// and the oldest GPU to what is announced, with some room.
struct Range {
  std::string_view begins, ends;
  double least, most;
  std::string_view what;
};
constexpr Range ranges[] = {
    {"network.local_", "bandwidth_GBps", 0.01, 5000,
     "what joins two switches"},  // which may be several cables
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
  return decimal::shortened(value, 6);
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

/// Whether a piece charges less than the one before it. Only compared if both have a bandwidth of their own,
/// or neither has.
bool falls(const Json& software, std::size_t piece) {
  constexpr double rounding = 1e-3;
  const auto before = piece > 0 ? std::optional(piece - 1) : std::nullopt;
  const auto has_pace = [&](std::optional<std::size_t> i) {
    return software.contains("bandwidth_GBps") || (i && software["pieces"][*i].contains("bandwidth_GBps"));
  };
  if (has_pace(before) != has_pace(piece)) return false;
  const double from = begin_of_piece(software, piece);
  const MessageCosts ends = message_costs(software, before, from),
                     begins = message_costs(software, piece, from);
  const auto less = [](double a, double b) { return a < b * (1 - rounding); };
  return less(begins.hold, ends.hold) || less(begins.alone, ends.alone) ||
         less(begins.overhead, ends.overhead) || less(begins.receive_overhead, ends.receive_overhead);
}

void tell_falls(const Json& software, const std::string& path, std::vector<std::string>& found) {
  for (std::size_t i = 0; i < software["pieces"].size(); ++i)
    if (falls(software, i))
      found.push_back(path + ": messages from " + text::bytes(begin_of_piece(software, i)) +
                      " on cost less than smaller ones: a larger message may be forecast to be faster");
}

}  // namespace

std::vector<std::string> implausible(const Description& description) {
  std::vector<std::string> found;
  const Json& network = description.json()["network"];
  const bool torus = network.value("kind", "") == "torus";
  const bool feeds_links = torus && network.contains("link_bandwidth_GBps");
  for (const Parameter& p : description.parameters())
    for (const Range& range : ranges)
      if (p.path.starts_with(range.begins) && p.path.ends_with(range.ends)) {
        if (feeds_links && p.path == "network.bandwidth_GBps") break;  // the port feeds several links at once
        if (p.value < range.least || p.value > range.most) found.push_back(sentence(p, range));
        break;
      }
  if (torus && network.contains("in_network_reduction"))
    found.push_back(
        "network.in_network_reduction: no torus has had switches that reduce; null in a file drops what its "
        "base has");
  const Json software = description.json().value("software", Json::object());
  for (const char* way : {"in_node", "across_sockets", "between_nodes"}) {
    const Json memories = software.value(way, Json::object());
    for (const auto& [memory, costs] : memories.items())
      if (costs.contains("pieces")) tell_falls(costs, std::string("software.") + way + "." + memory, found);
  }
  for (std::string& words : found) words.insert(0, description.name() + ": ");
  return found;
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "cli/platform_summary.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "cli/output.hpp"
#include "platforms/description/calibrated_on.hpp"
#include "platforms/machine/listing.hpp"
#include "support/decimal.hpp"
#include "support/wrap.hpp"

namespace collcast::cli {

std::string compact(double value) {
  return decimal::shortened(value, 6);
}

namespace {

/// The value of the parameter at `key`, "12.5 GB/s"; empty if the object lacks it.
std::string value(const Json& object, const char* key, const char* unit) {
  return object.contains(key) ? compact(object[key]["value"]) + " " + unit : "";
}

std::string enumerated(const std::vector<std::string>& parts, const char* separator = ", ") {
  std::string all;
  for (const std::string& part : parts)
    if (!part.empty()) all += (all.empty() ? "" : separator) + part;
  return all;
}

/// Lines of two columns, the second wrapped.
struct Lines {
  std::string text;
  void add(std::string name, const std::string& words) {
    if (words.empty()) return;
    name.resize(14, ' ');
    text += "  " + name;
    for (const char c : wrap(words, 64)) text += c == '\n' ? "\n" + std::string(16, ' ') : std::string(1, c);
    text += '\n';
  }
};

std::string spaced(std::string text) {
  for (char& c : text) c = c == '_' ? ' ' : c;
  return text;
}

/// The devices of the vertices of one kind: "6 x V100-SXM2-16GB (volta; 16 GiB, 900 GB/s)".
std::string devices(const Json& platform, const char* kind) {
  std::map<std::string, int> count;
  for (const Json& v : platform["node"]["vertices"])
    if (v["kind"] == kind) ++count[v.value("device", "")];
  std::vector<std::string> parts;
  for (const auto& [name, n] : count) {
    const Json device = platform.value("devices", Json::object()).value(name, Json::object());
    const std::string known = enumerated({device.value("generation", ""), value(device, "memory_GiB", "GiB"),
                                          value(device, "memory_bandwidth_GBps", "GB/s")});
    parts.push_back(std::to_string(n) + (name.empty() ? "" : " x " + name) +
                    (known.empty() ? "" : " (" + known + ")"));
  }
  return enumerated(parts);
}

void add_links(Lines& lines, const Json& node) {
  std::map<std::string, int> count;
  for (const Json& l : node.value("links", Json::array())) count[l["kind"]] += l.value("count", 1);
  bool first = true;
  const Json kinds = node.value("link_kinds", Json::object());
  for (const auto& [name, kind] : kinds.items()) {
    if (!count.contains(name)) continue;
    lines.add(std::exchange(first, false) ? "links" : "",
              std::to_string(count[name]) + " x " + name + ": " +
                  enumerated({value(kind, "bandwidth_GBps", "GB/s"), value(kind, "latency_us", "us")}));
  }
}

void add_network(Lines& lines, const Json& network) {
  const auto number = [&](const char* key, const char* what) {
    return network.contains(key) ? what + std::string(" ") + dump(network[key]) : "";
  };
  std::vector<std::string> sides;
  for (const Json& d : network.value("dimensions", Json::array())) sides.push_back(dump(d));
  lines.add(
      "network",
      enumerated(
          {network["kind"], value(network, "bandwidth_GBps", "GB/s a port"),
           value(network, "latency_us", "us"), value(network, "switch_latency_us", "us a switch"),
           enumerated(sides, " x "), number("groups", "groups:"),
           number("switches_per_group", "switches a group:"), number("chassis_per_group", "chassis a group:"),
           number("nodes_per_switch", "nodes a switch:"), number("switches_per_node", "switches a node:"),
           number("links_between_groups", "links between groups:"), network.value("routing", ""),
           number("routing_seed", "seed")}));
  if (network["kind"] != "fat-tree") return;
  std::vector<std::string> levels;
  for (const Json& l : network.value("levels", Json::array()))
    levels.push_back(
        l["name"].get<std::string>() + " " + std::to_string(l["down"].get<int>()) + " down" +
        (l.contains("up") ? " " + std::to_string(l["up"].get<int>()) + " up" : "") +
        (l.contains("cables") ? " of " + std::to_string(l["cables"].get<int>()) + " cables" : ""));
  lines.add("levels", enumerated(levels, "; "));
}

std::string capabilities(const Json& platform) {
  std::vector<std::string> parts;
  const bool textbook = platform["network"]["kind"] == "uniform";  // has both, whatever it states
  for (const std::string where : {"node", "network"})
    for (const char* what : {"multicast", "in_network_reduction"})
      if (platform[where].contains(what) || (textbook && where == "network"))
        parts.push_back(spaced(what) + " in the " + where);
  return enumerated(parts);
}

std::string software(const Json& platform) {
  std::vector<std::string> parts;
  const Json all = platform.value("software", Json::object());
  for (const auto& [name, costs] : all.items()) {
    std::vector<std::string> curves;
    for (const auto& [memory, curve] : costs.items())
      if (curve.is_object() && curve.contains("pieces")) curves.push_back(spaced(memory));
    parts.push_back(spaced(name) + (curves.empty() ? "" : " (a curve of " + enumerated(curves, ", ") + ")"));
  }
  return enumerated(parts);
}

/// The storage in words: "alpine (gpfs of all nodes: 2500 GB/s read, 2500 GB/s written)".
std::string storage(const Json& platform) {
  std::vector<std::string> parts;
  const Json all = platform.value("storage", Json::object());
  for (const auto& [name, s] : all.items())
    parts.push_back(name + " (" + s["kind"].get<std::string>() +
                    (s["reach"] == "shared" ? " of all nodes: " : " of each node: ") +
                    enumerated({value(s, "read_GBps", "GB/s read"), value(s, "write_GBps", "GB/s written"),
                                value(s, "opens_Hz", "files opened a second"),
                                value(s, "target_GBps", "GB/s a stripe"), value(s, "capacity_TB", "TB")}) +
                    ")");
  return enumerated(parts);
}

/// The library that sends between the platform's GPUs.
std::string library(const Json& platform) {
  if (devices(platform, "gpu").empty() || !platform.contains("library")) return "";
  const Json& l = platform["library"];
  return l["value"].get<std::string>() + " (" + l["stamp"].get<std::string>() + ": " +
         l["source"].get<std::string>() + ")";
}

std::string stamps(const Description& d) {
  std::map<Stamp, int> count;
  for (const Parameter& p : d.parameters()) ++count[p.stamp];
  std::vector<std::string> parts;
  for (const auto& [stamp, n] : count) parts.push_back(std::to_string(n) + " " + to_string(stamp));
  return enumerated(parts);
}

/// The path of a piece's parameter up to "pieces"; empty for other paths.
std::string curve_of(const std::string& path) {
  const std::size_t at = path.find(".pieces.");
  return at == std::string::npos ? "" : path.substr(0, at + 7);
}

}  // namespace

std::string platform_summary(const Description& d) {
  const Json& platform = d.json();
  const PlatformSummary about = summary(d);
  Lines lines{about.name + ": " + about.description + "\n\n"};
  const int ranks = platform["node"]["ranks_per_node"];
  lines.add("nodes", "up to " + count(platform["max_nodes"].get<std::int64_t>()) + ", of " + count(ranks) +
                         (ranks == 1 ? " rank" : " ranks") + " each: " + count(about.max_ranks) +
                         (about.max_ranks == 1 ? " rank" : " ranks"));
  lines.add("GPUs", devices(platform, "gpu"));
  lines.add("CPUs", devices(platform, "cpu"));
  lines.add("DPUs", devices(platform, "dpu"));
  lines.add("NICs", devices(platform, "nic"));
  add_links(lines, platform["node"]);
  add_network(lines, platform["network"]);
  lines.add("switches can", capabilities(platform));
  lines.add("messages", enumerated({value(platform["protocol"], "eager_limit_KiB", "KiB eager limit"),
                                    value(platform["protocol"], "handshake_us", "us handshake")}));
  lines.add("software", software(platform));
  lines.add("storage", storage(platform));
  lines.add("library", library(platform));
  lines.add("numbers", stamps(d));
  for (const CalibratedOn& on : calibrated_on(d)) lines.add("calibrated on", on.text());
  const Json& network = platform["network"];
  const auto only = [](bool if_so, const char* words) { return std::string(if_so ? words : ""); };
  const std::string examples =
      enumerated({only(network.contains("bandwidth_GBps"), "network.bandwidth_GBps=25"),
                  enumerated({only(!devices(platform, "nic").empty(), "node.nics"),
                              only(!devices(platform, "gpu").empty(), "node.gpus"),
                              only(network["kind"] == "fat-tree", "network.levels.0.up")})},
                 "; ");
  lines.add("--set takes", "any parameter below and those left out" +
                               std::string(examples.empty() ? "" : ", e.g. ") + examples);
  return lines.text;
}

std::vector<Parameter> folded(const std::vector<Parameter>& parameters) {
  std::vector<Parameter> all;
  std::map<std::string, std::pair<std::size_t, int>> curves;  // row of a curve, and its largest piece
  for (const Parameter& p : parameters) {
    const std::string curve = curve_of(p.path);
    if (curve.empty()) {
      all.push_back(p);
      continue;
    }
    const int piece = std::stoi(p.path.substr(curve.size() + 1));
    const auto [found, is_new] = curves.try_emplace(curve, all.size(), piece);
    if (is_new) all.push_back(p), all.back().path = curve;
    Parameter& row = all[found->second.first];
    found->second.second = std::max(found->second.second, piece);
    row.stamp = std::max(row.stamp, p.stamp);
    row.value = found->second.second + 1;
    row.unit = "pieces";
  }
  return all;
}

}  // namespace collcast::cli

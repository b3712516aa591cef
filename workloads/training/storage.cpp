// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/storage.hpp"

#include <algorithm>
#include <vector>

#include "platforms/description/blueprint.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast::workloads {
namespace {

/// The value of a parameter of an object; 0 if it has none.
double value_of(const Json& object, const char* key) {
  return object.contains(key) ? object[key]["value"].get<double>() : 0;
}

BytesPerSecond rate_of(const Json& object, const char* key) {
  return BytesPerSecond(value_of(object, key) * 1e9);
}

/// The storage of all of a node's vertices of a kind, added up.
Storage of_node(const Description& platform, const char* kind, const std::string& name) {
  const Json& json = platform.json();
  const Json devices = json.value("devices", Json::object());
  Storage s{.name = name, .shared = false};
  for (const Json& v : json["node"]["vertices"]) {
    if (v["kind"] != kind) continue;
    const Json device = devices.value(v.value("device", ""), Json::object());
    const double count = v.value("count", 1);
    s.read += count * rate_of(device, "read_GBps"), s.write += count * rate_of(device, "write_GBps");
    s.capacity += count * (Bytes(1e12 * value_of(device, "capacity_TB")) +
                           Bytes(1073741824 * value_of(device, "memory_GiB")));
  }
  return s;
}

/// The ratio of two rates; 1 if there is no rate.
double ratio(BytesPerSecond end, BytesPerSecond here) {
  return here.value > 0 ? end / here : 1;
}

Storage of_entry(const Json& entry, const std::string& name) {
  return {.name = name,
          .shared = entry["reach"] == "shared",
          .read = rate_of(entry, "read_GBps"),
          .write = rate_of(entry, "write_GBps"),
          .opens = value_of(entry, "opens_Hz"),
          .target = rate_of(entry, "target_GBps"),
          .capacity = Bytes(1e12 * value_of(entry, "capacity_TB"))};
}

}  // namespace

namespace {

Storage as_stated(const Description& platform, const std::string& name, const std::string& who) {
  const Json entries = platform.json().value("storage", Json::object());
  if (entries.contains(name)) return of_entry(entries[name], name);
  const Storage drives = of_node(platform, "nvme", "nvme");
  if (name == "nvme" && drives.capacity > Bytes()) return drives;
  if (name == "ram") {
    Storage memory = of_node(platform, "cpu", "ram");
    memory.read = memory.write = {};
    return memory;
  }
  std::vector<std::string> known;
  for (const auto& [key, unused] : entries.items()) known.push_back(key);
  if (drives.capacity > Bytes() && !entries.contains("nvme")) known.emplace_back("nvme");
  known.emplace_back("ram");
  throw InputError(who + ": " + platform.name() + " has no storage '" + name + "'; it has " +
                   text::join(known));
}

/// What a node's ports to the network carry one way; 0 where there is no network.
BytesPerSecond through_ports(const Description& platform) {
  const Blueprint& b = read_blueprint(platform);
  const std::size_t ports = std::max<std::size_t>(1, b.of_kind(Blueprint::Vertex::Kind::nic).size());
  return b.bandwidth ? BytesPerSecond(static_cast<double>(ports) * b.bandwidth->value * 1e9)
                     : BytesPerSecond();
}

}  // namespace

Storage storage(const Description& platform, const std::string& name, const std::string& who) {
  Storage here = as_stated(platform, name, who);
  const Storage slow = as_stated(pessimistic(platform), name, who),
                fast = as_stated(optimistic(platform), name, who);
  here.least = std::min(ratio(slow.read, here.read), ratio(slow.write, here.write));
  here.most = std::max(ratio(fast.read, here.read), ratio(fast.write, here.write));
  return here;
}

Adapters adapters_of_node(const Description& platform) {
  const BytesPerSecond here = through_ports(platform);
  return {.rate = here,
          .least = ratio(through_ports(pessimistic(platform)), here),
          .most = ratio(through_ports(optimistic(platform)), here)};
}

}  // namespace collcast::workloads

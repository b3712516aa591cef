// SPDX-License-Identifier: Apache-2.0
#include "validation/testbed/switch/description.hpp"

#include <set>

#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"

namespace collcast::testbed {
namespace {

const std::set<std::string> keys = {"namespaces",  "racks", "queue",     "rate_GBps", "latency_us",
                                    "uplink_GBps", "loss",  "multicast", "mtu"};

void must_hold(bool holds, const std::string& what) {
  if (!holds) throw InputError(what);
}

Description read(const Json& j) {
  for (const auto& [key, value] : j.items()) must_hold(keys.contains(key), "unknown key '" + key + "'");
  Description d;
  d.namespaces = j.at("namespaces").get<std::vector<std::string>>();
  d.rate = BytesPerSecond(j.at("rate_GBps").get<double>() * 1e9);
  d.uplink = BytesPerSecond(j.at("uplink_GBps").get<double>() * 1e9);
  d.latency = Seconds(j.at("latency_us").get<double>() * 1e-6);
  d.loss = j.at("loss").get<double>();
  d.multicast = j.at("multicast").get<bool>();
  d.mtu = j.at("mtu").get<std::size_t>();
  const auto racks = j.at("racks").get<std::size_t>();
  const auto queue = j.at("queue").get<std::string>();
  must_hold(d.namespaces.size() >= 2 && d.namespaces.size() <= 1000,
            "namespaces: 2 to 1000 hosts are possible");
  must_hold(racks >= 1 && d.namespaces.size() % racks == 0, "racks must divide the hosts");
  must_hold(d.rate.value > 0 && d.uplink.value > 0, "rate_GBps and uplink_GBps must be positive");
  must_hold(d.latency.value >= 0, "latency_us must not be negative");
  must_hold(d.loss >= 0 && d.loss < 1, "loss must be at least 0 and less than 1");
  must_hold(d.mtu >= 576 && d.mtu <= 65000, "mtu must be from 576 to 65000");
  must_hold(queue == "fifo" || queue == "round-robin", "queue must be fifo or round-robin");
  d.racks = static_cast<Host>(racks);
  d.queue = queue == "fifo" ? Discipline::fifo : Discipline::round_robin;
  return d;
}

}  // namespace

Description describe(const std::string& file) {
  const Json json = parse_json(read_file(file), file);
  try {
    return read(json);
  } catch (const Json::exception& e) {
    throw InputError(file + ": " + e.what());
  } catch (const InputError& e) {
    throw InputError(file + ": " + e.what());
  }
}

}  // namespace collcast::testbed

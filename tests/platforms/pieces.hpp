// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/description/load.hpp"
#include "support/json.hpp"

namespace collcast::testing {

/// `base` with software whose costs depend on the size; larger messages never take less, nor occupy a port
/// for less.
inline Description with_pieces(const std::string& base) {
  auto p = [](double value) { return Json{{"value", value}, {"source", "a test"}, {"stamp", "measured"}}; };
  Json json = load_platform(base).json();
  json["protocol"] = {{"hold", "injection"}, {"eager_limit_KiB", p(8)}, {"handshake_us", p(2)}};
  const Json between = {
      {"overhead_us", p(1)},
      {"latency_us", p(3)},
      {"gap_us", p(0.5)},
      {"bandwidth_GBps", p(1)},
      {"pieces",
       // 4 KiB take 4.096 us at 1 GB/s, 3.072 us more than at 4 GB/s; 64 KiB at that 9.103 us more than at 9.
       Json::array({{{"from_KiB", p(4)},
                     {"overhead_us", p(1.5)},
                     {"latency_us", p(6.1)},
                     {"gap_us", p(3.6)},
                     {"bandwidth_GBps", p(4)}},
                    {{"from_KiB", p(64)},
                     {"latency_us", p(17)},
                     {"gap_us", p(13)},
                     {"receive_overhead_us", p(2)},
                     {"bandwidth_GBps", p(9)}}})}};
  const Json in_node = {{"overhead_us", p(0.5)},
                        {"eager_limit_KiB", p(4)},
                        {"handshake_us", p(1)},
                        {"pieces", Json::array({{{"from_KiB", p(1)}, {"gap_us", p(0.25)}}})}};
  const Json across = {{"overhead_us", p(0.75)}, {"bandwidth_GBps", p(6)}};
  json["software"] = {
      {"in_node", {{"device", in_node}, {"host", in_node}}},
      {"across_sockets", {{"device", across}}},
      {"between_nodes", {{"device", between}, {"host", between}}},
      {"copy",
       {{"overhead_us", p(1)}, {"pieces", Json::array({{{"from_KiB", p(32)}, {"overhead_us", p(2)}}})}}}};
  return {base + "-with-pieces", base + "-with-pieces.json", std::move(json)};
}

}  // namespace collcast::testing

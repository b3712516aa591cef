// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/pieces.hpp"

#include <algorithm>

namespace collcast {
namespace {

constexpr double us_per_byte_and_GBps = 1e-3;

}  // namespace

double begin_of_piece(const Json& software, std::size_t piece) {
  return 1024 * software["pieces"][piece]["from_KiB"]["value"].get<double>();
}

MessageCosts message_costs(const Json& software, std::optional<std::size_t> piece, double bytes,
                           double links_GBps) {
  const auto value = [&](const char* key, double otherwise) {
    if (piece && software["pieces"][*piece].contains(key))
      return software["pieces"][*piece][key]["value"].get<double>();
    return software.contains(key) ? software[key]["value"].get<double>() : otherwise;
  };
  const auto time = [&](double GBps) { return bytes * us_per_byte_and_GBps / GBps; };
  const double overhead = value("overhead_us", 0), receive = value("receive_overhead_us", 0),
               latency = value("latency_us", 0);
  const double port = time(std::min(links_GBps, value("bandwidth_GBps", HUGE_VAL)));
  const bool rendezvous =
      piece && software.contains("eager_limit_KiB") &&
      begin_of_piece(software, *piece) / 1024 > software["eager_limit_KiB"]["value"].get<double>();
  return {overhead, receive, latency, value("gap_us", 0) + port,
          overhead + receive + (rendezvous ? value("handshake_us", 0) : 0) + latency + port +
              time(value("copy_GBps", HUGE_VAL))};
}

}  // namespace collcast

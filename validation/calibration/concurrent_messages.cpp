// SPDX-License-Identifier: Apache-2.0
#include "validation/calibration/concurrent_messages.hpp"

#include <algorithm>

#include "validation/calibration/hardware.hpp"

namespace collcast {
namespace {

/// So many messages of windows, in all and of each pair, are enough to see the time between two messages.
constexpr int shown = 256, shown_of_each = 8;
/// The reply that ends a window of osu_bw.
const Bytes reply(4);

Star alone(const Measurement& m, const PathFit& fit) {
  Star star;
  star.message = m.message;
  star.lone = fit.latency(m.message);
  star.per_byte = fit.per_byte(m.message);
  return star;
}

Star star_of(const Measurement& m, const PathFit& fit) {
  Star star = alone(m, fit);
  star.way = m.timing == Timing::fan_out  ? Star::Way::out
             : m.timing == Timing::fan_in ? Star::Way::in
                                          : Star::Way::both;
  star.peers = m.ranks - 1;
  star.window = m.window;
  star.time = m.time;
  return star;
}

/// Half a round trip of the reply; if none was measured for it, that of the shortest measured message.
Seconds reply_time(const PathFit& fit) {
  if (fit.knows_latency(reply)) return fit.latency(reply);
  const auto known = [](const PathPiece& p) { return p.fixed.has_value(); };
  return fit.latency(std::ranges::find_if(fit.pieces, known)->first);
}

/// A window, or its first messages, as a star, without the reply at its end.
std::optional<Star> window_of(const Description& platform, const Measurement& m, const PathFit& fit) {
  const bool both = m.timing == Timing::both_ways_bandwidth;
  if (m.window < 2 || (both && m.pairs > 1)) return std::nullopt;
  Star star = alone(m, fit);
  star.way = both ? Star::Way::both : Star::Way::pairs;
  const int pairs = pairs_per_node(m);
  star.peers = m.pairs == 1 ? 1 : std::max(1, pairs / nics_used(platform, pairs, *m.from));
  star.window = std::min(m.window, std::max(shown_of_each, shown / star.peers));
  const Seconds between = (m.window * m.time - star.lone - reply_time(fit)) / (m.window - 1);
  if (between < 0.5 * m.time) return std::nullopt;
  star.time = (star.window - 1) * between + star.lone;
  return star;
}

}  // namespace

int pairs_per_node(const Measurement& m) {
  const int senders = std::max(1, m.nodes / 2);
  return m.nodes > 1 ? (m.pairs + senders - 1) / senders : m.pairs;
}

bool says_together(const Measurement& m, const PathFit& fit, Bytes longest) {
  return m.message <= longest && fit.knows_latency(m.message);
}

Bytes longest_lone(const PathMeasurements& tables) {
  Bytes longest;
  for (const Measurement& m : tables.latency) longest = std::max(longest, m.message);
  return longest;
}

std::vector<Star> concurrent_messages(const Description& platform, const PathMeasurements& tables,
                                      const PathFit& fit) {
  const Bytes longest = longest_lone(tables);
  std::vector<Star> all;
  for (const Measurement& m : tables.stars)
    if (says_together(m, fit, longest)) all.push_back(star_of(m, fit));
  const auto add = [&](const std::vector<Measurement>& windows) {
    for (const Measurement& m : windows)
      if (m.timing != Timing::latency && says_together(m, fit, longest))
        if (const auto star = window_of(platform, m, fit)) all.push_back(*star);
  };
  add(tables.both_ways);
  add(tables.more_pairs);
  if (!all.empty()) add(tables.messages);
  return all;
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "validation/calibration/rising.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "platforms/description/pieces.hpp"
#include "validation/calibration/parameters.hpp"

namespace collcast {
namespace {

/// Rounded up to four digits, as many as parameters have.
double rounded_up(double value) {
  if (value < 1e-9) return 0;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  return std::ceil(value / unit - 1e-9) * unit;
}

using Piece = std::optional<std::size_t>;  // none: the smallest messages

/// Adds to a time of one piece, and to both ends of its interval.
void add(Json& software, Piece piece, const char* key, double us) {
  constexpr double nothing = 1e-9;  // a femtosecond
  if (std::abs(us) < nothing) return;
  Json& own = piece ? software["pieces"][*piece] : software;
  if (piece && !own.contains(key) && software.contains(key)) own[key] = software[key];
  if (!own.contains(key)) {
    if (us < 0) return;  // nothing to shorten
    const Json& from = own["from_KiB"];
    own[key] = {{"value", 0.0}, {"source", from["source"]}, {"stamp", from["stamp"]}};
  }
  Json& cost = own[key];
  const auto changed = [&](const char* field) {
    const Json& known = cost.contains(field) ? cost[field] : cost["value"];
    return rounded_up(known.get<double>() + us);
  };
  cost = calibrated_within(changed("value"), changed("low"), changed("high"), cost["source"]);
}

Piece before(std::size_t piece) {
  return piece > 0 ? Piece(piece - 1) : std::nullopt;
}

/// If an overhead hides a gap, no stream tells it: it may be as short as that of larger messages.
void shorten_hidden_gaps(Json& software, double links_GBps) {
  constexpr double rounding = 1e-3;
  for (std::size_t i = software["pieces"].size(); i-- > 0;) {
    const double from = begin_of_piece(software, i);
    const MessageCosts ends = message_costs(software, before(i), from, links_GBps);
    const double excess = ends.hold - message_costs(software, i, from, links_GBps).hold;
    const double gap = message_costs(software, before(i), 0, links_GBps).hold;
    const bool hidden = gap <= (1 + rounding) * std::max(ends.overhead, ends.receive_overhead);
    if (hidden && excess > 0) add(software, before(i), "gap_us", -excess);
  }
}

/// Raises overheads to at least those of smaller messages. The rise is taken from the latency, then from the
/// other overhead, so that a lone message takes as long as before if possible.
void raise_overheads(Json& software, std::size_t piece, const MessageCosts& least, const MessageCosts& own) {
  double sends = std::max(own.overhead, least.overhead);
  double receives = std::max(own.receive_overhead, least.receive_overhead);
  double beyond = sends + receives - own.overhead - own.receive_overhead - own.latency;
  for (const auto& [overhead, enough] :
       {std::pair(&receives, least.receive_overhead), std::pair(&sends, least.overhead)}) {
    const double cut = std::clamp(beyond, 0.0, *overhead - enough);
    *overhead -= cut, beyond -= cut;
  }
  add(software, piece, "overhead_us", sends - own.overhead);
  add(software, piece, "receive_overhead_us", receives - own.receive_overhead);
}

}  // namespace

void let_rise(Json& software, SecondsPerByte links) {
  if (!software.contains("pieces")) return;
  const double links_GBps = 1e-9 / links.value;
  shorten_hidden_gaps(software, links_GBps);
  for (std::size_t i = 0; i < software["pieces"].size(); ++i) {
    const double from = begin_of_piece(software, i);
    const auto own = [&] { return message_costs(software, i, from, links_GBps); };
    const MessageCosts least = message_costs(software, before(i), from, links_GBps), fitted = own();
    raise_overheads(software, i, least, fitted);
    add(software, i, "gap_us", std::max(0.0, least.hold - fitted.hold));
    add(software, i, "latency_us", std::max(fitted.alone, least.alone) - own().alone);
  }
}

}  // namespace collcast

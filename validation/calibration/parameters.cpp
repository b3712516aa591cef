// SPDX-License-Identifier: Apache-2.0
#include "validation/calibration/parameters.hpp"

#include <algorithm>
#include <cmath>

#include "support/decimal.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

/// The least size that is not empty: a share of a small message may be less than a byte.
const Bytes not_empty(0.01024);
/// Copies as fast as this show in no table.
constexpr double no_copies_GBps = 5000;

double rounded(double value) {
  if (value == 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 3);
  return decimal::rounded(std::round(value / unit) * unit, 12);
}

double uncertainty(double value, double deviation) {
  return 2 * std::hypot(deviation, between_runs * value);
}

Json time_us(Seconds value, Seconds deviation, const std::string& source) {
  if (value < Seconds(1e-15)) value = {};  // rounding
  return calibrated(value.value * 1e6, deviation.value * 1e6, source);
}

/// The slower of the fitted pace and the links'.
SecondsPerByte pace(const PathPiece& piece, const Hardware& hardware) {
  return std::max(piece.per_byte.value, hardware.per_byte);
}

/// Whether the piece's bytes are faster than the links allow, because they pass while an overhead is paid.
bool hidden(const PathPiece& piece, const Hardware& hardware) {
  return piece.gap && piece.per_byte.value + 2 * piece.per_byte.deviation < hardware.per_byte;
}

/// Whether the base's bandwidth is below anything that the piece allows.
bool is_too_slow(const Json& base, const PathPiece& piece) {
  return base.contains("bandwidth_GBps") &&
         SecondsPerByte(1e-9 / base["bandwidth_GBps"]["value"].get<double>()) >
             piece.per_byte.value + 2 * piece.per_byte.deviation;
}

Json bandwidth_GBps(const PathPiece& piece, const Hardware& hardware, const std::string& source) {
  const Estimate<SecondsPerByte>& fitted = piece.per_byte;
  const double value = pace(piece, hardware).value;
  const double off = uncertainty(value, fitted.deviation.value);
  const double fast = std::max(value - off, 0.5 * value), slow = std::min(value + off, 2 * value);
  return calibrated_within(1e-9 / value, 1e-9 / slow, 1e-9 / fast, source);
}

/// Where rendezvous begins: at the first jump of the fixed costs. The handshake is the height of the jump.
struct Rendezvous {
  Bytes from = Bytes(HUGE_VAL);
  Seconds handshake;
};

Rendezvous rendezvous(const PathFit& fit, const Hardware& hardware) {
  constexpr double jump = 1.5, small = 512;
  Rendezvous found;
  for (std::size_t i = 1; i < fit.pieces.size(); ++i) {
    const PathPiece &before = fit.pieces[fit.pieces[i - 1].bridge ? i - 2 : i - 1], &after = fit.pieces[i];
    if (after.bridge || !before.fixed || !after.fixed || after.from < Bytes(small)) continue;
    const Seconds rise = after.fixed->value - before.fixed->value;
    const bool jumps = after.fixed->value > jump * before.fixed->value &&
                       fit.latency(after.first) > fit.latency(before.last);
    if (!std::isinf(found.from.value) || !jumps) continue;
    found = {after.from, rise};
  }
  for (const PathPiece& piece : fit.pieces)
    if (piece.from >= found.from && piece.fixed)
      found.handshake = std::clamp(piece.fixed->value - hardware.latency, Seconds(), found.handshake);
  return found;
}

/// The overheads in a lone message's fixed cost, and the gap that keeps the next message waiting.
struct Shares {
  StarCost overhead, receive_overhead;
  std::optional<StarCost> gap;
};

std::optional<StarCost> gap_of(const PathPiece& piece) {
  if (!piece.gap) return std::nullopt;
  return StarCost{piece.gap->value.value, piece.gap->deviation.value, true};
}

/// The longest overhead that a stream allows: the gap; or as much as `below`, that of shorter messages, if
/// the time of its bytes hides a gap.
Seconds most_overhead(const PathPiece& streamed, Seconds below) {
  const Estimate<Seconds>& gap = *streamed.gap;
  const Seconds hidden = gap.value > 2 * gap.deviation ? Seconds() : streamed.first * streamed.per_byte.value;
  return std::max(gap.value, std::min(below, gap.value + hidden));
}

/// Splits `rest`, the time beyond links and handshake. The overhead is at most half of it, and at most what
/// the stream allows. Messages that were not streamed, such as empty ones, are taken to leave at the pace of
/// the next longer ones.
Shares shares(const PathPiece& piece, Seconds rest, const PathPiece* streamed, Seconds below,
              const Hardware& hardware) {
  if (hidden(piece, hardware)) {  // only the overhead keeps messages waiting
    const StarCost sends{std::min(piece.gap->value, rest).value, piece.gap->deviation.value, true};
    const StarCost receives{std::min(piece.gap->value, rest - Seconds(sends.value)).value, sends.deviation,
                            true};
    return {sends, receives, StarCost{0, 0, true}};
  }
  Seconds overhead = 0.5 * rest;
  if (streamed) overhead = std::min(overhead, most_overhead(*streamed, below));
  if (piece.bridge) overhead = std::min(overhead, below);
  const StarCost each{overhead.value, 0, true};
  return {each, each, gap_of(piece)};
}

/// The shares by stars. If the gap between a window's messages is no longer than the overheads, it comes from
/// these.
Shares shares(const PathPiece& piece, Seconds rest, const StarFit& star_fit) {
  const auto at_most = [](StarCost cost, double most) {
    if (cost.value > most) cost.value = most, cost.determined = true;
    return cost;
  };
  const StarCost sends = at_most(star_fit.overhead, rest.value);
  const StarCost receives = at_most(star_fit.receive_overhead, rest.value - sends.value);
  const std::optional<StarCost> gap = gap_of(piece);
  const bool own = gap && gap->value > 1.1 * std::max(sends.value, receives.value);
  return {sends, receives, own ? gap : at_most(star_fit.gap, gap ? gap->value : star_fit.gap.value)};
}

/// LogGP's costs of one piece; `otherwise` has the costs that the table does not tell. `below`: in, the
/// overhead of shorter messages; out, that of these.
Json costs(const PathPiece& piece, const PathPiece* streamed, const std::optional<StarFit>& star_fit,
           const Hardware& hardware, const Rendezvous& protocol, const Json& otherwise,
           const std::string& source, Seconds& below) {
  Json json = Json::object();
  const auto put = [&](const char* key, const StarCost& cost) {
    if (cost.determined)
      json[key] = time_us(Seconds(cost.value), Seconds(cost.deviation), source);
    else if (cost.lowered)
      json[key] = calibrated_within(cost.value * 1e6, 0, cost.value * 1e6, source);
  };
  Shares found{{}, {}, gap_of(piece)};
  if (piece.fixed) {
    Seconds rest = piece.fixed->value - hardware.latency;
    if (piece.from >= protocol.from) rest -= protocol.handshake;
    rest = std::max(rest, Seconds());
    found = star_fit ? shares(piece, rest, *star_fit) : shares(piece, rest, streamed, below, hardware);
    below = Seconds(found.overhead.value);
    const Seconds overheads(found.overhead.value + found.receive_overhead.value);
    put("overhead_us", found.overhead);
    put("receive_overhead_us", found.receive_overhead);
    const double all =
        std::hypot(piece.fixed->deviation.value, between_runs * (piece.fixed->value - overheads).value);
    Seconds latency = rest - overheads;
    if (latency < 1e-9 * rest) latency = Seconds();  // rounding
    json["latency_us"] = calibrated_within(latency.value * 1e6, std::max(0.0, latency.value - 2 * all) * 1e6,
                                           (latency.value + 2 * all) * 1e6, source);
  }
  if (found.gap) put("gap_us", *found.gap);
  if (piece.knows_pace() || is_too_slow(otherwise, piece))
    json["bandwidth_GBps"] = bandwidth_GBps(piece, hardware, source);
  if (piece.fixed && piece.gap) {
    // of a lone message's time per byte, what is not the links' is copies'
    const SecondsPerByte copied = piece.per_byte.value + piece.copied - pace(piece, hardware);
    if (copied > 0.01 * pace(piece, hardware))
      json["copy_GBps"] = calibrated_rate(1e-9 / copied.value, 0, source);
    else if (otherwise.contains("copy_GBps"))
      json["copy_GBps"] = calibrated_rate(no_copies_GBps, 0, source);
  }
  return json;
}

}  // namespace

Json calibrated_within(double value, double low, double high, const std::string& source) {
  return {{"value", rounded(value)},
          {"low", rounded(std::min(low, value))},
          {"high", rounded(std::max(high, value))},
          {"source", source},
          {"stamp", "calibrated"}};
}

Json calibrated(double value, double deviation, const std::string& source) {
  const double off = uncertainty(value, deviation);
  return calibrated_within(value, std::max(0.0, value - off), value + off, source);
}

Json calibrated_rate(double value, double deviation, const std::string& source) {
  const double off = uncertainty(value, deviation);
  return calibrated_within(value, std::max(value - off, 0.5 * value), std::min(value + off, 2 * value),
                           source);
}

Json software_costs(const PathFit& fit, const std::optional<StarFit>& star_fit, const Hardware& hardware,
                    const BaseSoftware& base, const std::string& source) {
  const Rendezvous protocol = rendezvous(fit, hardware);
  Seconds below(HUGE_VAL);
  Json otherwise = base.costs;  // what holds if a piece does not say
  const auto costs_of = [&](std::size_t i) {
    const auto streamed = std::find_if(fit.pieces.begin() + static_cast<std::ptrdiff_t>(i), fit.pieces.end(),
                                       [](const PathPiece& piece) { return piece.gap.has_value(); });
    return costs(fit.pieces[i], streamed == fit.pieces.end() ? nullptr : &*streamed, star_fit, hardware,
                 protocol, otherwise, source, below);
  };
  Json software = costs_of(0);
  otherwise.update(software);
  if (std::isfinite(protocol.from.value)) {
    const double limit = (protocol.from.value - 1) / 1024;
    software["eager_limit_KiB"] = {{"value", limit}, {"source", source}, {"stamp", "calibrated"}};
  }
  if (std::isfinite(protocol.from.value) || !base.eager)
    software["handshake_us"] = time_us(protocol.handshake, Seconds(), source);
  for (std::size_t i = 1; i < fit.pieces.size(); ++i) {
    const Bytes from = fit.pieces[i - 1].last > Bytes(0) ? fit.pieces[i].from : not_empty;
    Json piece = {{"from_KiB", {{"value", from.value / 1024}, {"source", source}, {"stamp", "calibrated"}}}};
    piece.update(costs_of(i));
    software["pieces"].push_back(piece);
  }
  return software;
}

std::pair<std::string, std::string> software_keys(const Path& path) {
  static const char* const ways[] = {"in_node", "across_sockets", "between_nodes"};
  const auto memory = [](Memory m) { return std::string(name(m)); };
  return {ways[static_cast<std::size_t>(path.way)],
          path.from == path.to ? memory(path.from) : memory(path.from) + "_to_" + memory(path.to)};
}

}  // namespace collcast

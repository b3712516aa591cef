// SPDX-License-Identifier: Apache-2.0
#include "model/calibration/point_to_point.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/calibration/isotonic.hpp"

namespace collcast {
namespace {

/// osu_bw's reply has 4 bytes.
const Bytes reply_bytes(4);

/// The mean time per message of a window of m messages: m - 1 of them are `between` apart; then one message
/// and one reply travel alone. `alone` and `reply` are half round trips.
Seconds of_window_of(int m, Seconds between, Seconds alone, Seconds reply) {
  return ((m - 1) * between + alone + reply) / m;
}

/// The inverse of of_window_of: the times between messages of a window, from the mean times per message. The
/// more of a window the lone message and the reply take, the less sure is the rest. A sample is left out if
/// its rest is within noise.
Samples between_messages(const PathTables& tables, const PiecewiseFit& lines) {
  const int m = tables.window;
  if (m < 2) return tables.messages;
  Samples between;
  for (Sample s : tables.messages) {
    const Seconds edges = lines.time(0, s.message) + lines.time(0, reply_bytes), whole = m * s.time;
    const Seconds rest = whole - edges, unsure = lines.noise * Seconds(std::hypot(whole.value, edges.value));
    if (!(rest > 2 * unsure)) continue;
    s.rounding = std::max(s.rounding * (whole / rest), unsure / rest - lines.noise);
    s.time = rest / (m - 1);
    between.push_back(s);
  }
  return between;
}

Samples within(const Samples& samples, const Piece& piece) {
  Samples inside;
  for (const Sample& s : samples)
    if (s.message >= piece.first && s.message <= piece.last) inside.push_back(s);
  return inside;
}

bool have_one_size(const Samples& samples) {
  return std::ranges::all_of(samples, [&](const Sample& s) { return s.message == samples[0].message; });
}

/// The line of the times between messages of a window. If all samples have one size, they cannot separate the
/// cost of a message from that of its bytes; then the slope of the latencies does. If by that slope the bytes
/// take less than half of the time, the rest is the cost of the message; otherwise all of it is the bytes'.
/// If latencies have no slope either, all of it is the bytes' from 4 KiB on, and the message's below.
Line between_line(const Samples& messages, const Samples& latency, double noise) {
  constexpr Bytes large(4096);
  Line line = robust_line(messages, noise);
  const Bytes n = messages[0].message;
  if (n == Bytes() || !have_one_size(messages)) return line;
  const Estimate<Seconds> whole = line.at_zero;
  const bool sloped = !latency.empty() && !have_one_size(latency);
  const Seconds of_bytes = sloped ? n * robust_line(latency, noise).per_byte.value : Seconds();
  if (sloped ? of_bytes < 0.5 * whole.value : n < large) {
    line.at_zero.value = whole.value - of_bytes;
    line.per_byte.value = of_bytes / n;
  } else {
    line.at_zero.value = Seconds();
    line.per_byte = {whole.value / n, whole.deviation / n};
  }
  return line;
}

/// How far levelling moved the times of a table: root mean square.
Seconds moved(const Samples& measured, const Samples& levelled) {
  double sum = 0;
  for (std::size_t i = 0; i < measured.size(); ++i)
    sum += std::pow((levelled[i].time - measured[i].time).value, 2);
  return Seconds(measured.empty() ? 0 : std::sqrt(sum / static_cast<double>(measured.size())));
}

void widen(std::optional<Estimate<Seconds>>& time, Seconds by) {
  if (time) time->deviation = Seconds(std::hypot(time->deviation.value, by.value));
}

PathPiece costs(const Piece& piece, const PathTables& tables, const Samples& between, double noise,
                SecondsPerByte links) {
  PathPiece costs;
  costs.from = piece.from;
  costs.first = piece.first;
  costs.last = piece.last;
  const Samples latency = within(tables.latency, piece), messages = within(between, piece);
  if (!messages.empty()) {
    const Line line = between_line(messages, latency, noise);
    costs.gap = line.at_zero;
    if (costs.gap->value < Seconds(1e-15)) costs.gap->value = {};  // rounding
    costs.per_byte = line.per_byte;
  }
  if (latency.empty()) return costs;
  const SecondsPerByte port = messages.empty() ? SecondsPerByte() : costs.per_byte.value;
  const Line line = robust_line(latency, noise, std::max(port, links));
  costs.fixed = line.at_zero;
  if (messages.empty())
    costs.per_byte = line.per_byte;
  else
    costs.copied = line.per_byte.value - costs.per_byte.value;
  return costs;
}

Seconds lone(const PathPiece& piece, Bytes message) {
  return piece.fixed->value + message * (piece.per_byte.value + piece.copied);
}

Seconds streamed(const PathPiece& piece, Bytes message) {
  return piece.gap->value + message * piece.per_byte.value;
}

/// A piece between the last size of `before` and the first size of `after`, if a time would fall where they
/// meet; none otherwise. A time that would fall (of a lone message, or in a stream) follows the line between
/// those two sizes; the other goes on as in `before`.
std::optional<PathPiece> bridge(const PathPiece& before, const PathPiece& after, SecondsPerByte links) {
  const auto both = [&](auto cost) { return before.*cost && after.*cost; };
  const Bytes from = before.last, to = after.first;
  const bool lone_falls = both(&PathPiece::fixed) && lone(before, after.from) > lone(after, after.from);
  const bool stream_falls =
      both(&PathPiece::gap) && streamed(before, after.from) > streamed(after, after.from);
  if (from == Bytes() || (!lone_falls && !stream_falls)) return std::nullopt;
  PathPiece bridge = before;
  bridge.bridge = true, bridge.from = from + Bytes(1), bridge.first = bridge.last = from;
  SecondsPerByte lone_slope = before.per_byte.value + before.copied, slope = before.per_byte.value;
  if (lone_falls) lone_slope = std::max(links, (lone(after, to) - lone(before, from)) / (to - from));
  if (stream_falls)
    slope = std::max(SecondsPerByte(), (streamed(after, to) - streamed(before, from)) / (to - from));
  if (before.fixed) slope = std::min(slope, lone_slope);
  bridge.per_byte.value = slope;
  bridge.copied = before.fixed ? lone_slope - slope : SecondsPerByte();
  if (before.gap) bridge.gap->value = std::max(Seconds(), streamed(before, from) - from * slope);
  if (before.fixed) bridge.fixed->value = std::max(Seconds(), lone(before, from) - from * lone_slope);
  return bridge;
}

std::vector<PathPiece> bridged(const std::vector<PathPiece>& pieces, SecondsPerByte links) {
  std::vector<PathPiece> all;
  for (PathPiece piece : pieces) {
    if (const auto between = all.empty() ? std::nullopt : bridge(all.back(), piece, links)) {
      all.push_back(*between);
      piece.from = piece.first;
    }
    all.push_back(piece);
  }
  return all;
}

/// The curves, with each time changed by the factor that its fitted time needs for larger messages to take
/// longer.
std::vector<Samples> levelled(std::vector<Samples> curves, const PiecewiseFit& fit,
                              const std::vector<SecondsPerByte>& least) {
  for (std::size_t c = 0; c < curves.size(); ++c) {
    Samples lines = curves[c];
    for (Sample& s : lines) s.time = fit.time(c, s.message);
    const Samples grown = isotonic(lines, least[c]);
    for (std::size_t i = 0; i < lines.size(); ++i)
      curves[c][i].time = (grown[i].time / lines[i].time) * curves[c][i].time;
  }
  return curves;
}

/// The sizes whose times were changed by more than runs differ (5 %).
std::vector<Bytes> changed(const std::vector<Samples>& before, const std::vector<Samples>& after) {
  constexpr double alike = 0.05;
  std::set<Bytes> sizes;
  for (std::size_t c = 0; c < before.size(); ++c)
    for (std::size_t i = 0; i < before[c].size(); ++i)
      if (std::abs(after[c][i].time / before[c][i].time - 1) > alike) sizes.insert(before[c][i].message);
  return {sizes.begin(), sizes.end()};
}

/// The largest time per byte, at most `links`, that no half round trip of the table contradicts.
SecondsPerByte possible(SecondsPerByte links, const Samples& latency) {
  for (const Sample& s : latency)
    if (s.message > Bytes()) links = std::min(links, s.time / s.message);
  return links;
}

}  // namespace

Seconds half_round_trip(const Wire& w, Bytes message) {
  return w.overhead + (w.eager ? Seconds() : w.handshake) + w.latency + message * w.per_byte +
         w.receive_overhead;
}

Seconds windowed(const Wire& wire, const Wire& reply, Bytes message, int window) {
  const Seconds between =
      std::max({wire.overhead, wire.receive_overhead, wire.gap + message * wire.per_byte});
  return of_window_of(window, between, half_round_trip(wire, message), half_round_trip(reply, reply_bytes));
}

const PathPiece& PathFit::at(Bytes message) const {
  const auto after = std::ranges::upper_bound(pieces, message, {}, &PathPiece::from);
  return after == pieces.begin() ? pieces.front() : *std::prev(after);
}

Seconds PathFit::latency(Bytes message) const {
  return lone(at(message), message);
}

PathFit fit_path(const PathTables& measured, SecondsPerByte stated, const PiecewiseOptions& options) {
  const SecondsPerByte links = possible(stated, measured.latency);
  PathTables sorted = measured;
  for (Samples* table : {&sorted.latency, &sorted.messages})
    std::ranges::stable_sort(*table, {}, &Sample::message);
  PathTables tables = sorted;
  std::vector<Samples*> present;
  for (Samples* table : {&tables.latency, &tables.messages})
    if (!table->empty()) present.push_back(table);
  std::vector<Samples> curves;
  std::vector<SecondsPerByte> least;  // 0 for streams: their bytes may pass while an overhead is paid
  for (Samples* table : present) {
    curves.push_back(*table);
    least.push_back(table == &tables.latency ? links : SecondsPerByte());
  }
  PathFit fit;
  fit.lines = fit_pieces(curves, options);
  const std::vector<Samples> grown = levelled(curves, fit.lines, least);
  fit.levelled = changed(curves, grown);
  if (!fit.levelled.empty()) {
    fit.lines = fit_pieces(grown, options);
    for (std::size_t c = 0; c < grown.size(); ++c) *present[c] = grown[c];
  }
  const Samples between = tables.latency.empty() ? tables.messages : between_messages(tables, fit.lines);
  std::vector<PathPiece> pieces;
  for (const Piece& piece : fit.lines.pieces) {
    pieces.push_back(costs(piece, tables, between, fit.lines.noise, links));
    widen(pieces.back().fixed, moved(within(sorted.latency, piece), within(tables.latency, piece)));
    widen(pieces.back().gap, moved(within(sorted.messages, piece), within(tables.messages, piece)));
  }
  fit.pieces = bridged(pieces, links);
  return fit;
}

}  // namespace collcast

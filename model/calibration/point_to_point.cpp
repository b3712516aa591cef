// SPDX-License-Identifier: Apache-2.0
#include "model/calibration/point_to_point.hpp"

#include <algorithm>
#include <cmath>

namespace collcast {
namespace {

/// osu_bw's reply has 4 bytes.
const Bytes reply_bytes(4);

/// A window of m messages takes m - 1 of the times that they keep each other waiting, and then one message
/// and one reply alone. `alone` is half a round trip; the answer is the mean of the m.
Seconds of_window_of(int m, Seconds between, Seconds alone, Seconds reply) {
  return ((m - 1) * between + alone + reply) / m;
}

/// The inverse: the time between messages of a window, from the mean time per message. Where the edges take
/// most of the window, what is left is as much less sure; a window of which noise leaves nothing says
/// nothing.
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

/// The time between messages of a window. One size does not tell what a message costs from what its bytes do:
/// its time is its bytes' if these make up half of it by the latencies' slope, and what exceeds that slope is
/// the message's otherwise. Where latencies have no slope, all is the bytes' of a message of 4 KiB and more.
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

PathPiece costs(const Piece& piece, const PathTables& tables, const Samples& between, double noise) {
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
  const Line line = robust_line(latency, noise, messages.empty() ? SecondsPerByte() : costs.per_byte.value);
  costs.fixed = line.at_zero;
  if (messages.empty())
    costs.per_byte = line.per_byte;
  else
    costs.copied = line.per_byte.value - costs.per_byte.value;
  return costs;
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
  const PathPiece& piece = at(message);
  return piece.fixed.value().value + message * (piece.per_byte.value + piece.copied);
}

Seconds PathFit::of_window(Bytes message) const {
  const PathPiece& piece = at(message);
  const Seconds between = piece.gap.value().value + message * piece.per_byte.value;
  if (!piece.fixed) return between;
  return of_window_of(window, between, latency(message), latency(reply_bytes));
}

PathFit fit_path(const PathTables& tables, const PiecewiseOptions& options) {
  std::vector<Samples> curves;
  for (const Samples& table : {tables.latency, tables.messages})
    if (!table.empty()) curves.push_back(table);
  PathFit fit;
  fit.window = tables.window;
  fit.lines = fit_pieces(curves, options);
  const Samples between = tables.latency.empty() ? tables.messages : between_messages(tables, fit.lines);
  for (const Piece& piece : fit.lines.pieces)
    fit.pieces.push_back(costs(piece, tables, between, fit.lines.noise));
  return fit;
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "platforms/network/torus.hpp"

#include <algorithm>
#include <string>

#include "platforms/network/hash.hpp"

namespace collcast {
namespace {

/// How many steps a route takes up a ring; negative: down.
int steps(int from, int to, int size) {
  const int up = to < from ? to - from + size : to - from;
  const bool go_up = 2 * up < size || (2 * up == size && from % 2 == 0);
  return go_up ? up : up - size;
}

}  // namespace

Torus::Torus(const std::vector<int>& dimensions, std::int64_t switches, Blueprint::Routing routing)
    : routing_(routing) {
  for (int size : dimensions) {
    dimensions_.push_back({size, switches_, ports_});
    if (switches_ < switches || routing_.hashed) crossed_ *= size;
    switches_ *= size;
    ports_ += std::min(size - 1, 2);
  }
}

/// The switch at which Valiant's route turns.
std::int64_t Torus::via(std::int64_t from, std::int64_t to) const {
  return from == to ? to
                    : hashed_choice(routing_.seed, static_cast<std::uint64_t>(from),
                                    static_cast<std::uint64_t>(to), switches_);
}

int Torus::way(std::int64_t from, std::int64_t to) const {
  if (!routing_.hashed) return hops(from, to);
  const std::int64_t turn = via(from, to);
  return hops(from, turn) + hops(turn, to);
}

int Torus::hops(std::int64_t from, std::int64_t to) const {
  int hops = 0;
  auto a = static_cast<std::uint32_t>(from), b = static_cast<std::uint32_t>(to);
  for (const Dimension& d : dimensions_) {
    const auto size = static_cast<std::uint32_t>(d.size);
    hops += std::abs(steps(static_cast<int>(a % size), static_cast<int>(b % size), d.size));
    a /= size, b /= size;
  }
  return hops;
}

int Torus::direction(std::int64_t from, std::int64_t to) const {
  if (const std::int64_t turn = via(from, to); routing_.hashed && turn != from) to = turn;
  for (const Dimension& d : dimensions_)
    if (const int way = steps(coordinate(from, d), coordinate(to, d), d.size))
      return d.port + (way < 0 && d.size > 2);
  return 0;
}

std::vector<Crossing> Torus::ways(std::int64_t switches) const {
  int farthest = 0;
  for (const Dimension& d : dimensions_)
    if (d.stride < switches || routing_.hashed) farthest += d.size / 2 * (routing_.hashed ? 2 : 1);
  std::vector<Crossing> all;
  for (int hops = 0; hops <= farthest; ++hops)
    all.push_back({hops + 1, std::vector<int>(static_cast<std::size_t>(hops))});
  return all;
}

void Torus::route(const Trip& trip, LinkId base, std::vector<LinkId>& links) const {
  const std::int64_t turn = routing_.hashed ? via(trip.from, trip.to) : trip.to;
  walk(trip.from, turn, base, links);
  walk(turn, trip.to, base, links);
}

void Torus::walk(std::int64_t at, std::int64_t to, LinkId base, std::vector<LinkId>& links) const {
  auto a = static_cast<std::uint32_t>(at), b = static_cast<std::uint32_t>(to);  // further dimensions
  for (const Dimension& d : dimensions_) {
    const auto size = static_cast<std::uint32_t>(d.size);
    int now = static_cast<int>(a % size);
    const int way = steps(now, static_cast<int>(b % size), d.size), on = way > 0 ? 1 : -1;
    const int port = d.port + (way < 0 && d.size > 2);
    for (int s = 0; s != way; s += on) {
      links.push_back(base + static_cast<LinkId>(at * ports_ + port));
      const int next = now + on == d.size ? 0 : now + on < 0 ? d.size - 1 : now + on;
      at += (next - now) * d.stride, now = next;
    }
    a /= size, b /= size;
  }
}

std::vector<Halves> Torus::halves(std::int64_t switches, LinkId base) const {
  std::vector<Halves> all;
  for (const Dimension& d : dimensions_) {
    const int used = static_cast<int>(std::min<std::int64_t>(d.size, (switches + d.stride - 1) / d.stride));
    if (used < 2) continue;
    const int half = used / 2;
    const bool around =
        routing_.hashed || 2 * (used - 1) >= d.size;  // otherwise going round is never shorter
    Halves h;
    for (std::int64_t at = 0; at < crossed_; ++at) {
      const int c = coordinate(at, d);
      h.inside.push_back(static_cast<char>(c < half));
      for (const bool up : {true, false}) {
        if (!up && d.size == 2) continue;
        const int next = coordinate(neighbour(at, d, up), d);
        const bool ends_inside = next < half;
        if (ends_inside == (c < half) || (!around && std::max(c, next) >= used)) continue;
        (ends_inside ? h.in : h.out)
            .push_back(base + static_cast<LinkId>(at * ports_ + d.port + (up ? 0 : 1)));
      }
    }
    all.push_back(std::move(h));
  }
  return all;
}

std::string Torus::name_of(std::int64_t at) const {
  std::string text;
  for (const Dimension& d : dimensions_)
    text += (text.empty() ? "(" : ",") + std::to_string(coordinate(at, d));
  return text + ")";
}

std::string Torus::name(std::uint64_t link) const {
  const auto number = static_cast<std::int64_t>(link), at = number / ports_, port = number % ports_;
  const auto d =
      std::prev(std::ranges::find_if(dimensions_, [=](const Dimension& other) { return other.port > port; }));
  return "switch " + name_of(at) + " to " + name_of(neighbour(at, *d, port == d->port));
}

}  // namespace collcast

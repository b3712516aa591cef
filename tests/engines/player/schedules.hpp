// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "model/compose.hpp"
#include "model/fabric.hpp"

namespace collcast::testing {

/// A LogGP machine whose messages of `from` bytes and more are paced by software, at `times` the ports' time
/// per byte, and are rendezvous.
class PacedFabric : public UniformFabric {
 public:
  PacedFabric(const LogGP& machine, Rank ranks, Bytes from, double times)
      : UniformFabric(machine, ranks), from_(from), times_(times) {}
  Wire wire(Place a, Place b, Bytes bytes) const override {
    Wire w = UniformFabric::wire(a, b, bytes);
    if (bytes < from_ || a.rank == b.rank) return w;
    w.per_byte = times_ * w.per_byte;
    w.overhead = 2 * w.overhead;
    w.latency = 3 * w.latency;
    w.eager = false;
    w.handshake = 2 * w.latency;
    return w;
  }

 private:
  Bytes from_;
  double times_;
};

/// A schedule to play, by name.
struct Case {
  std::string name;
  std::function<Schedule(Rank)> make;
};

inline Schedule ring(Rank p) {
  return {p, p, p > 1 ? 2 * (p - 1) : 0, [p](std::int64_t s, Step& step) {
            for (Rank r = 0; r < p; ++r) {
              const auto block = ((r - s) % p + p) % p;
              step.send(r, (r + 1) % p, {block, 1}, s < p - 1 ? Combine::reduce : Combine::copy);
            }
          }};
}

inline Schedule backward_ring(Rank p) {
  return {p, p, p > 1 ? p - 1 : 0, [p](std::int64_t s, Step& step) {
            for (Rank r = 0; r < p; ++r) step.send(r, (r + p - 1) % p, {(r + s) % p, 1});
          }};
}

inline Rank power_below(Rank p) {
  Rank n = 1;
  while (2 * n <= p) n *= 2;
  return n;
}

/// Recursive doubling; ranks above a power of two fold in first and out last.
inline Schedule recursive_doubling(Rank p) {
  const Rank n = power_below(p);
  int rounds = 0;
  while ((1 << rounds) < n) ++rounds;
  return {p, 1, rounds + 2, [=](std::int64_t s, Step& step) {
            if (s == 0)
              for (Rank r = n; r < p; ++r) step.send(r, r - n, {0, 1}, Combine::reduce);
            else if (s == rounds + 1)
              for (Rank r = n; r < p; ++r) step.send(r - n, r, {0, 1});
            else
              for (Rank r = 0; r < n; ++r) step.send(r, r ^ (1 << (s - 1)), {0, 1}, Combine::reduce);
          }};
}

inline Schedule binomial(Rank p) {
  int rounds = 0;
  while ((1 << rounds) < p) ++rounds;
  return {p, 1, rounds, [p](std::int64_t s, Step& step) {
            const Rank have = 1 << s;
            for (Rank r = 0; r < have && r + have < p; ++r) step.send(r, r + have, {0, 1});
          }};
}

/// Rank 0 pushes `segments` segments down a chain.
inline Schedule chain(Rank p, Block segments) {
  return {p, segments, p > 1 ? segments + p - 2 : 0, [=](std::int64_t s, Step& step) {
            for (Rank r = 0; r + 1 < p; ++r)
              if (s >= r && s - r < segments) step.send(r, r + 1, {s - r, 1});
          }};
}

inline Schedule flat_broadcast(Rank p) {
  return {p, 1, 1, [p](std::int64_t, Step& step) {
            for (Rank r = p - 1; r > 0; --r) step.send(0, r, {0, 1});
          }};
}

inline Schedule flat_reduce(Rank p) {
  return {p, 1, 1, [p](std::int64_t, Step& step) {
            for (Rank r = p - 1; r > 0; --r) step.send(r, 0, {0, 1}, Combine::reduce);
          }};
}

/// Everyone to everyone at once, each starting with its successor.
inline Schedule exchange(Rank p) {
  return {p, p, 2, [p](std::int64_t, Step& step) {
            for (Rank i = 1; i < p; ++i)
              for (Rank r = 0; r < p; ++r) step.send(r, (r + i) % p, {r, 1}, Combine::reduce);
          }};
}

/// In each step everyone sends to its successor in a random cycle. (Permutations that leave ranks out let
/// them run ahead: messages of a later step then come to a port first, and the critical path still takes the
/// order of the schedule.)
inline Schedule permutations(Rank p) {
  return {p, p, p > 1 ? 8 : 0, [p](std::int64_t s, Step& step) {
            std::vector<Rank> cycle(static_cast<std::size_t>(p));
            std::iota(cycle.begin(), cycle.end(), 0);
            std::shuffle(cycle.begin(), cycle.end(), std::mt19937(static_cast<unsigned>(s + 1)));
            for (std::size_t i = 0; i < cycle.size(); ++i)
              step.send(cycle[i], cycle[(i + 1) % cycle.size()], {0, 1});
          }};
}

/// Each rank in turn receives what the network reduces of all others'.
inline Schedule reductions(Rank p) {
  return {p, p, p, [p](std::int64_t s, Step& step) {
            step.reduce_in_network({0, p, 1}, static_cast<Rank>(s), {s, 1});
          }};
}

/// Each rank in turn multicasts to all others.
inline Schedule multicasts(Rank p) {
  return {p, p, p, [p](std::int64_t s, Step& step) {
            step.multicast(static_cast<Rank>(s), {0, p, 1}, {s, 1});
          }};
}

/// All multicast to all others at once.
inline Schedule exchanged_multicasts(Rank p) {
  return {p, p, 1, [p](std::int64_t, Step& step) {
            for (Rank r = 0; r < p; ++r) step.multicast(r, {0, p, 1}, {r, 1});
          }};
}

/// Device to host, host to the next rank's host, host to device; the last reduces.
inline Schedule staged(Rank p) {
  return {p, 1, 6, [p](std::int64_t s, Step& step) {
            for (Rank r = 0; r < p; ++r) {
              if (s % 3 == 0) step.send(r, {r, Memory::host}, {0, 1});
              if (s % 3 == 1 && p > 1) step.send({r, Memory::host}, {(r + 1) % p, Memory::host}, {0, 1});
              if (s % 3 == 2) step.send({r, Memory::host}, r, {0, 1}, Combine::reduce);
            }
          }};
}

inline std::vector<Case> cases() {
  return {
      {"ring", ring},
      {"recursive_doubling", recursive_doubling},
      {"binomial", binomial},
      {"chain", [](Rank p) { return chain(p, 7); }},
      {"flat_broadcast", flat_broadcast},
      {"flat_reduce", flat_reduce},
      {"exchange", exchange},
      {"permutations", permutations},
      {"multicasts", multicasts},
      {"multicasts at once", exchanged_multicasts},
      {"reductions", reductions},
      {"staged", staged},
      {"two_rings", [](Rank p) { return beside(ring(p), backward_ring(p)); }},
      {"ring_then_backward", [](Rank p) { return then(ring(p), backward_ring(p)); }},
      {"rings_joined",
       [](Rank p) {
         const Schedule both = beside(ring(p), backward_ring(p));
         return then(both, both);
       }},
  };
}

}  // namespace collcast::testing

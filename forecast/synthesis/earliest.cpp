// SPDX-License-Identifier: Apache-2.0
#include "forecast/synthesis/earliest.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <queue>
#include <utility>

namespace collcast {
namespace {

constexpr Seconds not_yet(std::numeric_limits<double>::infinity());

/// A message of a part to a rank that does not have it yet. Arrivals within a picosecond are alike.
struct Offer {
  std::int64_t arrival;
  int copies;   ///< ranks that have the part
  Rank onward;  ///< how far the receiver is behind the root, so that receivers differ
  std::size_t root;
  Rank from, to;
  auto operator<=>(const Offer&) const = default;
};

class InTime {
 public:
  InTime(const Fabric& fabric, Collective collective, const std::vector<Rank>& roots, Bytes part)
      : fabric_(fabric),
        roots_(roots),
        part_(part),
        ranks_(static_cast<std::size_t>(fabric.ranks())),
        until_delivery_(fabric.protocol().hold == MessageProtocol::Hold::delivery),
        has_(roots.size() * ranks_, not_yet),
        copies_(roots.size(), 1),
        processor_(ranks_),
        port_(fabric.ports()) {
    for (const Rank root : roots) trees_.push_back({root, 1, {}});
    const bool down = spreads_copies(collective);
    for (Rank from = 0; from < fabric.ranks(); ++from)
      for (Rank to = 0; to < fabric.ranks(); ++to) {
        Wire w;
        if (from != to) w = down ? fabric.wire(from, to, part) : fabric.wire(to, from, part);
        if (!down) {
          std::swap(w.out, w.in);
          std::swap(w.overhead, w.receive_overhead);
          std::swap(w.spare_out, w.spare_in);
        }
        wires_.push_back(w);
      }
  }

  std::vector<Tree> trees() && {
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      has(i, roots_[i]) = Seconds(0);
      offer(i, roots_[i]);
    }
    while (!offers_.empty()) {
      const Offer best = offers_.top();
      offers_.pop();
      if (has(best.root, best.to) < not_yet) continue;
      const Offer now = priced(best.root, best.from, best.to);
      if (now > best)
        offers_.push(now);
      else
        send(now);
    }
    return std::move(trees_);
  }

 private:
  /// When the sender's processor is free again, its port, and the receiver's; when the receiver has the part.
  struct Times {
    Seconds posted, out, in, arrived;
  };

  const Wire& wire(Rank from, Rank to) const {
    return wires_[static_cast<std::size_t>(from) * ranks_ + static_cast<std::size_t>(to)];
  }
  Seconds& has(std::size_t root, Rank rank) { return has_[root * ranks_ + static_cast<std::size_t>(rank)]; }
  Seconds& processor(Rank rank) { return processor_[static_cast<std::size_t>(fabric_.processor(rank))]; }

  Times times(std::size_t root, Rank from, Rank to) {
    const Wire& w = wire(from, to);
    const Seconds start = std::max(has(root, from), processor(from));
    if (until_delivery_) {
      const Seconds begins = std::max({start, port_[w.out], port_[w.in]});
      const Seconds ends = begins + w.overhead + w.latency + part_ * w.per_byte + w.receive_overhead;
      return {ends, ends, ends, ends};
    }
    const Seconds posted = start + w.overhead, ready = posted + (w.eager ? Seconds(0) : w.handshake);
    // A message that would find its receiver's port busy waits at home: on its way it would hold up others.
    const Seconds leaves = std::max({ready, port_[w.out], port_[w.in] - w.latency});
    const Seconds there = leaves + w.latency, in = there + w.occupation_in(part_);
    const bool next_at_once = w.next == Wire::Next::at_once;
    const Seconds out = next_at_once ? port_[w.out] : leaves + w.gap + part_ * w.per_byte;
    return {posted, out, in, std::max(there + part_ * w.per_byte, in) + w.receive_overhead};
  }

  Offer priced(std::size_t root, Rank from, Rank to) {
    const Rank ranks = fabric_.ranks();
    return {std::llround(times(root, from, to).arrived.value * 1e12),
            copies_[root],
            (to - roots_[root] + ranks) % ranks,
            root,
            from,
            to};
  }

  void offer(std::size_t root, Rank from) {
    for (Rank to = 0; to < fabric_.ranks(); ++to)
      if (!(has(root, to) < not_yet)) offers_.push(priced(root, from, to));
  }

  void send(const Offer& o) {
    const Wire& w = wire(o.from, o.to);
    const Times t = times(o.root, o.from, o.to);
    processor(o.from) = t.posted, processor(o.to) += w.receive_overhead;
    port_[w.out] = t.out, port_[w.in] = t.in;
    has(o.root, o.to) = t.arrived;
    ++copies_[o.root];
    trees_[o.root].edges.push_back({o.from, o.to});
    offer(o.root, o.to);
  }

  const Fabric& fabric_;
  const std::vector<Rank>& roots_;
  Bytes part_;
  std::size_t ranks_;
  bool until_delivery_;
  std::vector<Wire> wires_;   ///< by sender and receiver
  std::vector<Seconds> has_;  ///< by root and rank: since when
  std::vector<int> copies_;   ///< by root
  std::vector<Seconds> processor_, port_;
  std::vector<Tree> trees_;
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers_;
};

}  // namespace

Forest earliest(const Fabric& fabric, Collective collective, const std::vector<Rank>& roots, Bytes part) {
  return {fabric.ranks(), 1, InTime(fabric, collective, roots, part).trees()};
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "model/calibration/star.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/calibration/least_squares.hpp"

namespace collcast {
namespace {

/// The messages of a star by sender, and the port of each rank.
struct Senders {
  std::vector<std::vector<int>> to;  ///< by rank: the receivers of its messages, in order
  std::vector<std::size_t> port;     ///< by rank
};

Senders senders(const Star& s) {
  const int ranks = s.way == Star::Way::pairs ? 2 * s.peers : s.peers + 1;
  Senders all{std::vector<std::vector<int>>(static_cast<std::size_t>(ranks)), {}};
  const auto send = [&](int from, int to) { all.to[static_cast<std::size_t>(from)].push_back(to); };
  for (int r = 0; r < ranks; ++r)
    all.port.push_back(static_cast<std::size_t>(s.way == Star::Way::pairs ? r / s.peers : r));
  for (int i = 0; i < s.window; ++i)
    for (int peer = 1; peer <= s.peers; ++peer) {
      if (s.way == Star::Way::pairs) send(peer - 1, s.peers + peer - 1);
      if (s.way == Star::Way::out || s.way == Star::Way::both) send(0, peer);
      if (s.way == Star::Way::in || s.way == Star::Way::both) send(peer, 0);
    }
  return all;
}

struct OnTheWay {
  Seconds there;
  std::size_t to;
};

/// In each round every sender's next message leaves, once its overheads are paid and its port is free.
std::vector<OnTheWay> leave(const Senders& all, const Star& s, const StarCosts& c, Seconds latency,
                            SecondsPerByte stream) {
  std::vector<OnTheWay> gone;
  std::vector<Seconds> through(all.to.size()), port(all.to.size());
  for (std::size_t i = 0, sent = 1; sent > 0; ++i) {
    sent = 0;
    for (std::size_t r = 0; r < all.to.size(); ++r) {
      if (i >= all.to[r].size()) continue;
      ++sent;
      Seconds& free = port[all.port[r]];
      const Seconds now = std::max({static_cast<double>(i + 1) * c.overhead, through[r], free});
      through[r] = now + c.gap + s.message * stream;
      free = now + c.gap + s.message * c.port;
      gone.push_back({now + latency, static_cast<std::size_t>(all.to[r][i])});
    }
  }
  return gone;
}

void sort_by_time(std::vector<OnTheWay>& messages) {
  std::ranges::stable_sort(messages, {}, &OnTheWay::there);
}

}  // namespace

Seconds star_time(const Star& s, const StarCosts& c) {
  const Senders all = senders(s);
  const SecondsPerByte stream = std::max(s.per_byte, c.port);
  const Seconds rest = s.lone - c.overhead - c.receive_overhead - s.message * stream;
  std::vector<OnTheWay> messages = leave(all, s, c, std::max(rest, Seconds()), stream);
  std::vector<Seconds> port(all.to.size()), taken(all.to.size());
  sort_by_time(messages);
  for (OnTheWay& m : messages) {
    Seconds& free = port[all.port[m.to]];
    free = std::max(free, m.there) + s.message * c.port;
    m.there = std::max(m.there + s.message * stream, free);
  }
  sort_by_time(messages);
  Seconds last;
  for (const OnTheWay& m : messages) {
    const Seconds posted = static_cast<double>(all.to[m.to].size()) * c.overhead;
    taken[m.to] = std::max({taken[m.to], m.there, posted}) + c.receive_overhead;
    last = std::max(last, taken[m.to]);
  }
  return last;
}

namespace {

using Costs = std::array<double, 4>;  // overhead, receive overhead, gap, port

StarCosts costs(const Costs& c) {
  return {Seconds(c[0]), Seconds(c[1]), Seconds(c[2]), SecondsPerByte(c[3])};
}

class StarFitter {
 public:
  StarFitter(const std::vector<Star>& stars, const StarCosts& e)
      : stars_(stars),
        asked_{e.overhead.value, e.receive_overhead.value, e.gap.value, e.port.value},
        expected_(asked_) {
    const Star& least = *std::ranges::min_element(stars, {}, &Star::lone);
    lone_ = least.lone.value;
    per_byte_ = std::ranges::max_element(stars, {}, &Star::message)->per_byte.value;
    expected_[0] = std::min(expected_[0], lone_ / 2), expected_[1] = std::min(expected_[1], lone_ / 2);
  }

  /// Resets costs that are not determined to the expected ones, the least certain first.
  StarFit run() {
    std::array<bool, 4> fitted{true, true, true, per_byte_ > 0};
    while (true) {
      const AmountFit fit = fit_where(fitted);
      Costs found = expected_, deviation{};
      for (std::size_t i = 0, j = 0; i < 4; ++i)
        if (fitted[i]) found[i] = fit.values[j], deviation[i] = fit.deviations[j], ++j;
      std::size_t loosest = 4;
      double most = 1;
      for (std::size_t i = 0; i < 4; ++i)
        if (const double off = 2 * deviation[i] / tolerated(i, found[i]); fitted[i] && off > most)
          loosest = i, most = off;
      if (loosest == 4) return answer(found, deviation, fitted, fit.noise);
      fitted[loosest] = false;
      // The other costs that were found bound it from above.
      expected_[loosest] = std::min(expected_[loosest], allowed(loosest, found));
    }
  }

 private:
  double tolerated(std::size_t i, double value) const {
    return i == 3 ? 0.1 * value : std::max(0.5 * value, 0.03 * lone_);
  }
  /// Overheads and gaps hide each other: a hidden one may be anything up to the one that hides it. A port
  /// takes some time for a byte.
  static double allowed(std::size_t i, const Costs& c) {
    return i < 3 ? std::max({c[0], c[1], c[2]}) : c[3] > 0 ? c[3] : HUGE_VAL;
  }

  std::vector<double> errors(const Costs& c) const {
    std::vector<double> all;
    for (const Star& s : stars_) all.push_back(std::log(star_time(s, costs(c)) / s.time));
    return all;
  }

  AmountFit fit_where(const std::array<bool, 4>& fitted) const {
    const auto filled = [&](const std::vector<double>& v) {
      Costs c = expected_;
      for (std::size_t i = 0, j = 0; i < 4; ++i)
        if (fitted[i]) c[i] = v[j++];
      return c;
    };
    // Two starts: overheads that hide the gap, and a gap that hides the overheads.
    const double some = lone_ / 8;
    AmountFit best;
    for (const Costs& start : {Costs{some, some, 0, per_byte_}, Costs{0, 0, some, per_byte_}}) {
      std::vector<Amount> amounts;
      for (std::size_t i = 0; i < 4; ++i)
        if (fitted[i]) amounts.push_back({expected_[i], i == 3 ? per_byte_ : lone_ / 2, start[i]});
      AmountFit fit = fit_amounts([&](const auto& v) { return errors(filled(v)); }, amounts);
      if (best.values.empty() || fit.unlikely < best.unlikely) best = std::move(fit);
      if (amounts.empty()) break;
    }
    return best;
  }

  StarFit answer(const Costs& found, const Costs& deviation, const std::array<bool, 4>& fitted,
                 double noise) const {
    const auto cost = [&](std::size_t i) {
      return StarCost{found[i], deviation[i], fitted[i], !fitted[i] && found[i] < asked_[i]};
    };
    StarFit fit{cost(0), cost(1), cost(2), cost(3), noise, 0, 1};
    const std::vector<double> off = errors(found);
    double one_way = 0, both = 0;  // of the largest messages: measured over fitted
    for (std::size_t i = 0; i < off.size(); ++i) {
      fit.mean_residual += std::abs(std::expm1(off[i])) / static_cast<double>(off.size());
      if (stars_[i].message.value * per_byte_ * stars_[i].window < lone_) continue;
      double& most = stars_[i].way == Star::Way::both ? both : one_way;
      most = std::max(most, std::exp(-off[i]));
    }
    if (both > 0 && one_way > 0) fit.exchange = both / one_way;
    return fit;
  }

  const std::vector<Star>& stars_;
  const Costs asked_;
  Costs expected_;  ///< lowered to what is found
  double lone_, per_byte_;
};

}  // namespace

StarFit fit_stars(const std::vector<Star>& stars, const StarCosts& expected) {
  return StarFitter(stars, expected).run();
}

}  // namespace collcast

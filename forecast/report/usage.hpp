// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/units.hpp"

namespace collcast::report {

/// The use of each of many things (ranks, links) over time, in equal spans. Spans double in length when the
/// run outgrows them.
class Usage {
 public:
  static constexpr std::size_t spans = 512;

  /// Adds `amount`, spread evenly from `begin` to `end`. True if it is the first use of the thing.
  bool add(std::uint32_t which, Seconds begin, Seconds end, double amount);
  Seconds span() const { return Seconds(span_); }
  struct Thing {
    std::uint32_t which;
    double total;
    std::vector<double> by_span;  ///< `spans` of them
    std::size_t uses;
  };
  /// The most used things first, at most `most`; those of equal use in the order of their numbers.
  std::vector<Thing> most_used(std::size_t most) const;
  std::size_t things() const { return all_.size(); }

 private:
  struct Tally {
    double total = 0;
    std::vector<float> by_span;
    std::size_t uses = 0;
  };
  void widen();

  double span_ = 1e-9;  ///< s
  std::unordered_map<std::uint32_t, Tally> all_;
};

/// How many of `filled` neighbouring spans to draw as one. If a use lasts about as long as a span, single
/// spans would show a beat of the two, and not how busy the thing is.
std::size_t drawn_as_one(const Usage::Thing& use, double filled);

/// Caps each span at `most`, what the link can carry: bytes above it move to the next spans with room before
/// the link rests, or else to those before.
void level(std::vector<double>& by_span, double most);

}  // namespace collcast::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/fabric.hpp"

namespace collcast {

/// Ranks 0, 1, ... and switches after them, and what the links between them carry, in whole units.
class Wiring {
 public:
  Wiring(Rank ranks, int switches)
      : ranks_(ranks), size_(static_cast<std::size_t>(ranks + switches)), capacity_(size_ * size_) {}

  Rank ranks() const { return ranks_; }
  int vertices() const { return static_cast<int>(size_); }
  std::int64_t& operator()(int from, int to) { return capacity_[at(from, to)]; }
  std::int64_t operator()(int from, int to) const { return capacity_[at(from, to)]; }

  /// Whether messages go on from the first vertex by the second, a switch, to the third; empty: all may.
  std::function<bool(int from, int through, int to)> turns;
  BytesPerSecond unit = BytesPerSecond(1);
  bool shared = false;  ///< several ranks begin or end at one place, as at the memory of a host

 private:
  std::size_t at(int from, int to) const {
    return static_cast<std::size_t>(from) * size_ + static_cast<std::size_t>(to);
  }
  Rank ranks_;
  std::size_t size_;
  std::vector<std::int64_t> capacity_;
};

/// The links that a fabric's routes take between these pairs of ranks, and what joins them: links that some
/// route strings together meet in a switch. Links in a row are one, as wide as the narrowest; switches
/// between which no link is a part of the cut that is worst for these shares are one, if `joined`.
Wiring wiring(const Fabric& fabric, const std::function<bool(Rank from, Rank to)>& pairs,
              const std::vector<std::int64_t>& shares, bool joined = true);

/// What these links allow where ranks share places: `wiring` takes it that a rank that ends at one may also
/// begin there, as splitting needs it, which no cut then limits. Here it may not.
Wiring one_way_wiring(const Fabric& fabric, const std::function<bool(Rank from, Rank to)>& pairs);

}  // namespace collcast

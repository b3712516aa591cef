// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/fabric.hpp"

namespace collcast {

/// A graph of ranks 0, 1, ... and switches after them, with what the links between them carry, in whole
/// units.
class Wiring {
 public:
  Wiring(Rank ranks, int switches)
      : ranks_(ranks), size_(static_cast<std::size_t>(ranks + switches)), capacity_(size_ * size_) {}

  Rank ranks() const { return ranks_; }
  int vertices() const { return static_cast<int>(size_); }
  std::int64_t& operator()(int from, int to) { return capacity_[at(from, to)]; }
  std::int64_t operator()(int from, int to) const { return capacity_[at(from, to)]; }

  /// Whether messages go from one vertex through a switch to another; empty: all may.
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

/// The links that a fabric's routes take between these pairs of ranks. Links that follow each other on a
/// route meet in a switch. Links in a row are one, as wide as the narrowest. If `joined`, switches are one if
/// no link between them is part of the worst cut for these shares.
Wiring wiring(const Fabric& fabric, const std::function<bool(Rank from, Rank to)>& pairs,
              const std::vector<std::int64_t>& shares, bool joined = true);

/// The same links for ranks that share places. In `wiring`, a rank whose routes end at a shared place may
/// also send from there, as splitting switches needs it, and no cut limits that. Here it may not.
Wiring one_way_wiring(const Fabric& fabric, const std::function<bool(Rank from, Rank to)>& pairs);

}  // namespace collcast

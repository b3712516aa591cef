// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/units.hpp"

namespace collcast::report {

/// Keeps the longest of more intervals than can be shown. Of about equally long ones it keeps those of lower
/// ranks; of those of one rank, an even sample.
template <class T>
class Longest {
 public:
  explicit Longest(std::size_t most) : most_(std::max<std::size_t>(most, 1)) {}

  /// Of equally long intervals, those of a lower `rank` are kept.
  void add(const T& what, Seconds duration, std::uint32_t rank) {
    const std::uint64_t key = weight(duration, rank);
    ++seen_;
    if (key < least_) return;
    all_.push_back({key, what});
    if (all_.size() >= 2 * most_) shrink();
  }
  std::size_t seen() const { return seen_; }
  std::size_t size() const { return all_.size(); }
  /// In the order in which they came; not more than `most`.
  std::vector<T> take() {
    if (all_.size() > most_) shrink();
    std::vector<T> kept;
    kept.reserve(all_.size());
    for (const Entry& e : all_) kept.push_back(e.what);
    return kept;
  }
  /// Intervals that were left out are about this short, or shorter.
  Seconds shortest() const { return least_ == 0 ? Seconds(0) : Seconds(std::exp2(half_octave(least_) / 2)); }

 private:
  struct Entry {
    std::uint64_t key;
    T what;
  };
  static constexpr int rank_bits = 32, sample_bits = 8, offset = 400;  // 2^-200 s counts as nothing
  static double half_octave(std::uint64_t key) {
    return static_cast<double>(key >> (rank_bits + sample_bits)) + 1 - offset;
  }
  std::uint64_t weight(Seconds duration, std::uint32_t rank) const {
    const double octaves = duration.value > 0 ? std::floor(2 * std::log2(duration.value)) + offset : 0;
    const auto length = static_cast<std::uint64_t>(std::clamp(octaves, 0.0, 65535.0));
    const auto sample = static_cast<std::uint64_t>(std::countr_zero(seen_ + 1));
    return length << (rank_bits + sample_bits) | std::uint64_t{~rank} << sample_bits | sample;
  }
  void shrink() {
    std::vector<std::uint64_t> keys;
    for (const Entry& e : all_) keys.push_back(e.key);
    const auto border = keys.begin() + static_cast<std::ptrdiff_t>(most_);
    std::ranges::nth_element(keys, border, std::greater<>());
    least_ = *border + 1;
    std::erase_if(all_, [this](const Entry& e) { return e.key < least_; });
  }

  std::size_t most_, seen_ = 0;
  std::uint64_t least_ = 0;
  std::vector<Entry> all_;
};

}  // namespace collcast::report

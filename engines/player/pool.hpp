// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "engines/player/event.hpp"

namespace collcast {

/// table[i], after growing the table if needed.
template <class T>
T& grown_at(std::vector<T>& table, Index i) {
  if (i >= table.size()) table.resize(std::max<std::size_t>(i + 1, 2 * table.size()));
  return table[i];
}

/// Records addressed by index; a freed index is the first to be reused. References are valid until the next
/// one is added.
template <class T>
class Pool {
 public:
  /// Adds a record, to be filled.
  Index add() {
    if (free_.empty()) {
      records_.emplace_back();
      return static_cast<Index>(records_.size() - 1);
    }
    const Index i = free_.back();
    free_.pop_back();
    return i;
  }
  Index add(T record) {
    const Index i = add();
    records_[i] = std::move(record);
    return i;
  }
  /// Adds what `make` returns, built in place: a copy would have to wait for the stores.
  template <class Make>
  Index made(Make&& make) {
    static_assert(std::is_trivially_destructible_v<T>);
    const Index i = add();
    new (&records_[i]) T(make());
    return i;
  }
  void remove(Index i) { free_.push_back(i); }
  T& operator[](Index i) { return records_[i]; }
  const T& operator[](Index i) const { return records_[i]; }
  std::size_t in_use() const { return records_.size() - free_.size(); }
  /// All records, also those that were removed.
  std::span<T> all() { return records_; }

 private:
  std::vector<T> records_;
  std::vector<Index> free_;
};

}  // namespace collcast

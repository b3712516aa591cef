// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engines/player/event.hpp"

namespace collcast {

/// A hash table from 128-bit keys to pairs of indices, for short-lived entries (linear probing).
class Table {
 public:
  struct Key {
    std::uint64_t a, b;
    bool operator==(const Key&) const = default;
  };
  struct Entry {
    Key key;
    Index first = no_index, second = no_index;
    bool used = false;
  };

  Table() : slots_(16) {}

  /// The entry of a key; null if there is none. Valid until the next `insert` or `erase`.
  Entry* find(Key key) {
    for (std::size_t i = home(key);; i = next(i)) {
      if (!slots_[i].used) return nullptr;
      if (slots_[i].key == key) return &slots_[i];
    }
  }
  /// The key must not be in the table.
  Entry& insert(Key key, Index first, Index second) {
    if (2 * ++size_ > slots_.size()) grow();
    return slots_[vacancy(key)] = {key, first, second, true};
  }
  Entry& find_or_insert(Key key, Index first, Index second) {
    std::size_t i = home(key);
    for (; slots_[i].used; i = next(i))
      if (slots_[i].key == key) return slots_[i];
    if (2 * (size_ + 1) > slots_.size()) return insert(key, first, second);
    ++size_;
    return slots_[i] = {key, first, second, true};
  }
  void erase(Entry* entry) {
    auto hole = static_cast<std::size_t>(entry - slots_.data());
    --size_;
    for (std::size_t i = next(hole); slots_[i].used; i = next(i)) {
      // An entry may move into the hole unless its home slot comes after the hole.
      if (((i - home(slots_[i].key)) & mask()) < ((i - hole) & mask())) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole].used = false;
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Entry& entry : slots_)
      if (entry.used) visit(entry);
  }

 private:
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
  std::size_t home(Key key) const {
    std::uint64_t h = (key.a ^ (key.b * 0x9e3779b97f4a7c15u)) * 0xd6e8feb86659fd93u;
    return static_cast<std::size_t>(h ^ (h >> 32)) & mask();
  }
  std::size_t vacancy(Key key) const {
    std::size_t i = home(key);
    while (slots_[i].used) i = next(i);
    return i;
  }
  void grow() {
    std::vector<Entry> old(2 * slots_.size());
    old.swap(slots_);
    for (const Entry& entry : old)
      if (entry.used) slots_[vacancy(entry.key)] = entry;
  }

  std::vector<Entry> slots_;
  std::size_t size_ = 0;
};

}  // namespace collcast

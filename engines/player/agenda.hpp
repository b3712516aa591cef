// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "engines/player/event.hpp"

namespace collcast {

/// A priority queue: entries in ascending order of their key, entries with the same key first in, first out.
/// Entries with the same key share a bucket, so that only distinct keys are sorted; ranks in step have few.
template <class T>
class Agenda {
 public:
  void at(double key, T what) {
    const Index entry = add(what);
    Index& known = recent_[slot(key)];
    if (known == no_index || buckets_[known].key != key) known = open(key);
    Bucket& bucket = buckets_[known];
    if (bucket.first == no_index)
      bucket.first = entry;
    else
      entries_[bucket.last].next = entry;
    bucket.last = entry;
    ++size_;
  }
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return size_; }
  double next() const { return heap_.front().key; }
  const T& first() const { return entries_[buckets_[heap_.front().bucket].first].what; }
  T pop() {
    const Index at = heap_.front().bucket;
    Bucket& bucket = buckets_[at];
    const Index entry = bucket.first;
    bucket.first = entries_[entry].next;
    entries_[entry].next = free_entry_;
    free_entry_ = entry;
    --size_;
    if (bucket.first == no_index) close(at);
    return entries_[entry].what;
  }

 private:
  struct Entry {
    T what;
    Index next;
  };
  struct Bucket {
    double key;
    std::uint64_t turn;
    Index first, last;
  };
  struct Key {
    double key;
    Index bucket;
  };

  static std::size_t slot(double key) {
    return static_cast<std::size_t>((std::bit_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15u) >> 56);
  }
  auto later() const {
    return [this](const Key& a, const Key& b) {
      return a.key != b.key ? a.key > b.key : buckets_[a.bucket].turn > buckets_[b.bucket].turn;
    };
  }
  Index add(T what) {
    const Index entry = free_entry_;
    if (entry == no_index) {
      entries_.push_back({what, no_index});
      return static_cast<Index>(entries_.size() - 1);
    }
    free_entry_ = entries_[entry].next;
    entries_[entry] = {what, no_index};
    return entry;
  }
  Index open(double key) {
    Index bucket = free_bucket_;
    if (bucket == no_index) {
      bucket = static_cast<Index>(buckets_.size());
      buckets_.emplace_back();
    } else {
      free_bucket_ = buckets_[bucket].first;
    }
    buckets_[bucket] = {key, turn_++, no_index, no_index};
    heap_.push_back({key, bucket});
    std::push_heap(heap_.begin(), heap_.end(), later());
    return bucket;
  }
  void close(Index bucket) {
    Index& known = recent_[slot(buckets_[bucket].key)];
    if (known == bucket) known = no_index;
    std::pop_heap(heap_.begin(), heap_.end(), later());
    heap_.pop_back();
    buckets_[bucket].first = free_bucket_;
    free_bucket_ = bucket;
  }
  static constexpr std::array<Index, 256> none() {
    std::array<Index, 256> all{};
    all.fill(no_index);
    return all;
  }

  std::vector<Key> heap_;
  std::vector<Bucket> buckets_;
  std::vector<Entry> entries_;
  std::array<Index, 256> recent_ = none();  ///< by a hash of the key: the last bucket opened for it
  Index free_bucket_ = no_index, free_entry_ = no_index;
  std::uint64_t turn_ = 0;
  std::size_t size_ = 0;
};

}  // namespace collcast

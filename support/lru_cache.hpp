// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <list>
#include <memory>
#include <string>
#include <utility>

namespace collcast {

/// A cache of the things used last, by key. Only for use by one thread.
template <class Thing, class Key = std::string>
class LruCache {
 public:
  template <class Make>
  std::shared_ptr<const Thing> get(const Key& key, Make make) {
    const auto found = std::ranges::find(things_, key, &Entry::first);
    if (found != things_.end()) {
      things_.splice(things_.begin(), things_, found);
    } else {
      things_.emplace_front(key, make());
      if (things_.size() > most) things_.pop_back();
    }
    return things_.front().second;
  }

 private:
  using Entry = std::pair<Key, std::shared_ptr<const Thing>>;
  static constexpr std::size_t most = 32;
  std::list<Entry> things_;
};

}  // namespace collcast

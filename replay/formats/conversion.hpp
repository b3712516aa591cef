// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/formats/convert.hpp"

// What the writers share.
namespace collcast {

/// Counts what a conversion loses.
class LossCount {
 public:
  /// `time` that the operation took in the recorded run; negative: unknown.
  void add(std::string_view operation, std::string_view reason, Seconds time = {}) {
    counts_.add(operation, reason, 1, std::max(time.value, 0.0));
  }
  void add(const Losses& losses) { more_.insert(more_.end(), losses.begin(), losses.end()); }
  /// All losses, after the source's own.
  Losses losses(const Source& source) const;
  /// Counts what is lost of an activity; true if no format with sizes can hold it at all.
  bool lacks(const Activity& a);

 private:
  LossSums counts_;
  Losses more_;
};

/// Times in whole units that add up to no more or less than the exact ones.
class WholeTimes {
 public:
  explicit WholeTimes(double unit) : unit_(unit) {}
  std::int64_t operator()(Seconds time) {
    exact_ += time;
    const std::int64_t all = std::llround(exact_.value / unit_);
    return all - std::exchange(written_, all);
  }

 private:
  double unit_;
  Seconds exact_;
  std::int64_t written_ = 0;
};

inline std::int64_t whole(Bytes b) {
  return std::llround(b.value);
}

/// The size for each of `ranks`: one for all, or one each.
std::vector<std::int64_t> wholes(const std::vector<Bytes>& sizes, Rank ranks);

inline const std::vector<Rank>& members_of(const Source& source, const Activity& a) {
  return source.communicators().at(static_cast<std::size_t>(a.communicator));
}

/// For each communicator, whether its ranks are in the world's order.
std::vector<bool> in_order(const Source& source);

/// Tags of messages for formats without communicators. They stay the same, unless two communicators use one
/// tag.
class TagsOfAll {
 public:
  int operator()(int communicator, int tag) {
    const auto [known, is_new] = tags_.try_emplace({communicator, tag}, tag);
    for (; is_new && !used_.insert(known->second).second; --next_) known->second = next_;
    return known->second;
  }

 private:
  std::map<std::pair<int, int>, int> tags_;
  std::set<int> used_;
  int next_ = first_collective_tag - 1;
};

/// Visits each activity of a rank that the formats can hold. Waits then name no request of the others.
template <class Visit>
void for_each_activity(const Source& source, Rank rank, LossCount& losses, Visit visit) {
  const auto stream = source.stream(rank, 0);
  std::set<std::int64_t> lost;
  for (Activity a; stream->next(a);) {
    if (losses.lacks(a)) {
      if (a.request >= 0) lost.insert(a.request);
      continue;
    }
    const auto names_lost = [&](std::int64_t request) { return lost.erase(request) > 0; };
    if (std::erase_if(a.requests, names_lost) == 0 || !a.requests.empty()) visit(a);
  }
}

}  // namespace collcast

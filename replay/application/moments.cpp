// SPDX-License-Identifier: Apache-2.0
#include "replay/application/moments.hpp"

#include <algorithm>

namespace collcast {

/// The spans that the new one touches are near the end of the list; they become one with it.
Seconds Moments::add(Seconds begin, Seconds end) {
  if (!(end > begin)) return {};
  auto last = spans_.end();
  while (last != spans_.begin() && last[-1].begin > end) --last;
  Span all{begin, end, end - begin};
  Seconds known;
  auto first = last;
  for (; first != spans_.begin() && first[-1].end >= begin; --first) {
    const Span& other = first[-1];
    const Seconds length = other.end - other.begin,
                  common = std::min(end, other.end) - std::max(begin, other.begin);
    all.sum += other.sum * ((length - common) / length);
    all.begin = std::min(all.begin, other.begin), all.end = std::max(all.end, other.end);
    known += other.sum;
  }
  spans_.insert(spans_.erase(first, last), all);
  sum_ += all.sum - known;
  thin();
  return all.sum - known;
}

/// If there are too many spans, merges neighbours in pairs in the older half.
void Moments::thin() {
  constexpr std::size_t most = 256;
  if (spans_.size() <= most) return;
  for (std::size_t i = 0; i < most / 4; ++i)
    spans_[i] = {spans_[2 * i].begin, spans_[2 * i + 1].end, spans_[2 * i].sum + spans_[2 * i + 1].sum};
  spans_.erase(spans_.begin() + most / 4, spans_.begin() + most / 2);
}

}  // namespace collcast

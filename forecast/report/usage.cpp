// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/usage.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace collcast::report {

void Usage::widen() {
  span_ *= 2;
  for (auto& [which, one] : all_) {
    auto& s = one.by_span;
    for (std::size_t i = 0; i < spans / 2; ++i) s[i] = s[2 * i] + s[2 * i + 1];
    std::fill(s.begin() + spans / 2, s.end(), 0.0F);
  }
}

bool Usage::add(std::uint32_t which, Seconds begin, Seconds end, double amount) {
  while (end.value >= span_ * spans) widen();
  const auto [at, fresh] = all_.try_emplace(which);
  Tally& one = at->second;
  if (fresh) one.by_span.resize(spans);
  one.total += amount, ++one.uses;
  const auto first = static_cast<std::size_t>(begin.value / span_);
  const auto last = static_cast<std::size_t>(end.value / span_);
  const double length = (end - begin).value;
  for (std::size_t i = first; i <= last; ++i) {
    const double from = std::max(begin.value, static_cast<double>(i) * span_);
    const double to = std::min(end.value, static_cast<double>(i + 1) * span_);
    one.by_span[i] += static_cast<float>(length > 0 ? amount * (to - from) / length : amount);
  }
  return fresh;
}

std::vector<Usage::Thing> Usage::most_used(std::size_t most) const {
  std::vector<std::pair<std::uint32_t, const Tally*>> order;
  for (const auto& [which, one] : all_) order.push_back({which, &one});
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return a.second->total != b.second->total ? a.second->total > b.second->total : a.first < b.first;
  });
  order.resize(std::min(order.size(), most));
  std::vector<Thing> result;
  for (const auto& [which, one] : order)
    result.push_back({which, one->total, {one->by_span.begin(), one->by_span.end()}, one->uses});
  return result;
}

std::size_t drawn_as_one(const Usage::Thing& use, double filled) {
  constexpr double apart = 0.25, averaged = 8;  // uses in a span: each can be seen; none can
  const double each = static_cast<double>(use.uses) / filled;
  return each <= apart || each >= averaged ? 1 : static_cast<std::size_t>(std::ceil(averaged / each));
}

void level(std::vector<double>& by_span, double most) {
  double above = 0;
  const auto pass = [&](auto first, auto last) {
    for (; first != last; ++first) {
      above += *first;
      *first = std::min(above, most);
      above -= *first;
    }
  };
  for (auto first = by_span.begin(); first != by_span.end();) {
    const auto rests = std::find(first, by_span.end(), 0.0);
    pass(first, rests);
    pass(std::make_reverse_iterator(rests), std::make_reverse_iterator(first));
    above = 0;  // rounding
    first = std::find_if(rests, by_span.end(), [](double used) { return used > 0; });
  }
}

}  // namespace collcast::report

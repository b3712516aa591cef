// SPDX-License-Identifier: Apache-2.0
#include "replay/application/account.hpp"

#include <algorithm>

namespace collcast {
namespace {

/// Spans further back than this are taken to overlap no new one.
constexpr std::size_t remembered = 64;

}  // namespace

std::string Account::name_of(const Interval& interval) const {
  switch (interval.kind) {
    case Op::Kind::compute:
    case Op::Kind::pause:
      return "";
    case Op::Kind::start:
      return std::string(application_.operation(interval.tag));
    case Op::Kind::wait:
      return static_cast<std::int32_t>(interval.tag) < 0 ? "" : "wait";
    case Op::Kind::receive:
      return "recv";
    default:
      return "send";
  }
}

/// Intervals come in the order of their ends, so a new one swallows those at the back that it overlaps.
void Account::done(const Interval& interval) {
  const std::string name = name_of(interval);
  if (name.empty()) return;
  times_[name] += interval.end - interval.begin;
  auto& spans = open_[static_cast<std::size_t>(interval.rank)];
  Span merged{interval.begin, interval.end};
  while (!spans.empty() && spans.back().end >= merged.begin) {
    communication_ -= spans.back().end - spans.back().begin;
    merged.begin = std::min(merged.begin, spans.back().begin);
    merged.end = std::max(merged.end, spans.back().end);
    spans.pop_back();
  }
  communication_ += merged.end - merged.begin;
  if (spans.size() == remembered) spans.erase(spans.begin(), spans.begin() + remembered / 2);
  spans.push_back(merged);
}

}  // namespace collcast

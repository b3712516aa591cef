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

void Account::done(const Interval& interval) {
  const std::string name = name_of(interval);
  if (name.empty()) return;
  const Span span{interval.begin, interval.end};
  auto& open = open_[static_cast<std::size_t>(interval.rank)];
  times_[name] += open[name].add(span);
  if (interval.kind != Op::Kind::start || !application_.is_own(interval.tag))
    communication_ += open[""].add(span);
}

/// They come in the order of their ends, so a new one swallows those at the back that it overlaps.
Seconds Account::Union::add(Span span) {
  Seconds grown;
  while (!spans.empty() && spans.back().end >= span.begin) {
    grown -= spans.back().end - spans.back().begin;
    span.begin = std::min(span.begin, spans.back().begin);
    span.end = std::max(span.end, spans.back().end);
    spans.pop_back();
  }
  if (spans.size() == remembered) spans.erase(spans.begin(), spans.begin() + remembered / 2);
  spans.push_back(span);
  return grown + (span.end - span.begin);
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "replay/application/account.hpp"

namespace collcast {

std::string Account::name_of(const Interval& interval) const {
  switch (interval.kind) {
    case Op::Kind::compute:
    case Op::Kind::pause:
      return "";
    case Op::Kind::start:
      if (const auto* o = application_.operations().operation(interval.tag)) return o->name;
      return "";
    case Op::Kind::wait:
      return static_cast<std::int32_t>(interval.tag) < 0 ? "" : "wait";
    case Op::Kind::receive:
      return "recv";
    default:
      return "send";
  }
}

void Account::done(const Interval& interval) {
  const auto rank = static_cast<std::size_t>(interval.rank);
  const auto busy = [&] { busy_ += open_busy_[rank].add(interval.begin, interval.end); };
  if (interval.kind == Op::Kind::compute) busy();
  const std::string name = name_of(interval);
  if (name.empty()) return;
  auto& open = open_[rank];
  times_[name] += open[name].add(interval.begin, interval.end);
  const auto* operation = application_.operations().operation(interval.tag);
  if (interval.kind == Op::Kind::start && operation && operation->own) return;
  communication_ += open[""].add(interval.begin, interval.end);
  busy();
}

}  // namespace collcast

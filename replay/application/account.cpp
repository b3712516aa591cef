// SPDX-License-Identifier: Apache-2.0
#include "replay/application/account.hpp"

namespace collcast {

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
  const auto rank = static_cast<std::size_t>(interval.rank);
  const auto busy = [&] { busy_ += open_busy_[rank].add(interval.begin, interval.end); };
  if (interval.kind == Op::Kind::compute) busy();
  const std::string name = name_of(interval);
  if (name.empty()) return;
  auto& open = open_[rank];
  times_[name] += open[name].add(interval.begin, interval.end);
  if (interval.kind == Op::Kind::start && application_.is_own(interval.tag)) return;
  communication_ += open[""].add(interval.begin, interval.end);
  busy();
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/source/recorded.hpp"
#include "replay/trace/event_checker.hpp"

namespace collcast {

/// The most that a call moves, and that anything lasts. Larger values in a file are damage.
inline constexpr Bytes most_of_a_call(1125899906842624);  // 1 PiB
using trace::longest_of_all;

/// Sizes and times that no job has become unknown, and are counted as lost.
void forget_impossible(RecordedSource& source);

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "replay/source/recorded.hpp"

namespace collcast {

/// Sets `time` of each collective to its shortest recorded duration over the ranks, waiting for late ranks
/// left out; where ranks hold different numbers of collectives of a communicator, notes it and marks the
/// source truncated.
void compare_ranks(RecordedSource& source);

/// Takes the first rank for the root, with a note, where ranks say different ones of the same call.
void agree_on_roots(RecordedSource& source);

/// Ranks begin as far apart as their own clocks say, in `begins`, where these agree: no rank is through with
/// a collective before another one comes to it. Else all begin together, with a note. Collectives that do not
/// hold up everybody (broadcast, reduce, gather, scatter, scan) say nothing. Returns whether they agree.
bool begin_as_recorded(RecordedSource& source, const std::map<Rank, Seconds>& begins);

/// One rank says of some collectives what it gives or gets alone: it is not taken for several.
void keep_alone(RecordedSource& source);

/// Notes where whole, ordered recordings of ranks contradict each other: collectives that differ in kind,
/// size or root, messages that are longer than what receives them, that nobody receives, that nobody sends.
void note_contradictions(RecordedSource& source);

}  // namespace collcast

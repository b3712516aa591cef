// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string_view>

#include "replay/source/recorded.hpp"

namespace collcast {

/// Sets `time` of each collective to its shortest recorded duration over the ranks, waiting for late ranks
/// left out; where ranks hold different numbers of collectives of a communicator, notes it and marks the
/// source truncated.
void compare_ranks(RecordedSource& source);

/// Whether no rank is through with it before the last has come.
bool holds_up_all(Collective c);

/// Leaves out, and counts as lost, calls whose number (Activity::number) another rank of their communicator
/// lacks although it holds later ones, so that calls at the same place are the same call. `of_each_kind`:
/// each kind of collective is numbered by itself.
void leave_out_lost(RecordedSource& source, bool of_each_kind);

/// Gives gathers and scatters whose size a rank does not know that of their root's call.
void sizes_from_roots(RecordedSource& source);

/// What a receive says that takes any tag, and one that has asked for the size of its message (MPI_Probe).
inline constexpr int of_any_tag = -1;
inline constexpr Bytes size_of_message{-1};
/// Gives such receives the tag and the size of the message that they match.
void match_receives(RecordedSource& source);

/// Takes the first rank for the root, with a note, where ranks say different ones of the same call.
void agree_on_roots(RecordedSource& source);

/// Ranks begin as far apart as their own clocks say, in `begins`, where these agree: no rank is through with
/// a collective before another one comes to it. Else all begin together, with a note. Collectives that do not
/// hold up everybody (broadcast, reduce, gather, scatter, scan) say nothing, nor do those without times.
/// Returns whether they agree; begins of calls are then by one clock, and the source says so.
bool begin_as_recorded(RecordedSource& source, const std::map<Rank, Seconds>& begins);

/// Where only some recorded ranks came to the job's last call, `done`: marks the source truncated, and notes
/// who ends before it.
void note_early_ends(RecordedSource& source, const std::set<Rank>& done, std::string_view last_call);

/// One rank says of some collectives what it gives or gets alone: it is not taken for several.
void keep_alone(RecordedSource& source);

/// Notes where whole, ordered recordings of ranks contradict each other: collectives that differ in kind,
/// size or root, messages that are longer than what receives them, that nobody receives, that nobody sends.
void note_contradictions(RecordedSource& source);

}  // namespace collcast

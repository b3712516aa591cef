// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string_view>

#include "replay/source/recorded.hpp"

namespace collcast {

/// Sets `time` of each collective to its shortest recorded duration over the ranks, which leaves out waiting
/// for late ranks. If ranks hold different numbers of a communicator's collectives, notes that and marks the
/// source truncated.
void compare_ranks(RecordedSource& source);

/// Whether no rank is done with the collective before the last rank has come.
bool holds_up_all(Collective c);

/// Leaves out, and counts as lost, each call that another rank of its communicator lacks although that rank
/// holds later ones, by Activity::number. Then calls at the same place are the same call. `of_each_kind`:
/// each kind of collective is numbered by itself.
void leave_out_lost(RecordedSource& source, bool of_each_kind);

/// Gives gathers and scatters the size in their root's call, on ranks that do not know it.
void sizes_from_roots(RecordedSource& source);

/// The tag of a receive that takes any tag, and the size of one that has asked for its message's size
/// (MPI_Probe).
inline constexpr int of_any_tag = -1;
inline constexpr Bytes size_of_message{-1};
/// Gives such receives the tag and the size of the message that they match.
void match_receives(RecordedSource& source);

/// If ranks name different roots of the same call, takes the root that the first rank names, with a note.
void agree_on_roots(RecordedSource& source);

/// Lets ranks begin as far apart as their own clocks say, in `begins`, if the clocks agree: no rank is done
/// with a collective before another one comes to it. Then the source says that calls begin by one clock. If
/// clocks disagree, all ranks begin together, with a note. Collectives that do not hold up everybody
/// (broadcast, reduce, gather, scatter, scan) and those without times tell nothing. Returns whether the
/// clocks agree; false if nothing tells.
bool begin_as_recorded(RecordedSource& source, const std::map<Rank, Seconds>& begins);

/// If only some recorded ranks (`done`) came to the job's last call, marks the source truncated, and notes
/// who ends before that call.
void note_early_ends(RecordedSource& source, const std::set<Rank>& done, std::string_view last_call);

/// A source of one rank cannot be scaled if it has collectives of which the rank says only its own share.
void mark_if_unscalable(RecordedSource& source);

/// Notes contradictions between ranks, in complete and ordered recordings: collectives that differ in kind,
/// size or root; messages that are longer than their receive, that nobody receives, or that nobody sends.
void note_contradictions(RecordedSource& source);

}  // namespace collcast

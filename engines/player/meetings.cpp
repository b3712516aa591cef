// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engines/player/interpreter.hpp"

namespace collcast {

std::vector<Rank> Interpreter::ranks_of(const Meeting& m) const {
  std::vector<Rank> ranks;
  for (Index s = m.first; s != no_index; s = strands_[s].next_to_join) ranks.push_back(strands_[s].rank);
  return ranks;
}

/// The meetings under way of these ranks, each once, in ascending order.
std::vector<Index> Interpreter::meetings_of(const std::vector<Rank>& ranks) const {
  std::vector<Index> all;
  for (const Rank r : ranks) {
    const std::vector<Index>& here = ranks_[static_cast<std::size_t>(r)].meetings;
    all.insert(all.end(), here.begin(), here.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// The share of a rank's links that its meetings under way take.
double Interpreter::load_of(Rank rank, bool between_nodes) const {
  double load = 0;
  for (const Index id : ranks_[static_cast<std::size_t>(rank)].meetings)
    if (meetings_[id].between_nodes == between_nodes) load += meetings_[id].load;
  return load;
}

/// A strand comes to a meeting. With the last one the time begins to pass for all, and other meetings of
/// these ranks may become slower.
void Interpreter::meet(Index strand, const Op& op) {
  const Index first = assemble(strand, rank_key(-1, op.tag), op.count);
  if (first == no_index) return;
  const Seconds now = backend_.now();
  const Index id = meetings_.add({first, why_, op.peer, op.load, op.between_nodes, now, now, op.time});
  for (Index s = first; s != no_index; s = strands_[s].next_to_join) strands_[s].met = now;
  if (op.load == 0) return pace(id);
  const std::vector<Rank> ranks = ranks_of(meetings_[id]);
  for (const Rank r : ranks) rank_state(r).meetings.push_back(id);
  for (const Index other : meetings_of(ranks)) pace(other);
}

/// Sets the pace of a meeting, by the most loaded links of its ranks.
void Interpreter::pace(Index id) {
  Meeting& m = meetings_[id];
  double slower = 1;
  if (m.load > 0)
    for (Index s = m.first; s != no_index; s = strands_[s].next_to_join)
      slower = std::max(slower, load_of(strands_[s].rank, m.between_nodes));
  if (m.turn > 0 && slower == m.slower) return;
  const Seconds now = backend_.now();
  m.left = std::max(Seconds(), m.left - (now - m.since) / m.slower);
  m.since = now, m.slower = slower, m.turn = ++turns_;
  backend_.after(slower * m.left, {Event::Kind::met, dues_.add({id, m.turn})});
}

void Interpreter::met(Index due) {
  const Due d = dues_[due];
  dues_.remove(due);
  if (meetings_[d.meeting].turn == d.turn) end_meeting(d.meeting);
}

/// Ends a meeting: all its strands go on, and meetings that it slowed down become faster.
void Interpreter::end_meeting(Index id) {
  const Meeting m = meetings_[id];
  meetings_[id].turn = 0;
  meetings_.remove(id);
  if (m.load > 0) {
    const std::vector<Rank> ranks = ranks_of(m);
    for (const Rank r : ranks) std::erase(rank_state(r).meetings, id);
    for (const Index other : meetings_of(ranks)) pace(other);
  }
  for (Index s = m.first, next; s != no_index; s = next) {
    next = strands_[s].next_to_join;
    why_ = log_.add(m.why, backend_.now() - m.begin, Cause::collective, strands_[s].rank, m.explained_by);
    release(s);
  }
}

}  // namespace collcast

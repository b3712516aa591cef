// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/across_ranks.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <tuple>

#include "support/text.hpp"

namespace collcast {
namespace {

/// A rank's collectives on a communicator, in order.
struct Calls {
  Rank rank;
  std::vector<Activity*> all;
};

/// By communicator, the calls of each member that has some.
std::map<int, std::vector<Calls>> by_communicator(RecordedSource& source) {
  std::map<int, std::vector<Calls>> all;
  for (Rank r = 0; r < source.ranks(); ++r) {
    std::map<int, std::vector<Activity*>> mine;
    for (int s = 0; s < source.streams(r); ++s)
      for (Activity& a : source.at(r, s))
        if (a.kind == Activity::Kind::collective) mine[a.communicator].push_back(&a);
    for (auto& [communicator, calls] : mine) all[communicator].push_back({r, std::move(calls)});
  }
  return all;
}

bool has_times(const std::vector<Calls>& members, std::size_t call) {
  return std::ranges::all_of(members, [&](const Calls& c) {
    return c.all[call]->begin >= Seconds(0) && c.all[call]->duration >= Seconds(0);
  });
}

std::size_t least_of(const std::vector<Calls>& members) {
  return std::ranges::min_element(members, {}, [](const Calls& c) { return c.all.size(); })->all.size();
}

/// By how much the clocks disagree at least; up to 0: they agree; none if no collective tells.
std::optional<Seconds> disagreement(RecordedSource& source, const std::map<Rank, Seconds>& begins) {
  std::optional<Seconds> worst;
  for (const auto& [communicator, members] : by_communicator(source)) {
    for (std::size_t i = 0; members.size() > 1 && i < least_of(members); ++i) {
      if (!holds_up_all(members[0].all[i]->collective) || !has_times(members, i)) continue;
      Seconds last_begin = begins.at(members[0].rank) + members[0].all[i]->begin,
              first_end = last_begin + members[0].all[i]->duration;
      for (const Calls& c : members) {
        const Seconds begin = begins.at(c.rank) + c.all[i]->begin;
        last_begin = std::max(last_begin, begin), first_end = std::min(first_end, begin + c.all[i]->duration);
      }
      worst = std::max(worst.value_or(last_begin - first_end), last_begin - first_end);
    }
  }
  return worst;
}

/// Contradictions of one kind: the first one in words, and their number.
struct Contradiction {
  std::string first;
  std::int64_t count = 0;

  void add(const std::string& words) {
    if (count++ == 0) first = words;
  }
  void note(SourceInfo& info) const {
    if (count > 0)
      info.notes.push_back("ranks contradict each other: " + first +
                           (count > 1 ? ", and " + text::count(count - 1) + " more such" : ""));
  }
};

/// Whether all ranks of the call should say the same size; in other calls each rank has its own part.
bool equally_sized(const Activity& a) {
  return a.sized && !a.counts && !a.direct &&
         (definition(a.collective).rooted || a.collective == Collective::allreduce);
}

/// What a rank says about a call of which other ranks say the same.
struct CallSaid {
  Rank rank;
  std::string_view operation;
  Collective collective;
  Rank root;
  Bytes message;
  bool sized;  ///< `message` is what all ranks say

  CallSaid(Rank r, const Activity& a)
      : rank(r),
        operation(a.operation),
        collective(a.collective),
        root(a.root),
        message(a.message),
        sized(equally_sized(a)) {}
  bool like(const CallSaid& o) const {
    return collective == o.collective && (!definition(collective).rooted || root == o.root) &&
           (!sized || !o.sized || message == o.message);
  }
  std::string words() const {
    return "rank " + std::to_string(rank) + "'s " + std::string(operation) +
           (sized ? " of " + text::bytes(message.value) : "") +
           (definition(collective).rooted ? " with root " + std::to_string(root) : "");
  }
};

/// A communicator's calls, as its first member says them, and the first contradiction of each.
struct CallsSaid {
  std::vector<CallSaid> all;
  std::map<std::size_t, CallSaid> others;
  Rank rank = 0;                                                ///< whose calls are being read
  std::size_t read = 0;                                         ///< how many of them
  std::size_t least = std::numeric_limits<std::size_t>::max();  ///< calls of any member

  void end_rank() { least = std::min(least, read); }
  void add(const CallSaid& said) {
    if (said.rank != rank && read > 0) end_rank(), read = 0;
    rank = said.rank;
    if (all.empty() || all[0].rank == rank)
      all.push_back(said);
    else if (read < all.size() && !all[read].like(said))
      others.emplace(read, said);
    ++read;
  }
};

void compare_calls(RecordedSource& source) {
  std::map<int, CallsSaid> by_communicator;
  source.for_each([&](Rank r, int, const Activity& a) {
    if (a.kind == Activity::Kind::collective) by_communicator[a.communicator].add({r, a});
  });
  Contradiction found;
  for (auto& [communicator, calls] : by_communicator) {
    calls.end_rank();
    for (const auto& [i, other] : calls.others)
      if (i < calls.least)
        found.add("collective " + std::to_string(i + 1) + " of communicator " + std::to_string(communicator) +
                  " is " + calls.all[i].words() + " and " + other.words());
  }
  found.note(source.info());
}

/// Messages of one sender, receiver, communicator and tag.
struct Channel {
  std::vector<Bytes> sent, received;
};
using Channels = std::map<std::tuple<Rank, Rank, int, int>, Channel>;

Channels channels_of(const RecordedSource& source) {
  Channels all;
  using Kind = Activity::Kind;
  source.for_each([&](Rank r, int, const Activity& a) {
    const auto& members = source.communicators()[static_cast<std::size_t>(a.communicator)];
    // The player refuses a peer that is no member.
    const auto peer = [&](Rank p) {
      return p >= 0 && p < std::ssize(members) ? members[static_cast<std::size_t>(p)] : -1;
    };
    if (a.kind == Kind::send || a.kind == Kind::exchange)
      all[{r, peer(a.to), a.communicator, a.tag}].sent.push_back(a.bytes);
    if (a.kind == Kind::receive || a.kind == Kind::exchange)
      all[{peer(a.from), r, a.communicator, a.received_tag}].received.push_back(a.received_bytes);
  });
  return all;
}

void compare_messages(RecordedSource& source) {
  Contradiction longer, unreceived, unsent;
  const auto& recorded = source.info().recorded_ranks;
  const auto known = [&](Rank r) { return recorded.empty() || std::ranges::binary_search(recorded, r); };
  for (auto& [ends, c] : channels_of(source)) {
    const auto [from, to, communicator, tag] = ends;
    if (from < 0 || to < 0 || !known(from) || !known(to)) continue;
    // Which messages of a tag meet is known only if both ranks have one stream.
    if (source.streams(from) > 1 || source.streams(to) > 1)
      std::ranges::sort(c.sent), std::ranges::sort(c.received);
    const std::string of = " from rank " + std::to_string(from) + " to rank " + std::to_string(to) +
                           " (tag " + std::to_string(tag) + ")";
    const std::size_t met = std::min(c.sent.size(), c.received.size());
    for (std::size_t i = 0; i < met && c.sent.size() == c.received.size(); ++i)
      if (c.sent[i] > c.received[i])
        longer.add("a message of " + text::bytes(c.sent[i].value) + of + " meets a receive of " +
                   text::bytes(c.received[i].value));
    for (std::size_t i = met; i < c.sent.size(); ++i) unreceived.add("a message" + of + " is never received");
    for (std::size_t i = met; i < c.received.size(); ++i) unsent.add("a message" + of + " is never sent");
  }
  for (const Contradiction* c : {&longer, &unreceived, &unsent}) c->note(source.info());
}

/// What tells a call from others of its communicator.
using CallKey = std::pair<Collective, std::int64_t>;

/// The calls that some member lacks although it holds later ones. Calls without a number do not count. A call
/// is lost by some member if fewer members hold both the call and later ones than hold later ones.
std::set<const Activity*> lost_by_some(const std::vector<Calls>& members, bool of_each_kind) {
  const auto kind = [&](const Activity& a) { return of_each_kind ? a.collective : Collective::barrier; };
  std::map<Collective, std::vector<std::int64_t>> latest;  // latest number of each member
  std::map<CallKey, std::ptrdiff_t> going_on;              // members that hold it and later ones
  for (const Calls& c : members) {
    std::map<Collective, std::set<std::int64_t>> held;
    for (const Activity* a : c.all)
      if (a->number >= 0) held[kind(*a)].insert(a->number);
    for (const auto& [k, numbers] : held) {
      latest[k].push_back(*numbers.rbegin());
      for (const std::int64_t n : numbers) going_on[{k, n}] += n < *numbers.rbegin();
    }
  }
  for (auto& [k, numbers] : latest) std::ranges::sort(numbers);
  std::set<const Activity*> lost;
  for (const Calls& c : members)
    for (const Activity* a : c.all) {
      if (a->number < 0) continue;
      const auto& of_all = latest.at(kind(*a));
      if (of_all.end() - std::ranges::upper_bound(of_all, a->number) > going_on.at({kind(*a), a->number}))
        lost.insert(a);
    }
  return lost;
}

template <class Is>
bool anything(const RecordedSource& source, Is is) {
  bool found = false;
  source.for_each([&](Rank, int, const Activity& a) { found = found || is(a); });
  return found;
}

/// Lets the rank begin later: moves its begins, and adds a pause before.
void begin_later(RecordedSource& source, Rank rank, Seconds by) {
  for (int s = 0; s < source.streams(rank); ++s) {
    RecordedSource::Stream& stream = source.at(rank, s);
    for (Activity& a : stream)
      if (a.begin >= Seconds(0)) a.begin += by;
    Activity late;
    late.kind = Activity::Kind::pause;
    late.time = by;
    stream.insert(stream.begin(), late);
  }
}

}  // namespace

bool holds_up_all(Collective c) {
  return c == Collective::allreduce || c == Collective::allgather || c == Collective::reduce_scatter ||
         c == Collective::alltoall || c == Collective::barrier;
}

void leave_out_lost(RecordedSource& source, bool of_each_kind) {
  std::set<const Activity*> lost;
  for (const auto& [communicator, members] : by_communicator(source))
    lost.merge(lost_by_some(members, of_each_kind));
  if (lost.empty()) return;
  for (Rank r = 0; r < source.ranks(); ++r)
    for (int s = 0; s < source.streams(r); ++s) {
      RecordedSource::Stream kept;
      for (Activity& a : source.at(r, s))
        if (!lost.contains(&a)) kept.push_back(std::move(a));
      source.at(r, s) = std::move(kept);
    }
  source.info().losses.push_back({"collective", std::ssize(lost),
                                  "left out: another rank lost the call of this number in its communicator"});
}

void note_early_ends(RecordedSource& source, const std::set<Rank>& done, std::string_view last_call) {
  std::vector<Rank> early = recorded_ranks(source);
  std::erase_if(early, [&](Rank r) { return done.contains(r); });
  if (done.empty() || early.empty()) return;
  const std::string more = early.size() > 1 ? " (and " + std::to_string(early.size() - 1) + " more)" : "";
  source.info().truncated = true;
  source.info().notes.push_back("rank " + std::to_string(early[0]) + more + " ends before " +
                                std::string(last_call) + ", to which others come: its file is cut short");
}

void mark_if_unscalable(RecordedSource& source) {
  if (source.ranks() != 1) return;
  source.for_each([&](Rank, int, const Activity& a) {
    const bool share = a.collective == Collective::allgather || a.collective == Collective::gather ||
                       a.collective == Collective::scatter;
    if (a.kind == Activity::Kind::collective && share && a.sized)
      source.info().unscalable = std::string(a.operation) +
                                 " says what one rank gives or gets, not how many are recorded; name the "
                                 "files of all ranks";
  });
}

void note_contradictions(RecordedSource& source) {
  if (!source.info().ordered || source.info().truncated || !source.info().losses.empty()) return;
  compare_calls(source);
  // A skipped operation may be the other end; a receive of any tag may meet several messages.
  const bool open = anything(
      source, [](const Activity& a) { return a.kind == Activity::Kind::skipped || a.received_tag < 0; });
  if (!open) compare_messages(source);
}

void sizes_from_roots(RecordedSource& source) {
  const auto by_root = [](const Activity& a) {
    return a.kind == Activity::Kind::collective &&
           (a.collective == Collective::gather || a.collective == Collective::scatter);
  };
  if (!anything(source, [&](const Activity& a) { return by_root(a) && !a.sized; })) return;
  using Number = std::pair<int, std::int64_t>;  // of a collective in its communicator
  const auto numbered = [](auto visit) {
    return [visit, of = Rank(-1), numbers = std::map<int, std::int64_t>()](Rank r, int, auto& a) mutable {
      if (r != of) of = r, numbers.clear();
      if (a.kind == Activity::Kind::collective)
        visit(r, Number(a.communicator, numbers[a.communicator]++), a);
    };
  };
  std::map<Number, Activity> known;
  source.for_each(numbered([&](Rank r, Number n, const Activity& a) {
    const auto& members = source.communicators().at(static_cast<std::size_t>(n.first));
    if (by_root(a) && a.sized && members.at(static_cast<std::size_t>(a.root)) == r) known.emplace(n, a);
  }));
  source.edit(numbered([&](Rank, Number n, Activity& a) {
    const auto root = known.find(n);
    if (a.sized || root == known.end() || !CallSaid(0, a).like(CallSaid(0, root->second))) return;
    a.sized = true, a.message = root->second.message, a.counts = root->second.counts;
  }));
}

namespace {

/// Sends from one rank to another that no receive has matched yet, by tag, with their place among all sends.
struct Unmatched {
  struct Sent {
    std::int64_t place;
    Bytes bytes;
  };
  std::map<int, std::deque<Sent>> by_tag;
  std::int64_t sent = 0;

  /// The first send that a receive with this tag matches, as messages do not overtake each other; end: none.
  std::map<int, std::deque<Sent>>::iterator matched(int tag) {
    if (tag != of_any_tag) return by_tag.find(tag);
    return std::ranges::min_element(by_tag, {}, [](const auto& sends) { return sends.second.front().place; });
  }
};

}  // namespace

void match_receives(RecordedSource& source) {
  using Kind = Activity::Kind;
  if (!anything(source,
                [](const Activity& a) { return a.received_tag == of_any_tag || a.received_bytes < Bytes(); }))
    return;
  std::map<std::tuple<int, Rank, Rank>, Unmatched> all;  // by communicator, sender, receiver
  const auto messages = [&](auto visit) {
    return [&source, visit](Rank r, int, auto& a) {
      if (a.kind != Kind::send && a.kind != Kind::receive && a.kind != Kind::exchange) return;
      const auto& members = source.communicators()[static_cast<std::size_t>(a.communicator)];
      visit(a, static_cast<Rank>(std::ranges::find(members, r) - members.begin()));
    };
  };
  source.for_each(messages([&](const Activity& a, Rank me) {
    if (a.kind == Kind::receive) return;
    Unmatched& to = all[{a.communicator, me, a.to}];
    to.by_tag[a.tag].push_back({to.sent++, a.bytes});
  }));
  source.edit(messages([&](Activity& a, Rank me) {
    if (a.kind == Kind::send) return;
    Unmatched& from = all[{a.communicator, a.from, me}];
    const auto sends = from.matched(a.received_tag);
    if (sends == from.by_tag.end()) {
      a.received_bytes = std::max(a.received_bytes, Bytes());
      return;
    }
    a.received_tag = sends->first;
    if (a.received_bytes < Bytes()) a.received_bytes = sends->second.front().bytes;
    sends->second.pop_front();
    if (sends->second.empty()) from.by_tag.erase(sends);
  }));
}

void agree_on_roots(RecordedSource& source) {
  std::int64_t count = 0;
  for (const auto& [communicator, members] : by_communicator(source))
    for (std::size_t i = 0; i < least_of(members); ++i) {
      const Activity& first = *members[0].all[i];
      if (std::ranges::all_of(members, [&](const Calls& c) { return c.all[i]->root == first.root; }))
        continue;
      ++count;
      for (const Calls& c : members) c.all[i]->root = 0;
    }
  if (count)
    source.info().notes.push_back("ranks say different roots of " + text::count(count) +
                                  " calls: taken as the first rank");
}

void compare_ranks(RecordedSource& source) {
  for (const auto& [communicator, members] : by_communicator(source)) {
    const std::size_t least = least_of(members);
    std::size_t most = least;
    for (const Calls& c : members) most = std::max(most, c.all.size());
    if (least != most) {
      source.info().truncated = true;
      source.info().notes.push_back("ranks hold " + std::to_string(least) + " to " + std::to_string(most) +
                                    " collectives of communicator " + std::to_string(communicator));
    }
    for (std::size_t i = 0; i < least; ++i) {
      Seconds shortest = members[0].all[i]->duration;
      for (const Calls& c : members) shortest = std::min(shortest, c.all[i]->duration);
      for (const Calls& c : members) c.all[i]->time = std::max(shortest, Seconds(0));
    }
    for (const Calls& c : members)
      for (std::size_t i = least; i < c.all.size(); ++i)
        c.all[i]->time = std::max(c.all[i]->duration, Seconds(0));
  }
}

bool begin_as_recorded(RecordedSource& source, const std::map<Rank, Seconds>& begins) {
  const std::optional<Seconds> apart = disagreement(source, begins);
  if (!apart) return false;
  std::vector<std::string>& notes = source.info().notes;
  if (*apart > Seconds(0)) {
    notes.push_back("the ranks' clocks disagree, by " + text::seconds(apart->value) +
                    " at least: all begin together");
    return false;
  }
  source.info().one_clock = true;
  Seconds first = begins.begin()->second, last = first;
  for (const auto& [rank, begin] : begins) first = std::min(first, begin), last = std::max(last, begin);
  if (last == first) return true;
  notes.push_back("ranks begin as recorded, up to " + text::seconds((last - first).value) + " apart");
  for (const auto& [rank, begin] : begins)
    if (begin > first) begin_later(source, rank, begin - first);
  return true;
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "engines/contention/steady.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "engines/contention/contention.hpp"
#include "model/lowering.hpp"
#include "model/repeats.hpp"

namespace collcast {
namespace {

/// How many periods must each be like the period before.
constexpr double same = 2;
/// Relative difference between delays that count as equal.
constexpr double alike = 1e-9;
/// The most messages, copies of multicasts included, of a play whose times are noted: 50 MB.
constexpr std::size_t most_noted = 1'000'000;

/// A repeat, of which only the first periods are played.
struct Cut {
  Repeat whole;
  std::int64_t periods;  ///< how many of them are played
  std::int64_t all() const { return (whole.last - whole.first) / whole.period; }
  std::int64_t left_out() const { return (all() - periods) * whole.period; }  ///< steps
};

Schedule shortened(const Schedule& schedule, std::vector<Cut> cuts) {
  Schedule shorter = schedule;
  for (const Cut& c : cuts) shorter.steps -= c.left_out();
  shorter.rule = [whole = schedule.rule, cuts = std::move(cuts)](std::int64_t s, Step& step) {
    for (const Cut& c : cuts)
      if (s >= c.whole.first + c.periods * c.whole.period) s += c.left_out();
    whole(s, step);
  };
  return shorter;
}

/// The numbers of the messages in a cut's played periods (Op::order).
struct Span {
  std::uint64_t begin = 0, period = 0, end = 0;
};

std::uint64_t operations_of(const Step& step) {
  const auto sent =
      std::ranges::count_if(step.transfers, [](const Transfer& t) { return !(t.from == t.to); });
  return static_cast<std::uint64_t>(sent) + step.multicasts.size() + step.reductions.size();
}

std::vector<Span> spans(const Schedule& schedule, const std::vector<Cut>& cuts) {
  std::vector<Span> all(cuts.size());
  std::uint64_t count = 0;
  std::int64_t left_out = 0;
  Step step;
  auto cut = cuts.begin();
  for (std::int64_t s = 0; s < schedule.steps && cut != cuts.end(); ++s) {
    const std::int64_t first = cut->whole.first - left_out, at = s - first;
    Span& span = all[static_cast<std::size_t>(cut - cuts.begin())];
    if (at == 0) span.begin = count;
    if (at == cut->whole.period) span.period = count - span.begin;
    step.clear();
    schedule.rule(s, step);
    count += operations_of(step);
    if (s + 1 < cut->whole.last - left_out - cut->left_out()) continue;
    span.end = count;
    left_out += cut->left_out();
    ++cut;
  }
  return all;
}

/// Notes the times of every message.
class Notes : public Observer {
 public:
  struct Note {
    std::uint64_t order;
    Rank from, to;
    std::array<double, 4> times;  ///< posted, left, arrived, done
    auto key() const { return std::tuple(order, from, to); }
  };
  void done(const Interval&) override {}
  void delivered(const Delivery& d) override {
    notes_.push_back(
        {d.order, d.from.rank, d.to.rank, {d.posted.value, d.left.value, d.arrived.value, d.done.value}});
  }
  std::vector<Note> sorted() && {
    std::ranges::sort(notes_, {}, &Note::key);
    return std::move(notes_);
  }

 private:
  std::vector<Note> notes_;
};
using Note = Notes::Note;

/// The time in which the messages of a repeat come like those of the period before, later by `delay`.
struct Steady {
  double delay, begin, end;  // s
};

/// Finds the steady time of a repeat. It begins after the first period and all before it have ended, and
/// after the last message that did not come like the one a period before. It ends when the last period, or
/// anything after it, begins.
std::optional<Steady> steady(const std::vector<Note>& notes, const Span& span) {
  const auto from = [&](std::uint64_t order) {
    return std::ranges::lower_bound(notes, order, {}, &Note::order);
  };
  const auto second = from(span.begin + span.period), last = from(span.end - span.period),
             end = from(span.end);
  double begins = 0, ends = std::numeric_limits<double>::infinity();
  for (auto n = notes.begin(); n != second; ++n) begins = std::max(begins, n->times.back());
  for (auto n = last; n != notes.end(); ++n) ends = std::min(ends, n->times.front());

  // The messages of each period are in the same order.
  const auto before = second - from(span.begin);
  if (before == 0) return {};
  const auto like = [&](const Note& a, const Note& b) {
    return a.order == b.order + span.period && a.from == b.from && a.to == b.to;
  };
  auto latest = end;
  for (auto n = second; n != end; ++n) {
    if (!like(*n, n[-before])) return {};
    if (n->times[0] < ends && (latest == end || n->times[0] > latest->times[0])) latest = n;
  }
  if (latest == end) return {};
  const double delay = latest->times[0] - latest[-before].times[0];
  if (!(delay > 0)) return {};
  for (auto n = second; n != end; ++n)
    for (std::size_t i = 0; i < n->times.size(); ++i) {
      const double now = std::min(n->times[i], ends), then = std::min(n[-before].times[i] + delay, ends);
      if (std::abs(now - then) > alike * delay) begins = std::max({begins, now, then});
    }
  const double periods = std::floor((ends - begins) / delay) - 1;
  // Messages under way at its end must have set out after its beginning.
  const bool known = std::all_of(second, last, [&](const Note& n) {
    return n.times.front() > begins || n.times.front() >= ends || n.times.back() <= ends;
  });
  if (periods < same || !known) return {};
  return Steady{delay, ends - periods * delay, ends};
}

Result play_with(const std::vector<Cut>& cuts, const Schedule& schedule, const Layout& layout,
                 const Fabric& fabric, const PlayOptions& options) {
  return contend(*program(shortened(schedule, cuts), layout), fabric, options);
}

/// Prolongs the delays that lie in a steady time, by `later` in all.
void prolong(std::vector<Delay>& chain, Seconds end, const std::vector<Steady>& states,
             const std::vector<Seconds>& later) {
  double at = end.value;
  for (Delay& d : chain) {
    const double begin = at - d.time.value;
    for (std::size_t i = 0; i < states.size(); ++i) {
      const Steady& s = states[i];
      const double within = std::min(at, s.end) - std::max(begin, s.begin);
      if (within > 0) d.time += within / (s.end - s.begin) * later[i];
    }
    at = begin;
  }
}

void add(std::vector<Result::Use>& to, const std::vector<Result::Use>& more,
         const std::vector<Result::Use>& less, double times) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i].bytes += times * (more[i].bytes - less[i].bytes);
    to[i].busy += times * (more[i].busy - less[i].busy);
  }
}

/// For each repeat with many periods, a cut to few; empty if less than two thirds of the schedule would be
/// left out.
std::vector<Cut> cuts_of(const Schedule& schedule, std::int64_t periods) {
  std::vector<Cut> cuts;
  std::int64_t left_out = 0;
  for (const Repeat& r : repeats(schedule)) {
    const Cut cut{r, periods};
    if (cut.all() < 2 * periods) continue;
    cuts.push_back(cut);
    left_out += cut.left_out();
  }
  return 3 * left_out < 2 * schedule.steps ? std::vector<Cut>() : cuts;
}

/// The result of the whole schedule, if one more period of each repeat adds its delay; otherwise null. Each
/// period that is left out counts as that one more period.
std::optional<Result> extended(const Result& played, const std::vector<Cut>& cuts,
                               const std::vector<Steady>& states, const Schedule& schedule,
                               const Layout& layout, const Fabric& fabric) {
  Result whole = played;
  std::vector<Seconds> later;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    std::vector<Cut> longer = cuts;
    ++longer[i].periods;
    const Result more = play_with(longer, schedule, layout, fabric, {});
    const double delay = states[i].delay;
    if (std::abs((more.time - played.time).value - delay) > alike * played.time.value) return {};
    const std::int64_t left_out = cuts[i].all() - cuts[i].periods;
    const auto times = static_cast<double>(left_out);
    later.push_back(Seconds(times * delay));
    whole.time += later.back();
    for (std::size_t r = 0; r < whole.ranks.size(); ++r) {
      Result::OfRank& rank = whole.ranks[r];
      rank.finish += times * (more.ranks[r].finish - played.ranks[r].finish);
      rank.exposed = std::max(Seconds(0), rank.finish - rank.compute);
    }
    add(whole.ports, more.ports, played.ports, times);
    add(whole.links, more.links, played.links, times);
    whole.messages += left_out * (more.messages - played.messages);
    whole.bytes += times * (more.bytes - played.bytes);
  }
  prolong(whole.chain, played.time, states, later);
  return whole;
}

}  // namespace

std::optional<Result> contend_until_steady(const Schedule& schedule, const Layout& layout,
                                           const Fabric& fabric, bool explain, std::int64_t first) {
  for (std::int64_t periods = first;; periods *= 2) {
    const std::vector<Cut> cuts = cuts_of(schedule, periods);
    if (cuts.empty()) return {};
    const Schedule few = shortened(schedule, cuts);
    const std::vector<Span> messages = spans(few, cuts);
    if (messages.back().end > most_noted) return {};
    Notes notes;
    PlayOptions options;
    options.observer = &notes;
    options.explain = explain;
    const Result played = play_with(cuts, schedule, layout, fabric, options);
    const std::vector<Note> all = std::move(notes).sorted();
    std::vector<Steady> states;
    for (const Span& span : messages)
      if (const auto state = steady(all, span)) states.push_back(*state);
    if (states.size() == cuts.size())
      if (auto whole = extended(played, cuts, states, schedule, layout, fabric)) return whole;
    if (2 * all.size() > most_noted) return {};
  }
}

}  // namespace collcast

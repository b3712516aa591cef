// SPDX-License-Identifier: Apache-2.0
#include "model/compose.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <memory>
#include <numeric>

#include "model/repeats.hpp"

namespace collcast {
namespace {

/// The sizes of a step's lists before a rule appends its own messages.
struct Mark {
  std::size_t transfers, multicasts, reductions, joins, pieces;
  explicit Mark(const Step& s)
      : transfers(s.transfers.size()),
        multicasts(s.multicasts.size()),
        reductions(s.reductions.size()),
        joins(s.joins.size()),
        pieces(s.scattered_pieces.size()) {}
};

/// Renames the ranks, groups and blocks, and shifts the channels, of all messages that were added after
/// `mark`.
template <class MapRank, class MapGroup, class MapChunk>
void relabel(Step& step, const Mark& mark, MapRank rank, MapGroup group, MapChunk chunk, int channels = 0) {
  for (std::size_t i = mark.transfers; i < step.transfers.size(); ++i) {
    Transfer& t = step.transfers[i];
    t.from.rank = rank(t.from.rank);
    t.to.rank = rank(t.to.rank);
    t.chunk = chunk(t.chunk);
    t.channel = static_cast<std::uint16_t>(t.channel + channels);
  }
  for (std::size_t i = mark.multicasts; i < step.multicasts.size(); ++i) {
    Multicast& m = step.multicasts[i];
    m.from.rank = rank(m.from.rank);
    m.to = group(m.to);
    m.chunk = chunk(m.chunk);
    m.channel = static_cast<std::uint16_t>(m.channel + channels);
  }
  for (std::size_t i = mark.reductions; i < step.reductions.size(); ++i) {
    Reduction& m = step.reductions[i];
    m.to.rank = rank(m.to.rank);
    m.from = group(m.from);
    m.chunk = chunk(m.chunk);
    m.channel = static_cast<std::uint16_t>(m.channel + channels);
  }
  for (std::size_t i = mark.joins; i < step.joins.size(); ++i) {
    Step::Join& j = step.joins[i];
    j.first = static_cast<std::uint16_t>(j.first + channels);
    j.last = static_cast<std::uint16_t>(j.last + channels);
    if (j.rank != Step::Join::everyone) j.rank = rank(j.rank);
  }
  for (std::size_t i = mark.pieces; i < step.scattered_pieces.size(); ++i)
    step.scattered_pieces[i] = chunk(step.scattered_pieces[i]);
}

constexpr auto unchanged = [](auto x) { return x; };

std::vector<Repeat> all_repeats(const Schedule& a) {
  const auto all = repeats(a);
  return {all.begin(), all.end()};
}

/// The repeats of a schedule that begins in step `start`. The empty steps before and after it repeat as well.
std::vector<Repeat> padded(const Schedule& a, std::int64_t start) {
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
  std::vector<Repeat> all{{0, start, 1}};
  for (const Repeat& r : repeats(a)) all.push_back({start + r.first, start + r.last, r.period});
  all.push_back({start + a.steps, far, 1});
  return all;
}

/// The repeats of two schedules that run at once.
std::vector<Repeat> common(const std::vector<Repeat>& a, const std::vector<Repeat>& b, std::int64_t steps) {
  std::vector<Repeat> both;
  for (const Repeat& x : a)
    for (const Repeat& y : b) {
      const Repeat r{std::max(x.first, y.first), std::min({x.last, y.last, steps}),
                     std::lcm(x.period, y.period)};
      if (r.last > r.first) both.push_back(r);
    }
  std::ranges::sort(both, {}, &Repeat::first);
  return both;
}

}  // namespace

Schedule then(Schedule a, Schedule b) {
  assert(a.ranks == b.ranks && a.blocks == b.blocks);
  if (a.steps == 0) return b;
  if (b.steps == 0) return a;
  const auto turn = a.steps;
  const int channels = std::max(a.channels, b.channels);
  std::vector<Repeat> all = all_repeats(a);
  for (const Repeat& r : repeats(b))  // with channels, b's first step gets a join and is like no other
    all.push_back({turn + std::max<std::int64_t>(r.first, channels > 1), turn + r.last, r.period});
  Schedule both = a;
  both.steps += b.steps;
  both.channels = channels;
  both.ways = std::max(a.ways, b.ways);
  SymmetricRule alike;
  if (channels == 1 && symmetric_rule(a) && symmetric_rule(b))
    alike = [first = *symmetric_rule(a), second = *symmetric_rule(b), turn](std::int64_t s) {
      return s < turn ? first(s) : second(s - turn);
    };
  both.rule = [first = std::move(a.rule), second = std::move(b.rule), turn, channels](std::int64_t s,
                                                                                      Step& step) {
    if (s < turn) return first(s, step);
    if (s == turn && channels > 1) step.joins.push_back({0, static_cast<std::uint16_t>(channels)});
    second(s - turn, step);
  };
  if (alike) both = symmetric(std::move(both), std::move(alike));
  return repeating(std::move(both), std::move(all));
}

Schedule staggered(Schedule a, Schedule b, std::int64_t start) {
  assert(a.ranks == b.ranks && a.blocks == b.blocks && a.channels == 1 && b.channels == 1);
  Schedule both = a;
  both.steps = std::max(a.steps, start + b.steps);
  std::vector<Repeat> all = common(padded(a, 0), padded(b, start), both.steps);
  both.rule = [a = std::move(a), b = std::move(b), start](std::int64_t s, Step& step) {
    if (s < a.steps) a.rule(s, step);
    if (s >= start && s - start < b.steps) b.rule(s - start, step);
  };
  return repeating(std::move(both), std::move(all));
}

Schedule beside(Schedule a, Schedule b) {
  assert(a.ranks == b.ranks);
  Schedule both = a;
  both.blocks += b.blocks;
  both.steps = std::max(a.steps, b.steps);
  both.channels += b.channels;
  both.ways = std::max(a.ways, b.ways);
  std::vector<Repeat> all = common(padded(a, 0), padded(b, 0), both.steps);
  both.rule = [a = std::move(a), b = std::move(b)](std::int64_t s, Step& step) {
    if (s < a.steps) a.rule(s, step);
    const Mark mark(step);
    if (s < b.steps) b.rule(s, step);
    auto follow = [&](Chunk c) { return Chunk{c.first + a.blocks, c.count}; };
    relabel(step, mark, unchanged, unchanged, follow, a.channels);
  };
  return repeating(std::move(both), std::move(all));
}

Schedule on(Ranks ranks, const Schedule& a, Rank world, Block offset, Block blocks) {
  return on_each(
      1, [ranks](Rank) { return ranks; }, a, world, [offset](Rank) { return offset; }, blocks);
}

Schedule on_each(Rank groups, std::function<Ranks(Rank)> group, const Schedule& a, Rank world,
                 std::function<Block(Rank)> offset, Block blocks) {
  Schedule mapped = a;
  mapped.ranks = world;
  mapped.blocks = blocks;
  mapped.rule = [=, group = std::move(group), rule = a.rule, offset = std::move(offset)](std::int64_t s,
                                                                                         Step& step) {
    for (Rank i = 0; i < groups; ++i) {
      const Ranks ranks = group(i);
      const Block first = offset(i);
      const Mark mark(step);
      rule(s, step);
      relabel(
          step, mark, [&](Rank r) { return ranks[r]; },
          [&](Ranks to) {
            return Ranks{ranks[to.first], to.count, to.stride * ranks.stride};
          },
          [&](Chunk c) {
            return Chunk{c.first + first, c.count};
          });
    }
  };
  return repeating(std::move(mapped), all_repeats(a));
}

Schedule together(std::vector<Schedule> parts) {
  assert(!parts.empty());
  Schedule all = parts[0];
  for (const Schedule& part : parts) {
    assert(part.ranks == all.ranks && part.blocks == all.blocks);
    all.steps = std::max(all.steps, part.steps);
    all.channels = std::max(all.channels, part.channels);
    all.ways = std::max(all.ways, part.ways);
  }
  std::vector<Repeat> in_all{{0, all.steps, 1}};
  for (const Schedule& part : parts) in_all = common(in_all, padded(part, 0), all.steps);
  all.rule = [shared = std::make_shared<std::vector<Schedule>>(std::move(parts))](std::int64_t s,
                                                                                  Step& step) {
    for (const Schedule& part : *shared)
      if (s < part.steps) part.rule(s, step);
  };
  return repeating(std::move(all), std::move(in_all));
}

Schedule refine(const Schedule& a, Block pieces) {
  Schedule fine = a;
  fine.blocks *= pieces;
  fine.rule = [rule = a.rule, pieces](std::int64_t s, Step& step) {
    const Mark mark(step);
    rule(s, step);
    relabel(step, mark, unchanged, unchanged, [&](Chunk c) {
      return Chunk{c.first * pieces, c.count * pieces};
    });
  };
  return repeating(std::move(fine), all_repeats(a));
}

Schedule renamed(const Schedule& a, Rank world, std::function<Rank(Rank)> name) {
  Schedule other = a;
  other.ranks = world;
  other.rule = [rule = a.rule, name = std::move(name)](std::int64_t s, Step& step) {
    const Mark mark(step);
    rule(s, step);
    relabel(step, mark, name, unchanged, unchanged);
  };
  return repeating(std::move(other), all_repeats(a));
}

Schedule mirrored(const Schedule& a, Combine combine) {
  assert(a.channels == 1);
  Schedule backwards = a;
  backwards.rule = [rule = a.rule, last = a.steps - 1, combine](std::int64_t s, Step& step) {
    const Mark mark(step);
    rule(last - s, step);
    for (std::size_t i = mark.transfers; i < step.transfers.size(); ++i) {
      std::swap(step.transfers[i].from, step.transfers[i].to);
      step.transfers[i].combine = combine;
    }
  };
  std::vector<Repeat> all = all_repeats(a);
  std::ranges::reverse(all);
  for (Repeat& r : all) r = {a.steps - r.last, a.steps - r.first, r.period};
  if (const SymmetricRule* same = symmetric_rule(a))
    backwards = symmetric(std::move(backwards), [same = *same, last = a.steps - 1, combine](std::int64_t s) {
      SymmetricStep step = same(last - s);
      step.combine = combine;
      return step;
    });
  return repeating(std::move(backwards), std::move(all));
}

Schedule idle(Rank ranks, Block blocks) {
  return {ranks, blocks, 0, [](std::int64_t, Step&) {}, 1};
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "algorithms/catalogue.hpp"

#include <cmath>

#include "algorithms/rows.hpp"
#include "support/error.hpp"
#include "support/suggest.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

#define COLLCAST_ROW(row) &(row),
const Algorithm* const rows[] = {COLLCAST_ALGORITHMS(COLLCAST_ROW)};
#undef COLLCAST_ROW

constexpr int most_channels = 1024;

std::string bytes(Bytes b) {
  return text::plain(b.value) + " B";
}

void check_counts(const Definition& d, const Call& c) {
  const std::string name(d.name);
  if (!d.counted()) throw InputError(name + " takes no counts; its blocks are equal");
  const Block wanted = d.blocks(c.ranks);
  if (static_cast<Block>(c.counts.size()) != wanted)
    throw InputError(name + " on " + std::to_string(c.ranks) + " ranks takes " + std::to_string(wanted) +
                     " counts, got " + std::to_string(c.counts.size()));
  Bytes sum;
  for (Bytes count : c.counts) {
    if (!(count >= Bytes(0))) throw InputError("a count must be 0 B or more, got " + bytes(count));
    sum += count;
  }
  const Bytes whole = static_cast<double>(d.whole(c.ranks)) * c.message;
  if (std::abs(sum.value - whole.value) > 0.5)
    throw InputError("the counts add up to " + bytes(sum) + ", not to " + bytes(whole));
}

}  // namespace

std::span<const Algorithm* const> catalogue() {
  return rows;
}

std::vector<const Algorithm*> algorithms(Collective collective) {
  std::vector<const Algorithm*> found;
  for (const Algorithm* a : rows)
    if (a->collective == collective) found.push_back(a);
  return found;
}

const Algorithm& algorithm(Collective collective, std::string_view name) {
  std::vector<std::string> known;
  for (const Algorithm* a : algorithms(collective)) {
    if (a->name == name) return *a;
    known.emplace_back(a->name);
  }
  throw InputError("no algorithm '" + std::string(name) + "' for " +
                   std::string(definition(collective).name) + suggestion(name, known));
}

void check(Collective collective, const Call& c) {
  if (c.ranks < 1) throw InputError("ranks must be 1 or more, got " + std::to_string(c.ranks));
  if (c.root < 0 || c.root >= c.ranks)
    throw InputError("root must be a rank from 0 to " + std::to_string(c.ranks - 1) + ", got " +
                     std::to_string(c.root));
  if (c.radix < 2) throw InputError("radix must be 2 or more, got " + std::to_string(c.radix));
  if (c.segments < 1) throw InputError("segments must be 1 or more, got " + std::to_string(c.segments));
  if (!(c.buffer > Bytes(0))) throw InputError("a buffer must be larger than 0 B, got " + bytes(c.buffer));
  if (c.channels < 1 || c.channels > most_channels)
    throw InputError("channels must be from 1 to " + std::to_string(most_channels) + ", got " +
                     std::to_string(c.channels));
  if (c.ranks_per_node < 1)
    throw InputError("ranks per node must be 1 or more, got " + std::to_string(c.ranks_per_node));
  if (!c.counts.empty()) check_counts(definition(collective), c);
}

void check(const Algorithm& a, const Call& c) {
  check(a.collective, c);
  const std::string needed = unmet(a, c);
  if (needed.empty()) return;
  throw InputError(full_name(a) + " needs " + needed +
                   (a.supports(c.ranks) ? "; --algorithm all shows those that need no full nodes"
                                        : ", got " + std::to_string(c.ranks)));
}

std::string unmet(const Algorithm& a, const Call& c) {
  if (!a.supports(c.ranks)) return "ranks: " + a.ranks;
  if (!a.ranks_per_node || c.ranks % c.ranks_per_node == 0) return "";
  return "full nodes, and " + std::to_string(c.ranks_per_node) + " ranks per node do not divide " +
         std::to_string(c.ranks) + " ranks";
}

namespace {

/// The sizes of `blocks` blocks: each count is cut into equally many equal blocks.
std::vector<Bytes> in_parts(const std::vector<Bytes>& counts, Block blocks) {
  const auto parts = static_cast<std::size_t>(blocks) / counts.size();
  std::vector<Bytes> sizes;
  for (const Bytes count : counts) sizes.insert(sizes.end(), parts, count / static_cast<double>(parts));
  return sizes;
}

}  // namespace

Layout layout(const Algorithm& a, const Call& c, const Schedule& schedule) {
  if (!c.counts.empty()) return Layout(in_parts(c.counts, schedule.blocks));
  const Block whole = definition(a.collective).whole(c.ranks);
  return Layout::equal(static_cast<double>(whole) * c.message, schedule.blocks);
}

Rank a_few_ranks(const Algorithm& a) {
  for (Rank r = 4; r <= (1 << 16); ++r)
    if (a.supports(r)) return r;
  return a.supports(3) ? 3 : a.supports(2) ? 2 : 1;
}

Demands demands(const Algorithm& a) {
  Call small{.ranks = a_few_ranks(a)};
  small.message = Bytes(1);
  small.ranks_per_node = a.ranks_per_node && small.ranks % 2 == 0 ? 2 : 1;
  Demands found;
  const auto meet = [&](bool& demand, Ranks group) {
    demand = true;
    found.between_nodes |= group[0] / small.ranks_per_node != group[group.count - 1] / small.ranks_per_node;
  };
  for_each_step(a.schedule(small), false, [&](const Step& step) {
    for (const Multicast& m : step.multicasts) meet(found.multicast, m.to);
    for (const Reduction& m : step.reductions) meet(found.reduction, m.from);
  });
  return found;
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "model/staging.hpp"

#include <span>

#include "model/compose.hpp"
#include "model/repeats.hpp"

namespace collcast {
namespace {

/// Copies all blocks between two memories of a rank, in one message from the rank to itself.
void copy(Step& step, Rank rank, Memory from, Memory to, const std::vector<Holding>& all) {
  Block count = 0;
  for (const Holding& h : all) count += h.chunk.count;
  if (all.size() == 1)
    step.send({rank, from}, {rank, to}, all.front().chunk);
  else if (count > 0)
    step.send_scattered({rank, from}, {rank, to}, count, Combine::copy, [&all](auto add) {
      for (const Holding& h : all) add(h.chunk);
    });
}

bool same(const Holding& a, const Holding& b) {
  return a.chunk == b.chunk && a.ranks.first == b.ranks.first && a.ranks.last == b.ranks.last;
}

}  // namespace

Schedule staged(const Schedule& a, const Definition& collective, Rank root, Memory where) {
  if (a.steps == 0) return a;
  const Rank p = a.ranks;
  const Block blocks = a.blocks;
  auto in = [=, &collective](std::int64_t, Step& step) {
    for (Rank r = 0; r < p; ++r)
      copy(step, r, Memory::device, where, collective.initially(r, p, blocks, root));
  };
  auto there = [rule = a.rule, where](std::int64_t s, Step& step) {
    const auto own = [](auto& all, std::size_t before) { return std::span(all).subspan(before); };
    const std::size_t transfers = step.transfers.size(), multicasts = step.multicasts.size(),
                      reductions = step.reductions.size();
    rule(s, step);
    const auto move = [where](Memory& m) {
      if (m == Memory::device) m = where;
    };
    for (Transfer& t : own(step.transfers, transfers)) move(t.from.memory), move(t.to.memory);
    for (Multicast& m : own(step.multicasts, multicasts)) move(m.from.memory), move(m.memory);
    for (Reduction& m : own(step.reductions, reductions)) move(m.to.memory), move(m.memory);
  };
  auto out = [=, &collective](std::int64_t, Step& step) {
    for (Rank r = 0; r < p; ++r) {
      std::vector<Holding> wanted = collective.finally(r, p, blocks, root);
      for (const Holding& had : collective.initially(r, p, blocks, root))
        std::erase_if(wanted, [&had](const Holding& h) { return same(h, had); });
      copy(step, r, where, Memory::device, wanted);
    }
  };
  const auto all = repeats(a);
  const Schedule between = repeating({p, blocks, a.steps, there, a.channels}, {all.begin(), all.end()});
  return then(then({p, blocks, 1, in}, between), {p, blocks, 1, out});
}

}  // namespace collcast

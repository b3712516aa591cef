// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/butterfly.hpp"
#include "algorithms/folded.hpp"

namespace collcast {
namespace {

/// Block r belongs to rank r, so the blocks that a rank passes on are scattered over the message.
Schedule swing(const std::shared_ptr<const Butterfly>& b) {
  Schedule scattered = butterfly_allreduce(b);
  scattered.rule = [b, rule = scattered.rule](std::int64_t s, Step& step) {
    Step contiguous;
    rule(s, contiguous);
    for (const Transfer& t : contiguous.transfers)
      step.send_scattered(t.from, t.to, t.chunk.count, t.combine, [&](auto add) {
        for (Block i = t.chunk.first; i < t.chunk.first + t.chunk.count; ++i)
          add(Chunk{b->order[static_cast<std::size_t>(i)]});
      });
  };
  return scattered;
}

}  // namespace

const Algorithm allreduce_swing{
    .collective = Collective::allreduce,
    .name = "swing",
    .description =
        "reduce-scatter and allgather between ranks 1, 1, 3, 5, 11, ... apart, to and fro round a ring",
    .formula = "2 lg q a + 2(q-1)/q n b + (q-1)/q n g, q = 2^floor(lg p), and 2 a + 2 n b + n g unless q = p",
    .source = "De Sensi, Bonato, Saam & Hoefler, Swing, NSDI 2024",
    .schedule =
        [](const Call& c) {
          const auto butterfly = std::make_shared<const Butterfly>(1 << log2_floor(c.ranks));
          return folded(c.ranks, swing(butterfly));
        },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return folded_halves_time(c, m); },
};

}  // namespace collcast

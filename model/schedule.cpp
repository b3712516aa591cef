// SPDX-License-Identifier: Apache-2.0
#include "model/schedule.hpp"

#include <algorithm>

namespace collcast {

void Step::send_cyclic(Place from, Place to, Block first, Block count, Block blocks, Combine combine) {
  if (first + count <= blocks) return send(from, to, {first, count}, combine);
  send_scattered(from, to, count, combine, [&](auto add) {
    add(Chunk{first, blocks - first});
    add(Chunk{0, first + count - blocks});
  });
}

std::span<const Chunk> Step::pieces(const Transfer& t) const {
  if (t.scattered < 0) return {&t.chunk, 1};
  const auto i = static_cast<std::size_t>(t.scattered);
  const std::size_t begin = i == 0 ? 0 : scattered_ends[i - 1];
  return std::span(scattered_pieces).subspan(begin, scattered_ends[i] - begin);
}

void Step::clear() {
  transfers.clear();
  multicasts.clear();
  reductions.clear();
  joins.clear();
  scattered_pieces.clear();
  scattered_ends.clear();
}

Traffic traffic(const Schedule& schedule) {
  Traffic total;
  std::vector<std::int64_t> messages(static_cast<std::size_t>(schedule.ranks)), blocks(messages);
  auto count = [&](Place from, Block n) {
    ++total.messages;
    total.blocks += n;
    ++messages[static_cast<std::size_t>(from.rank)];
    blocks[static_cast<std::size_t>(from.rank)] += n;
  };
  for_each_step(schedule, false, [&](const Step& step) {
    for (const Transfer& t : step.transfers)
      if (t.from.rank != t.to.rank) count(t.from, t.chunk.count);
    for (const Multicast& m : step.multicasts) count(m.from, m.chunk.count);
    for (const Reduction& m : step.reductions)
      m.for_each_sender([&](Rank r) { count({r, m.memory}, m.chunk.count); });
  });
  total.max_messages_sent = *std::ranges::max_element(messages);
  total.max_blocks_sent = *std::ranges::max_element(blocks);
  return total;
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "algorithms/listing.hpp"

#include <algorithm>
#include <memory>

#include "support/error.hpp"

namespace collcast {
namespace {

void check(const Listing& listing) {
  const auto is_rank = [&](Rank r) { return r >= 0 && r < listing.ranks; };
  const auto is_piece = [&](Chunk c) {
    return c.first >= 0 && c.count >= 1 && c.first < listing.blocks && c.count <= listing.blocks - c.first;
  };
  for (std::size_t s = 0; s < listing.steps.size(); ++s)
    for (const Listed& m : listing.steps[s])
      if (!is_rank(m.from) || !is_rank(m.to) || m.from == m.to || m.pieces.empty() ||
          !std::ranges::all_of(m.pieces, is_piece))
        throw InputError("step " + std::to_string(s) + ": a message from rank " + std::to_string(m.from) +
                         " to rank " + std::to_string(m.to) +
                         " has to be between two of the ranks and carry some of the " +
                         std::to_string(listing.blocks) + " blocks");
}

/// How blocks are cut into segments. Of each `together` blocks, the parts of the first segment come first,
/// then those of the second, and so on.
struct Cutting {
  Block segments, together;

  /// Calls `add(Chunk)` for each run of a segment's consecutive parts of these blocks.
  template <class Add>
  void each_run(const Chunk& piece, Block segment, Add&& add) const {
    if (segments == 1) return add(piece);
    for (Block b = piece.first, count; b < piece.first + piece.count; b += count) {
      const Block before = b % together;
      count = std::min(together - before, piece.first + piece.count - b);
      add(Chunk{(b - before) * segments + segment * together + before, count});
    }
  }
};

void send(const Listed& m, Block segment, const Cutting& cut, Step& step) {
  Chunk last;
  Block count = 0, runs = 0;
  for (const Chunk& piece : m.pieces)
    cut.each_run(piece, segment, [&](const Chunk& run) { last = run, count += run.count, ++runs; });
  if (runs == 1) return step.send(m.from, m.to, last, m.combine);
  step.send_scattered(m.from, m.to, count, m.combine, [&](auto add) {
    for (const Chunk& piece : m.pieces) cut.each_run(piece, segment, add);
  });
}

}  // namespace

Schedule schedule(const Listing& listing, Block segments, Block together) {
  check(listing);
  const auto list = std::make_shared<const Listing>(listing);
  const auto length = static_cast<std::int64_t>(listing.steps.size());
  Schedule s;
  s.ranks = listing.ranks;
  s.blocks = listing.blocks * segments;
  s.steps = length > 0 ? length + segments - 1 : 0;
  s.rule = [list, length, segments, cut = Cutting{segments, together}](std::int64_t now, Step& step) {
    for (Block segment = std::max<Block>(0, now - length + 1); segment <= std::min(now, segments - 1);
         ++segment)
      for (const Listed& m : list->steps[static_cast<std::size_t>(now - segment)])
        send(m, segment, cut, step);
  };
  return s;
}

Algorithm algorithm_of(const Listing& listing, Collective collective, const std::string& name) {
  Algorithm a;
  a.collective = collective;
  a.name = name;
  a.description = "messages as they are listed";
  a.ranks = std::to_string(listing.ranks);
  a.supports = [ranks = listing.ranks](Rank r) { return r == ranks; };
  a.segmented = !listing.steps.empty();
  // Blocks that one rank has for others, or that all have, may be in any order.
  const Block together = std::max<Block>(1, listing.blocks / definition(collective).blocks(listing.ranks));
  a.schedule = [list = std::make_shared<const Listing>(listing), together](const Call& c) {
    return schedule(*list, c.segments, together);
  };
  return a;
}

Listing then(Listing first, const Listing& second) {
  first.steps.insert(first.steps.end(), second.steps.begin(), second.steps.end());
  return first;
}

Listing reversed(const Listing& listing, Combine combine) {
  Listing back{listing.ranks, listing.blocks, {listing.steps.rbegin(), listing.steps.rend()}};
  for (auto& step : back.steps)
    for (Listed& m : step) std::swap(m.from, m.to), m.combine = combine;
  return back;
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
// Does the proof catch mistakes? Schedules are broken in small ways and executed with integers. Each broken
// schedule whose result is wrong must fail the proof. The executor and the collectives' meaning are written
// here anew, on purpose.
#include <cstdint>
#include <cstdio>

#include "laws.hpp"

#include "model/proof.hpp"

namespace collcast {
namespace {

using Value = std::uint64_t;

/// Rank r's value of block b: any two sums of such values differ but for a chance of 2^-64.
Value own(Rank r, Block b) {
  Value x = static_cast<Value>(r) * 1000003u + static_cast<Value>(b) + 1;
  for (int i = 0; i < 3; ++i) x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  return x;
}

struct World {
  Collective collective;
  Rank p, root;
  Block blocks;

  Rank owner(Block b) const {
    return static_cast<Rank>(b / (blocks / (collective == Collective::multi_broadcast ? root + 1 : p)));
  }
  Rank destination(Block b) const { return static_cast<Rank>(b / (blocks / p / p) % p); }
  Value sum(Rank first, Rank last, Block b) const {
    Value total = 0;
    for (Rank r = first; r <= last; ++r) total += own(r, b);
    return total;
  }

  bool starts_with(Rank r, Block b) const {
    switch (collective) {
      case Collective::broadcast:
      case Collective::scatter:
      case Collective::scatterv:
        return r == root;
      case Collective::allreduce:
      case Collective::reduce_scatter:
      case Collective::reduce_scatterv:
      case Collective::reduce:
      case Collective::scan:
      case Collective::exscan:
      case Collective::barrier:
        return true;
      default:
        return owner(b) == r;
    }
  }

  Value starts_as(Rank r, Block b) const {
    return collective == Collective::barrier ? Value{1} << r : own(r, b);
  }

  /// The faces of the neighbours that look at rank r, on the grid d[0] x d[1] x d[2].
  bool faces(Rank r, Block b, int dimensions) const {
    const auto d = Grid(p, dimensions).size;
    const Block face = b / (blocks / p / (2 * dimensions)) % (2 * dimensions);
    const std::array<Rank, 3> strides = {d[1] * d[2], d[2], 1};
    // Dimensions beyond the last are one wide, so strides hold for one and two dimensions as well.
    const auto i = static_cast<std::size_t>(face / 2);
    const Rank from = owner(b), at = from / strides[i] % d[i], next = (at + (face % 2 ? 1 : d[i] - 1)) % d[i];
    return from + (next - at) * strides[i] == r;
  }

  /// Whether the collective says what rank r's block b is in the end, and what.
  bool ends_as(Rank r, Block b, Value& value) const {
    switch (collective) {
      case Collective::allreduce:
        return value = sum(0, p - 1, b), true;
      case Collective::reduce_scatter:
      case Collective::reduce_scatterv:
        return value = sum(0, p - 1, b), owner(b) == r;
      case Collective::reduce:
        return value = sum(0, p - 1, b), r == root;
      case Collective::allgather:
      case Collective::allgatherv:
      case Collective::multi_broadcast:
        return value = own(owner(b), b), true;
      case Collective::broadcast:
        return value = own(root, b), true;
      case Collective::gather:
      case Collective::gatherv:
        return value = own(owner(b), b), r == root;
      case Collective::scatter:
      case Collective::scatterv:
        return value = own(root, b), owner(b) == r;
      case Collective::alltoall:
      case Collective::alltoallv:
        return value = own(owner(b), b), destination(b) == r;
      case Collective::scan:
        return value = sum(0, r, b), true;
      case Collective::exscan:
        return value = sum(0, r - 1, b), r > 0;
      case Collective::barrier:
        return value = (Value{1} << p) - 1, true;
      case Collective::sendrecv:
        return value = own(owner(b), b), (owner(b) + 1) % p == r;
      case Collective::halo_1d:
        return value = own(owner(b), b), faces(r, b, 1);
      case Collective::halo_2d:
        return value = own(owner(b), b), faces(r, b, 2);
      case Collective::halo_3d:
        return value = own(owner(b), b), faces(r, b, 3);
    }
    return false;
  }
};

/// Plays the steps with integers and compares the end with what the collective means.
bool right(const std::vector<Step>& steps, const World& w) {
  std::vector<std::vector<Value>> memory(static_cast<std::size_t>(w.p) * 3);
  auto at = [&](Place place, Block b) -> Value& {
    auto& blocks = memory[static_cast<std::size_t>(place.rank) * 3 + static_cast<std::size_t>(place.memory)];
    if (blocks.empty()) {
      blocks.resize(static_cast<std::size_t>(w.blocks));
      for (Block i = 0; i < w.blocks; ++i)  // what was never written is garbage
        blocks[static_cast<std::size_t>(i)] = w.starts_with(place.rank, i) && place.memory == Memory::device
                                                  ? w.starts_as(place.rank, i)
                                                  : own(~place.rank, i) | Value{1} << 63;
    }
    return blocks[static_cast<std::size_t>(b)];
  };
  struct Write {
    Place place;
    Block block;
    Value value;
    Combine combine;
  };
  for (const Step& step : steps) {
    std::vector<Write> writes;
    auto read = [&](Place from, Place to, Chunk c, Combine combine) {
      for (Block b = c.first; b < c.first + c.count; ++b) writes.push_back({to, b, at(from, b), combine});
    };
    for (const Transfer& t : step.transfers)
      for (const Chunk& c : step.pieces(t)) read(t.from, t.to, c, t.combine);
    for (const Multicast& m : step.multicasts)
      for (Rank i = 0; i < m.to.count; ++i)
        if (m.to[i] != m.from.rank) read(m.from, {m.to[i], m.memory}, m.chunk, Combine::copy);
    for (const Reduction& m : step.reductions)
      for (Block b = m.chunk.first; b < m.chunk.first + m.chunk.count; ++b) {
        Value sum = 0;
        for (Rank i = 0; i < m.from.count; ++i) sum += at({m.from[i], m.memory}, b);
        writes.push_back({m.to, b, sum, Combine::copy});
      }
    for (const Write& x : writes) {
      Value& target = at(x.place, x.block);
      if (x.combine == Combine::copy)
        target = x.value;
      else
        target = w.collective == Collective::barrier ? target | x.value : target + x.value;
    }
  }
  Value wanted;
  for (Rank r = 0; r < w.p; ++r)
    for (Block b = 0; b < w.blocks; ++b)
      if (w.ends_as(r, b, wanted) && at(r, b) != wanted) return false;
  return true;
}

std::vector<Step> all_steps(const Schedule& s) {
  std::vector<Step> steps;
  for_each_step(s, true, [&](const Step& step) { steps.push_back(step); });
  return steps;
}

Chunk next_block(Chunk c, Block blocks) {
  return {c.first + c.count < blocks ? c.first + 1 : (c.first > 0 ? c.first - 1 : c.first), c.count};
}

constexpr int kinds = 6;

/// Mistake `kind` at message `i` of a step; false where it does not apply.
bool spoil(Step& step, std::size_t i, int kind, const World& w) {
  if (i >= step.transfers.size() + step.multicasts.size()) {
    Reduction& m = step.reductions[i - step.transfers.size() - step.multicasts.size()];
    switch (kind) {
      case 0:
        return m.to.rank = (m.to.rank + 1) % w.p, true;
      case 1:
        return --m.from.count, true;
      case 2:
        return m.chunk = next_block(m.chunk, w.blocks), w.blocks > 1;
      case 3:
        return step.reductions.clear(), true;
      default:
        return false;
    }
  }
  if (i >= step.transfers.size()) {
    Multicast& m = step.multicasts[i - step.transfers.size()];
    switch (kind) {
      case 0:
        return m.from.rank = (m.from.rank + 1) % w.p, true;
      case 1:
        return --m.to.count, true;
      case 2:
        return m.chunk = next_block(m.chunk, w.blocks), w.blocks > 1;
      case 3:
        return step.multicasts.clear(), true;
      default:
        return false;
    }
  }
  Transfer& t = step.transfers[i];
  switch (kind) {
    case 0:
      return t.to.rank = (t.to.rank + 1) % w.p, true;
    case 1:
      return t.from.rank = (t.from.rank + w.p - 1) % w.p, true;
    case 2:
      if (t.scattered < 0)
        t.chunk = next_block(t.chunk, w.blocks);
      else {
        const auto piece = static_cast<std::size_t>(step.pieces(t).data() - step.scattered_pieces.data());
        step.scattered_pieces[piece] = next_block(step.scattered_pieces[piece], w.blocks);
      }
      return w.blocks > 1;
    case 3:
      return step.transfers.clear(), true;
    case 4:
      t.combine = t.combine == Combine::copy ? Combine::reduce : Combine::copy;
      return true;
    default:  // this message only is lost
      t.to = t.from;
      t.combine = Combine::copy;
      return true;
  }
}

struct Count {
  int mutants = 0, wrong = 0, caught = 0, stricter = 0;
};

void mutate(const Algorithm& a, const Call& call, Count& count) {
  const Schedule good = a.schedule(call);
  const World world{a.collective, call.ranks, call.root, good.blocks};
  const std::vector<Step> steps = all_steps(good);
  ASSERT_TRUE(right(steps, world)) << describe(a, call);
  const std::size_t stride = steps.size() / 5 + 1;
  for (std::size_t s = 0; s < steps.size(); s += stride)
    for (int kind = 0; kind < kinds; ++kind) {
      const std::size_t messages =
          steps[s].transfers.size() + steps[s].multicasts.size() + steps[s].reductions.size();
      if (messages == 0) continue;
      std::vector<Step> bad = steps;
      if (!spoil(bad[s], (s * 7 + static_cast<std::size_t>(kind)) % messages, kind, world)) continue;
      Schedule mutant = good;
      mutant.rule = [&bad](std::int64_t i, Step& step) { step = bad[static_cast<std::size_t>(i)]; };
      const bool wrong = !right(bad, world), caught = prove(mutant, a.collective, call.root).has_value();
      EXPECT_TRUE(!wrong || caught) << describe(a, call) << ": mistake " << kind << " in step " << s;
      ++count.mutants, count.wrong += wrong, count.caught += wrong && caught,
          count.stricter += !wrong && caught;
    }
}

TEST(Mutation, TheProofCatchesEveryWrongResult) {
  Count count;
  for (const Algorithm* a : catalogue())
    for (Rank p : {4, 5, 6, 8}) {
      if (!a->supports(p)) continue;
      const Call call{.ranks = p,
                      .root = definition(a->collective).rooted ? 1 : 0,
                      .radix = p % 2 == 0 ? 2 : 3,
                      .message = {},
                      .segments = a->segmented ? 2 : 1,
                      .channels = 2,
                      .ranks_per_node = p % 2 == 0 ? 2 : 1,
                      .counts = {}};
      mutate(*a, call, count);
    }
  std::printf("%d mutants, %d with a wrong result, %d of them caught; %d caught that did no harm\n",
              count.mutants, count.wrong, count.caught, count.stricter);
  EXPECT_GE(count.wrong, 200);
  EXPECT_EQ(count.caught, count.wrong);
}

}  // namespace
}  // namespace collcast

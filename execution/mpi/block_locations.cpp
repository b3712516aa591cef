// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/block_locations.hpp"

#include <algorithm>

namespace collcast::mpi {
namespace {

/// Whether, in place, the input is at its place in the output, as in gathering collectives; else it is at the
/// buffer's begin.
bool input_in_final_place(Collective c) {
  return plain(c) == Collective::allgather || plain(c) == Collective::gather ||
         c == Collective::multi_broadcast;
}

template <class Visit>
void for_each_block(const std::vector<Holding>& holdings, Visit visit) {
  for (const Holding& h : holdings)
    for (Block b = h.chunk.first; b < h.chunk.first + h.chunk.count; ++b) visit(b);
}

}  // namespace

std::size_t sent(const Part& part, Block blocks, const Elements& elements) {
  return elements.size(definition(part.collective).initially(part.rank, part.ranks, blocks, part.root));
}

std::size_t received(const Part& part, Block blocks, const Elements& elements) {
  return elements.size(definition(part.collective).finally(part.rank, part.ranks, blocks, part.root));
}

BlockLocations::BlockLocations(const Part& part, Block blocks, const Elements& elements)
    : part_(part),
      blocks_(blocks),
      elements_(elements),
      initial_(definition(part.collective).initially(part.rank, part.ranks, blocks, part.root)),
      final_(definition(part.collective).finally(part.rank, part.ranks, blocks, part.root)) {
  place_initial();
  place_final();
}

BlockLocations::Positions BlockLocations::packed(const std::vector<Holding>& holdings) const {
  Positions positions;
  std::size_t next = 0;
  for_each_block(holdings, [&](Block b) {
    positions[b] = next;
    next += elements_.size(b);
  });
  return positions;
}

void BlockLocations::place_initial() {
  const Positions first = packed(initial_);
  const Positions last = part_.in_place == InPlace::input && input_in_final_place(part_.collective)
                             ? packed(final_)
                             : Positions{};
  for (const auto& [block, offset] : first) {
    const auto in_output = last.find(block);
    State& s = (*this)(Memory::device, block);
    s.held = true;
    s.at.area = part_.in_place == InPlace::input ? Address::recv : Address::send;
    s.at.offset = in_output == last.end() ? offset : in_output->second;
    if (s.at.area == Address::recv && s.count != 0)
      occupied_.emplace_back(s.at.offset, s.at.offset + s.count, block);
  }
  std::ranges::sort(occupied_);
}

void BlockLocations::place_final() {
  const Positions positions = packed(final_);
  for_each_block(final_, [&](Block b) {
    Address a{Address::recv, positions.at(b)};
    if (part_.in_place == InPlace::output) a = (*this)(Memory::device, b).at;
    finals_.emplace_back(b, a);
    if (!covers_other(b, a, elements_.size(b))) final_homes_[b] = a;
  });
}

bool BlockLocations::covers_other(Block block, Address a, std::size_t count) const {
  auto it = std::ranges::upper_bound(occupied_, a.offset, {}, [](const auto& o) { return std::get<1>(o); });
  for (; it != occupied_.end() && std::get<0>(*it) < a.offset + count; ++it)
    if (std::get<2>(*it) != block) return true;
  return false;
}

Address BlockLocations::more_scratch(Memory memory, std::size_t count) {
  std::size_t& used = scratch_[memory != Memory::device];
  const Address a{Address::scratch(memory), used};
  used += count;
  return a;
}

const Address& BlockLocations::home(Memory memory, Block block, bool scattered) {
  State& s = (*this)(memory, block);
  if (s.has_home) return s.home;
  s.has_home = true;
  const auto final = final_homes_.find(block);
  if (memory == Memory::device && final != final_homes_.end()) return s.home = final->second;
  s.home = more_scratch(memory, s.count);
  passing_.push_back({memory, block, s.count, scattered, s.home});
  return s.home;
}

void BlockLocations::restart() {
  // In a tree over ranks, a rank passes on blocks from its own share upwards, and goes on at block 0 after
  // the last.
  const Block own = blocks_ % part_.ranks == 0 && definition(part_.collective).rooted
                        ? blocks_ / part_.ranks * part_.rank
                        : 0;
  auto order = [&](const Passing& p) {
    return std::tuple(p.scattered, p.memory, p.scattered ? 0 : (p.block - own + blocks_) % blocks_);
  };
  std::ranges::stable_sort(passing_, {}, order);
  for (auto& states : states_) states.clear();
  occupied_.clear();
  place_initial();
  scratch_ = {};
  for (const Passing& p : passing_) {
    State& s = (*this)(p.memory, p.block);
    s.has_home = true;
    s.home = more_scratch(p.memory, p.count);
  }
  passing_.clear();
}

}  // namespace collcast::mpi

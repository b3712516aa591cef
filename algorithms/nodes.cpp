// SPDX-License-Identifier: Apache-2.0
#include "algorithms/nodes.hpp"

namespace collcast {

Schedule on_each_node(const Call& c, const Schedule& a) {
  const Rank q = c.ranks_per_node;
  return on_each(
      c.ranks / q,
      [q](Rank node) {
        return Ranks{node * q, q};
      },
      a, c.ranks, [](Rank) { return Block{0}; }, a.blocks);
}

Schedule on_each_rail(const Call& c, const Schedule& a, std::function<Block(Rank)> offset) {
  return on_each_rail(c, a, std::move(offset), c.ranks);
}

Schedule on_each_rail(const Call& c, const Schedule& a, std::function<Block(Rank)> offset, Block blocks) {
  const Rank q = c.ranks_per_node, nodes = c.ranks / q;
  return on_each(
      q,
      [q, nodes](Rank rail) {
        return Ranks{rail, nodes, q};
      },
      a, c.ranks, std::move(offset), blocks);
}

}  // namespace collcast

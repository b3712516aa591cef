// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace collcast::mpi {

inline std::string describe(const Algorithm& a, const Call& c) {
  return std::string(definition(a.collective).name) + " " + std::string(a.name) + ", " +
         std::to_string(c.ranks) + " ranks, root " + std::to_string(c.root) + ", radix " +
         std::to_string(c.radix) + ", " + std::to_string(c.segments) + " segments, " +
         std::to_string(c.channels) + " channels, " + std::to_string(c.ranks_per_node) + " per node, " +
         std::to_string(c.message.value) + " B" + (c.counts.empty() ? "" : ", with counts");
}

/// Every call, without a message, of a small world of p ranks that the algorithm supports.
template <class Visit>
void for_each_call(const Algorithm& a, Rank p, Visit visit) {
  if (!a.supports(p)) return;
  std::vector<Rank> roots{0};
  if (definition(a.collective).rooted && p > 1) roots.push_back(p - 1);
  if (definition(a.collective).rooted && p > 2) roots.push_back(p / 2);
  std::vector<Rank> nodes{1};
  if (a.ranks_per_node)
    for (Rank q = 2; q <= p; ++q)
      if (p % q == 0) nodes.push_back(q);
  for (Rank root : roots)
    for (int radix : a.radix ? std::vector{2, 3, 8} : std::vector{2})
      for (Block segments : a.segmented ? std::vector<Block>{1, 2, 7} : std::vector<Block>{1})
        for (int channels : a.channels ? std::vector{1, 2, 3} : std::vector{1})
          for (Rank q : nodes) {
            Call call;
            call.ranks = p;
            call.root = root;
            call.radix = radix;
            call.segments = segments;
            call.channels = channels;
            call.ranks_per_node = q;
            visit(call);
          }
}

/// `n` elements of 8 bytes; uneven ones, some of them 0, where the collective takes counts.
inline Call with_elements(const Algorithm& a, Call call, std::size_t n) {
  call.message = Bytes(8.0 * static_cast<double>(n));
  if (!definition(a.collective).counted()) return call;
  const auto p = static_cast<std::size_t>(call.ranks);
  const std::size_t parts = a.collective == Collective::alltoallv ? p * p : p;
  double sum = 0;
  for (std::size_t i = 0; i < parts; ++i) {
    call.counts.push_back(Bytes(8.0 * static_cast<double>(i * 7 % 5 * (n / p + n % p) / 3)));
    sum += call.counts.back().value;
  }
  call.message = Bytes(a.collective == Collective::alltoallv ? sum / static_cast<double>(p) : sum);
  return call;
}

}  // namespace collcast::mpi

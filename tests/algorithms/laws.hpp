// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "tests/names.hpp"

namespace collcast {

/// Reductions are faster than messages, or slower.
inline constexpr AlphaBetaGamma fast_reduction{Seconds(1e-6), SecondsPerByte(1e-10), SecondsPerByte(3e-11)};
inline constexpr AlphaBetaGamma slow_reduction{Seconds(1e-7), SecondsPerByte(1e-10), SecondsPerByte(7e-10)};

inline std::string describe(const Algorithm& a, const Call& c) {
  return std::string(definition(a.collective).name) + " " + std::string(a.name) + ", " +
         std::to_string(c.ranks) + " ranks, " + std::to_string(c.ranks_per_node) + " per node, root " +
         std::to_string(c.root) + ", radix " + std::to_string(c.radix) + ", " + std::to_string(c.segments) +
         " segments, " + std::to_string(c.channels) + " channels, " + std::to_string(c.buffer.value) +
         " B buffer, " + std::to_string(c.message.value) + " B";
}

/// Per-rank counts, or per-pair ones: equal, all in one, many zeros, growing fast, nothing at all.
inline std::vector<std::vector<Bytes>> skews(Block blocks) {
  const auto size = static_cast<std::size_t>(blocks);
  std::vector<Bytes> one(size), zeros(size), growing(size);
  one[size / 2] = Bytes(1e6);
  for (std::size_t i = 0; i < size; ++i) {
    zeros[i] = Bytes(i % 3 == 0 ? 0.0 : static_cast<double>(i % 5) * 1000);
    growing[i] = Bytes(static_cast<double>(i * i % 1009));
  }
  return {{}, one, zeros, growing, std::vector<Bytes>(size)};
}

/// Calls `visit` with every kind of call of these rank counts that the algorithm supports, message aside;
/// with per-rank counts, the message is their sum. Past 16 ranks only every `roots`-th rank is root.
template <class Visit>
void for_each_call(const Algorithm& a, const std::vector<Rank>& rank_counts, Visit visit, Rank roots = 15) {
  const Definition& d = definition(a.collective);
  const std::vector<Bytes> unlimited{Call().buffer}, buffers{Call().buffer, Bytes(1000), Bytes(5000)};
  for (Rank p : rank_counts) {
    if (!a.supports(p)) continue;
    for (Rank root = 0; root < (d.rooted ? p : 1); root += p <= 16 ? 1 : roots)
      for (int radix : a.radix ? std::vector{2, 3, 4, 8} : std::vector{2})
        for (Block segments : a.segmented ? std::vector<Block>{1, 2, 7} : std::vector<Block>{1})
          for (int channels : a.channels ? std::vector{1, 2, 3, 4} : std::vector{1})
            for (Rank per_node :
                 a.ranks_per_node ? std::vector<Rank>{1, 2, 3, 4, 6, 8, p} : std::vector<Rank>{1})
              for (Bytes buffer : a.buffer ? buffers : unlimited)
                for (const auto& counts :
                     d.counted() ? skews(d.blocks(p)) : std::vector<std::vector<Bytes>>{{}}) {
                  if (p % per_node != 0) continue;
                  Call call{.ranks = p,
                            .root = root,
                            .radix = radix,
                            .message = a.buffer ? p * Bytes(1000) : Bytes(),
                            .segments = segments,
                            .buffer = buffer,
                            .channels = channels,
                            .ranks_per_node = per_node,
                            .counts = counts};
                  for (Bytes count : counts) call.message += count / static_cast<double>(d.whole(p));
                  visit(call);
                }
  }
}

inline std::vector<Rank> up_to(Rank last) {
  std::vector<Rank> all;
  for (Rank p = 1; p <= last; ++p) all.push_back(p);
  return all;
}

}  // namespace collcast

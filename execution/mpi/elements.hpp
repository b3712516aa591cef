// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace collcast::mpi {

/// The elements of the message in each block: a Layout in whole elements.
///
/// Of n elements in B blocks, block b holds [floor(b n / B), floor((b + 1) n / B)). If counts are given, the
/// blocks form as many groups, each of which divides its own count like that.
class Elements {
 public:
  Elements(std::size_t whole, Block blocks) : Elements(std::vector{whole}, blocks) {}
  Elements(const std::vector<std::size_t>& counts, Block blocks);

  std::size_t begin(Block b) const {
    const auto group = static_cast<std::size_t>(b / per_group_), j = static_cast<std::size_t>(b % per_group_);
    const std::size_t count = ends_[group + 1] - ends_[group], parts = static_cast<std::size_t>(per_group_);
    return ends_[group] + j * (count / parts) + j * (count % parts) / parts;
  }
  std::size_t size(Block b) const { return begin(b + 1) - begin(b); }
  std::size_t size(Chunk c) const { return begin(c.first + c.count) - begin(c.first); }
  std::size_t size(std::span<const Holding> holdings) const;

 private:
  std::vector<std::size_t> ends_;
  Block per_group_;
};

/// The call as so many ranks make it. Throws InputError unless the algorithm can serve it.
Call served(const Algorithm& algorithm, Call call, int ranks);

/// The elements of a call, whose `message` and `counts` are divided by `element_bytes`. Throws InputError if
/// they are not multiples of it.
Elements elements(Collective collective, const Call& call, const Schedule& schedule,
                  std::size_t element_bytes);

}  // namespace collcast::mpi

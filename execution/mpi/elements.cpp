// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/elements.hpp"

#include <cmath>
#include <string>

#include "algorithms/catalogue.hpp"
#include "support/decimal.hpp"
#include "support/error.hpp"

namespace collcast::mpi {
namespace {

std::size_t whole_elements(Bytes bytes, std::size_t element_bytes) {
  const double count = bytes.value / static_cast<double>(element_bytes);
  if (!(count >= 0) || count != std::floor(count) || count > 1e15)
    throw InputError("a message of " + decimal::shortened(bytes.value, 15) + " bytes is no whole number of " +
                     std::to_string(element_bytes) + "-byte elements");
  return static_cast<std::size_t>(count);
}

}  // namespace

Elements::Elements(const std::vector<std::size_t>& counts, Block blocks)
    : ends_{0}, per_group_(blocks / static_cast<Block>(counts.size())) {
  for (std::size_t count : counts) ends_.push_back(ends_.back() + count);
  ends_.push_back(ends_.back());  // begin() of the block behind the last
}

std::size_t Elements::size(std::span<const Holding> holdings) const {
  std::size_t sum = 0;
  for (const Holding& h : holdings) sum += size(h.chunk);
  return sum;
}

Call served(const Algorithm& algorithm, Call call, int ranks) {
  call.ranks = ranks;
  collcast::check(algorithm, call);
  return call;
}

Elements elements(Collective collective, const Call& call, const Schedule& schedule,
                  std::size_t element_bytes) {
  if (!call.counts.empty()) {
    std::vector<std::size_t> counts;
    for (Bytes b : call.counts) counts.push_back(whole_elements(b, element_bytes));
    return {counts, schedule.blocks};
  }
  const auto whole = static_cast<std::size_t>(definition(collective).whole(call.ranks));
  return {whole * whole_elements(call.message, element_bytes), schedule.blocks};
}

}  // namespace collcast::mpi

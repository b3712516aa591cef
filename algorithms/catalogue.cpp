// SPDX-License-Identifier: Apache-2.0
#include "algorithms/catalogue.hpp"

#include "algorithms/allgather/ring.hpp"
#include "algorithms/allreduce/rabenseifner.hpp"
#include "algorithms/allreduce/recursive-doubling.hpp"
#include "algorithms/allreduce/ring.hpp"
#include "algorithms/alltoall/pairwise.hpp"
#include "algorithms/barrier/dissemination.hpp"
#include "algorithms/broadcast/chain.hpp"
#include "algorithms/broadcast/flat.hpp"
#include "algorithms/broadcast/knomial.hpp"
#include "algorithms/reduce/knomial.hpp"
#include "algorithms/sendrecv/direct.hpp"
#include "model/error.hpp"

namespace collcast {
namespace {

const Algorithm* const rows[] = {
    &allreduce_ring,         &allreduce_recursive_doubling,
    &allreduce_rabenseifner, &allgather_ring,
    &broadcast_flat,         &broadcast_knomial,
    &broadcast_chain,        &reduce_knomial,
    &alltoall_pairwise,      &barrier_dissemination,
    &sendrecv_direct,
};

std::string full_name(const Algorithm& a) {
  return std::string(definition(a.collective).name) + " " + std::string(a.name);
}

}  // namespace

std::span<const Algorithm* const> catalogue() {
  return rows;
}

std::vector<const Algorithm*> algorithms(Collective collective) {
  std::vector<const Algorithm*> found;
  for (const Algorithm* a : rows)
    if (a->collective == collective) found.push_back(a);
  return found;
}

const Algorithm& algorithm(Collective collective, std::string_view name) {
  std::string known;
  for (const Algorithm* a : algorithms(collective)) {
    if (a->name == name) return *a;
    known += (known.empty() ? "" : ", ") + std::string(a->name);
  }
  throw InputError("no algorithm '" + std::string(name) + "' for " +
                   std::string(definition(collective).name) + "; there are: " + known);
}

void check(const Algorithm& a, const Call& c) {
  if (c.ranks < 1) throw InputError("ranks must be 1 or more, got " + std::to_string(c.ranks));
  if (!a.supports(c.ranks))
    throw InputError(full_name(a) + " needs ranks: " + std::string(a.ranks) + ", got " +
                     std::to_string(c.ranks));
  if (c.root < 0 || c.root >= c.ranks)
    throw InputError("root must be a rank from 0 to " + std::to_string(c.ranks - 1) + ", got " +
                     std::to_string(c.root));
  if (c.radix < 2) throw InputError("radix must be 2 or more, got " + std::to_string(c.radix));
  if (c.segments < 1) throw InputError("segments must be 1 or more, got " + std::to_string(c.segments));
}

Layout layout(const Algorithm& a, const Call& c, const Schedule& schedule) {
  const Block whole = definition(a.collective).whole(c.ranks);
  return Layout::equal(static_cast<double>(whole) * c.message, schedule.blocks);
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/job_prices.hpp"

#include <algorithm>
#include <cstdlib>

#include "support/index.hpp"

namespace collcast::workloads {

Price JobPrices::paid(int role, const JobActivity& a) {
  Price p = price_(call(role, a));
  p.time = p.*end_;
  add(p.limited_by, p.time);
  return p;
}

std::string JobPrices::limited_by() const {
  std::string limit;
  Seconds most;
  for (const auto& [name, time] : limits_)
    if (time > most) limit = name, most = time;
  return limit;
}

GroupCall JobPrices::call(int role, const JobActivity& a) {
  if (a.kind == JobActivity::Kind::collective)
    return {a.collective, job_.members(job_.groups[to_index(a.group)].dimensions),
            a.bytes,      false,
            false,        a.progress == Progress::dpu,
            a.algorithm};
  if (a.kind == JobActivity::Kind::push || a.kind == JobActivity::Kind::pull) {
    const Rank distance = job_.servers->distance;
    return {.collective = Collective::sendrecv,
            .group = {{{2, distance}}, std::max(job_.ranks(), 2 * distance)},
            .bytes = a.bytes,
            .served = true};
  }
  GroupCall& message = messages_[{std::minmax(role, a.peer), a.bytes}];
  if (message.group.dimensions.empty()) message = slowest(role, a.peer, a.bytes);
  return message;
}

/// The slowest message between two roles: of the many pairs of ranks, some lie on one node and some on two.
GroupCall JobPrices::slowest(int role, int peer, Bytes bytes) {
  Rank within = 1;  // consecutive ranks of a role
  for (int d = 0; d < job_.role_dimension; ++d) within *= job_.dimensions[to_index(d)].size;
  const Rank period = within * static_cast<Rank>(job_.roles.size());
  GroupCall call{Collective::sendrecv, {{{2, std::abs(role - peer) * within}}, job_.ranks()}, bytes};
  GroupCall slowest;
  Seconds most(-1);
  for (Rank replica = 0; replica < job_.ranks(); replica += period)
    for (Rank r = 0; r < within; ++r) {
      call.group.first = replica + std::min(role, peer) * within + r;
      if (const Seconds time = price_(call).*end_; time > most) most = time, slowest = call;
    }
  return slowest;
}

}  // namespace collcast::workloads

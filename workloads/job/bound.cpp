// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/bound.hpp"

#include "workloads/job/forecast.hpp"

namespace collcast::workloads {
namespace {

/// Without what only waits or disturbs: each duration at its least.
Job undisturbed(const Job& job, const PriceOf& price) {
  Job least = without_coordinator(job, price);
  const std::size_t agreement = job.coordinator ? job.streams.size() : least.streams.size();
  least.slowdown = 0;
  for (Role& role : least.roles)
    for (JobActivity& a : role.activities) {
      if (a.is_wait || static_cast<std::size_t>(a.stream) == agreement) a.time = Seconds();
      if (a.progress == Progress::host) a.progress = Progress::always;
    }
  return least;
}

/// Each at its bound; nothing shares links, and no sender waits for its receiver.
Price at_bound(Price p) {
  p.time = p.low = p.high = p.bound;
  p.limited_by = p.cut;
  p.load = 0;
  p.departure = Departure{};
  return p;
}

void add(JobBound& all, const Price& p) {
  all.calibrated &= p.calibrated;
  if (p.transferred) all.transferred = all.transferred.value_or(false) || *p.transferred;
}

}  // namespace

JobBound lower_bound(const Job& job, const PriceOf& price) {
  JobBound bound;
  bound.calibrated = !job.guessed;
  const auto seen = [&](const GroupCall& call) {
    const Price p = price(call);
    add(bound, p);
    return p;
  };
  const Job least = undisturbed(job, seen);
  const Played played = play(least, [&](const GroupCall& call) { return at_bound(seen(call)); });
  bound.time = played.time;
  bound.cut = limit(parts(played), played.limited_by);
  return bound;
}

JobBound bound_of_computation(const Job& job) {
  return {computation(job), "computation", !job.guessed};
}

}  // namespace collcast::workloads

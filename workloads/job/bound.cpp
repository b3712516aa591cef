// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/bound.hpp"

#include <algorithm>

#include "workloads/job/forecast.hpp"

namespace collcast::workloads {
namespace {

using Kind = JobActivity::Kind;

/// If pushes and pulls go by need, their order follows from their times; then each goes as soon as it can.
void free_order(Job& job) {
  if (!job.servers || !job.servers->by_need) return;
  job.servers->by_need = false;
  for (Role& role : job.roles)
    for (JobActivity& a : role.activities) {
      if (a.kind != Kind::push && a.kind != Kind::pull) continue;
      a.stream = static_cast<int>(job.streams.size());
      job.streams.push_back("message " + std::to_string(a.stream));
    }
}

/// The job without waiting and disturbances: each duration at its least.
Job undisturbed(const Job& job, const PriceOf& price) {
  Job least = without_coordinator(job, price);
  const std::size_t agreement = job.coordinator ? job.streams.size() : least.streams.size();
  least.slowdown = 0;
  for (Role& role : least.roles)
    for (JobActivity& a : role.activities) {
      if (a.is_wait || static_cast<std::size_t>(a.stream) == agreement) a.time = Seconds();
      if (a.progress == Progress::host) a.progress = Progress::always;
    }
  free_order(least);
  return least;
}

/// A price at its bound, as if it shared no links and no sender waited for its receiver.
Price at_bound(Price p) {
  p.time = p.low = p.high = p.bound;
  p.limited_by = p.cut;
  p.load = 0;
  p.departure = Departure{};
  return p;
}

/// When the last push is done if all go one after the other from the first one on, as they share a link.
Seconds pushes_in_a_row(const Played& played) {
  Seconds sum, first = played.time;
  for (const Span& s : played.spans)
    if (s.role == 0 && s.kind == Kind::push) sum += s.end - s.moves, first = std::min(first, s.moves);
  return first + sum;
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
  bound.time = std::max(played.time, pushes_in_a_row(played));
  bound.cut = limit(parts(played), played.limited_by);
  return bound;
}

JobBound bound_of_computation(const Job& job) {
  return {computation(job), "computation", !job.guessed};
}

}  // namespace collcast::workloads

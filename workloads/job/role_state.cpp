// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/role_state.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace collcast::workloads {
namespace {

using Kind = JobActivity::Kind;

/// Appends a buffer: copied in, sent, copied out.
void enqueue(RoleState& s, const Job& job, Bytes bytes, int tensors, int agreed) {
  const Coordinator& c = *job.coordinator;
  const Seconds copy = (tensors > 1 ? bytes * c.copy : Seconds()) + bytes * c.shared;
  const std::string name = std::to_string(tensors) + (tensors == 1 ? " tensor" : " tensors");
  s.append({.kind = Kind::compute, .name = "copy in", .stream = c.stream, .time = copy, .after = {agreed}});
  for (const Coordinator::Phase& p : c.phases)
    s.append({.kind = Kind::collective,
              .name = name,
              .stream = c.stream,
              .bytes = bytes * p.share,
              .collective = p.collective,
              .group = p.group,
              .part = job.collective_of(p.group, p.collective)});
  const int last = s.append({.kind = Kind::compute, .name = "copy out", .stream = c.stream, .time = copy});
  s.rounds.unreduced += tensors;
  s.rounds.carried[last] = tensors;
}

}  // namespace

void offer(RoleState& s, int activity, const Coordinator& c, const RoundTime& round, Seconds now) {
  Rounds& r = s.rounds;
  r.pending.push_back(activity);
  ++r.offered;
  if (r.wake < never || grouped(r.offered, r.offers, c.groups) == r.taken) return;
  const Seconds period = std::max(c.cycle, round.empty);
  const double rounds = period.value > 0 && now > r.last ? std::ceil((now - r.last) / period) : 0;
  r.wake = std::max(now, r.last + rounds * period);
}

Seconds begin_round(RoleState& s, const Job& job, const RoundTime& round, Seconds now) {
  const Coordinator& c = *job.coordinator;
  Rounds& r = s.rounds;
  std::vector<Bytes> sizes;
  const int agreeable = grouped(r.offered, r.offers, c.groups) - r.taken;
  for (int k = 0; k < agreeable; ++k) sizes.push_back(s.activities[to_index(r.pending[to_index(k)])].bytes);
  const Seconds agreement = round.with(sizes.size());
  r.agreement += agreement;
  const int agreed = s.append({.kind = Kind::compute,
                               .name = "agree",
                               .stream = static_cast<int>(job.streams.size()),
                               .time = agreement});
  for (const std::vector<int>& buffer : fuse(sizes, c.threshold)) {
    Bytes bytes;
    for (const int t : buffer) bytes += sizes[to_index(t)];
    enqueue(s, job, bytes, static_cast<int>(buffer.size()), agreed);
  }
  r.held[agreed] = {now, {r.pending.begin(), r.pending.begin() + agreeable}};
  r.pending.erase(r.pending.begin(), r.pending.begin() + agreeable);
  r.taken += agreeable;
  r.last = now + std::max(c.cycle, agreement);
  r.wake = never;
  return agreement;
}

std::vector<JobActivity> as_ended(const RoleState& s) {
  std::vector<JobActivity> all;
  std::vector<int> place(s.activities.size()), last;
  const auto places = [&](const std::vector<int>& of) {
    std::vector<int> result;
    for (const int i : of) result.push_back(place[to_index(i)]);
    return result;
  };
  Seconds agreed;  // end of the rounds before
  for (const int index : s.order) {
    JobActivity a = s.activities[to_index(index)];
    a.after = places(a.after);
    if (a.kind == Kind::settle) a.after = places(last);
    if (a.kind == Kind::offer || a.kind == Kind::settle) a.kind = Kind::compute, a.bytes = Bytes();
    if (s.rounds.carried.contains(index)) last.push_back(index);
    if (const auto round = s.rounds.held.find(index); round != s.rounds.held.end()) {
      const auto& [begin, tensors] = round->second;
      Seconds ready = agreed;
      for (const int t : tensors) ready = std::max(ready, s.begun[to_index(t)]);
      all.push_back({.name = "until the round",
                     .stream = a.stream,
                     .time = std::max(Seconds(), begin - ready),
                     .after = places(tensors),
                     .is_wait = true});
      agreed = begin + a.time;
    }
    place[to_index(index)] = static_cast<int>(all.size());
    all.push_back(std::move(a));
  }
  return all;
}

}  // namespace collcast::workloads

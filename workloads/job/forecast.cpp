// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/forecast.hpp"

#include <algorithm>

namespace collcast::workloads {

JobForecast parts(const Played& p) {
  JobForecast f;
  f.time = f.low = f.high = p.time;
  f.compute = p.compute;
  f.bubble = p.waiting;
  const Seconds beyond = p.time - p.compute - p.waiting;
  f.exposed = beyond > 1e-12 * p.time ? beyond : Seconds();
  f.communication = p.communication;
  f.hidden = p.hidden;
  return f;
}

std::string limit(const JobForecast& f, const std::string& communication, const std::vector<Wait>& others) {
  std::vector<Wait> all{
      {"computation", f.compute},
      {communication.empty() ? "communication" : "communication: " + communication, f.exposed},
      {"waiting for others", f.bubble}};
  all.insert(all.end(), others.begin(), others.end());
  return std::ranges::max_element(all, {}, &Wait::time)->name;
}

JobForecast forecast_job(const Job& job, const PlayOf& play, const BoundOf& bound) {
  Played played = play(job, End::middle);
  JobForecast f = parts(played);
  f.low = played.ends ? played.ends->first : play(job, End::low).time;
  f.high = played.ends ? played.ends->second : play(job, End::high).time;
  f.bound = bound(job);
  f.limited_by = limit(f, played.limited_by);
  if (!played.spans.empty()) f.activities = summary(job, played);
  f.spans = std::move(played.spans);
  return f;
}

}  // namespace collcast::workloads

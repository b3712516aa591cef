// SPDX-License-Identifier: Apache-2.0
#include "workloads/playing/playing.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/notes.hpp"
#include "support/text.hpp"
#include "workloads/job/source.hpp"

namespace collcast::workloads {
namespace {

/// What limits the time that is neither computation nor waiting.
std::string limit_beside_computation(const ReplayReport& r) {
  for (const Share& s : r.explanation)
    if (s.cause != Cause::compute && s.cause != Cause::wait) return s.name;
  return r.explanation.empty() && r.limited_by != "computation" ? r.limited_by : "";
}

/// Fills the parts with the mean over the ranks that compute longest.
void fill_parts(Played& played, const std::vector<Parts::OfRank>& ranks) {
  Seconds most;
  for (const Parts::OfRank& r : ranks) most = std::max(most, r.compute);
  int count = 0;
  for (const Parts::OfRank& r : ranks) {
    if (r.compute < (1 - 1e-9) * most) continue;
    ++count;
    played.communication += r.communication, played.hidden += r.hidden, played.waiting += r.waiting;
  }
  for (Seconds Played::*part : {&Played::communication, &Played::hidden, &Played::waiting}) {
    played.*part = played.*part / std::max(1, count);
    if (played.*part < 1e-12 * played.time) played.*part = Seconds();
  }
}

/// Prices by the group forecaster; each is asked for once.
PriceOf group_prices(GroupForecaster& forecaster) {
  return cached([&forecaster](const GroupCall& call) {
    const auto a = call.control  ? forecaster.predict_control(call.collective, call.group, call.bytes)
                   : call.served ? forecaster.predict_served(call.group, call.bytes)
                   : call.offloaded
                       ? forecaster.predict_offloaded(call.collective, call.group, call.bytes, call.algorithm)
                       : forecaster.predict(call.collective, call.group, call.bytes, call.algorithm);
    Price price{a.time, a.low, a.high, a.limited_by};
    price.load = a.load, price.between_nodes = forecaster.nodes(call.group) > 1;
    price.bound = a.bound, price.cut = a.cut;
    price.calibrated = a.calibrated, price.transferred = a.transferred;
    if (call.collective == Collective::sendrecv && call.group.size() == 2 && !call.served)
      if (const auto wire = forecaster.departure(call.group, call.bytes))
        price.departure = {wire->overhead, wire->gap + wire->occupation(call.bytes)};
    return price;
  });
}

const std::string& checked(const std::string& policy) {
  require_policy(policy);
  return policy;
}

}  // namespace

void require_offload(const HowPlayed& how, const Job& job) {
  const auto offloaded = [](const JobActivity& a) { return a.progress == Progress::dpu; };
  if (how.pieces == 1 && !how.direct) return;
  if (std::ranges::none_of(job.roles,
                           [&](const Role& r) { return std::ranges::any_of(r.activities, offloaded); }))
    throw InputError((how.direct ? "delivery" : "pieces") +
                     (" applies only to offloaded collectives; " + job.name + " has none"));
}

Playing::Playing(const Description& platform, const HowPlayed& how)
    : platform_(platform),
      engine_(how.engine.empty() ? nullptr : &playing_engine(how.engine)),
      forecaster_(platform, checked(how.policy), how.pieces, how.direct),
      price_(group_prices(forecaster_)),
      progress_(how.progress) {}

ReplayOptions Playing::options() const {
  ReplayOptions options;
  options.engine = engine_;
  options.policy = forecaster_.policy();
  options.memory = Memory::device;
  options.interval = false;
  options.play.progress = progress_;
  return options;
}

Played Playing::play(const Job& job, End end, bool interval) {
  if (!by_messages()) return workloads::play(job, price_, end);
  const Job plain = without_coordinator(job, price_, end);
  Played played{};
  if (end != End::middle) {
    played.time = replay_time(*source_of(plain), platform_, options(),
                              end == End::low ? &ReplayReport::low : &ReplayReport::high);
    return played;
  }
  ReplayOptions all = options();
  all.interval = interval, all.parts = true;
  ReplayReport& r = reports_.emplace_back(replay(*source_of(plain), platform_, all));
  for (Share& s : r.explanation) {
    if (job.coordinator && s.cause == Cause::wait) s.name = "the coordinator's next round";
    if (job.coordinator && s.name == "agree") s.cause = Cause::overhead, s.name = "the coordinator's rounds";
  }
  played.time = r.time;
  played.compute = computation(plain);
  fill_parts(played, r.parts);
  if (interval) played.ends = {r.low, r.high};
  if (job.coordinator) played.agreement = workloads::play(job, price_, end).agreement;
  played.limited_by = limit_beside_computation(r);
  last_ = plain;
  for (const Loss& n : r.not_modelled)
    r.notes.push_back(n.operation + ", " + text::count(n.count) + " times: " + n.reason);
  notes_.insert(notes_.end(), r.notes.begin(), r.notes.end());
  return played;
}

PlayOf Playing::player(bool interval) {
  reports_.clear();
  return [this, interval](const Job& job, End end) { return play(job, end, interval); };
}

/// If messages are played, ranks of a group may begin at different times, so that only computation is a
/// bound.
BoundOf Playing::bounds() {
  return [this](const Job& job) {
    if (!by_messages()) return lower_bound(job, price_);
    JobBound bound = bound_of_computation(job);
    for (const ReplayReport& r : reports_) bound.calibrated &= r.calibrated;
    return bound;
  };
}

JobForecast Playing::forecast(const Job& job) {
  return forecast_job(job, player(true), bounds());
}

StepForecast Playing::forecast(const Training& training) {
  return forecast_step(training, price_, player(false), bounds());
}

Seconds Playing::time(const Job& job) {
  return player(false)(job, End::middle).time;
}

Seconds Playing::time(const Training& training) {
  const PlayOf middle = [play = player(false)](const Job& job, End end) {
    return end == End::middle ? play(job, end) : Played{};
  };
  return forecast_step(training, price_, middle, [](const Job&) { return JobBound{}; }).time;
}

std::vector<Share> Playing::causes(const std::vector<Wait>& waits) const {
  std::vector<Share> all;
  for (const ReplayReport& r : reports_) {
    if (r.explanation.empty()) return {};
    for (const Share& s : r.explanation) {
      const auto same = std::ranges::find_if(
          all, [&](const Share& other) { return other.cause == s.cause && other.name == s.name; });
      Share& sum = same != all.end() ? *same : all.emplace_back(Share{s.cause, s.name, Seconds(), s.alike});
      sum.time += s.time / static_cast<double>(reports_.size());
    }
  }
  for (const Wait& w : waits) all.push_back({Cause::wait, w.name, w.time});
  std::ranges::stable_sort(all, std::greater<>(), &Share::time);
  return all;
}

Seconds Playing::watch(const Watched& watched) const {
  ReplayOptions all = options();
  all.watched = watched;
  return replay(*source_of(last_), platform_, all).time;
}

std::vector<std::string> Playing::notes() const {
  std::vector<std::string> all = forecaster_.notes();
  for (const std::string& words : notes_) add_once(all, words);
  return all;
}

}  // namespace collcast::workloads

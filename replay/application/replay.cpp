// SPDX-License-Identifier: Apache-2.0
#include "replay/application/replay.hpp"

#include <algorithm>

#include "replay/application/account.hpp"
#include "replay/application/followed.hpp"
#include "replay/application/replay_notes.hpp"
#include "replay/application/staged.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// Times and tallies by operation name, with the names that only one of the two has.
std::vector<ReplayReport::Operation> operations(const Account& account, const Application& application) {
  std::map<std::string, ReplayReport::Operation> by_name;
  for (const auto& [name, time] : account.times()) by_name[name].time = time / application.ranks();
  for (const auto& [name, tally] : application.collectives().tallies()) {
    ReplayReport::Operation& o = by_name[name];
    o.count = tally.count;
    o.bytes = tally.bytes;
    if (tally.recorded > Seconds()) o.recorded = tally.recorded / application.ranks();
    o.algorithm = text::join(tally.algorithms);
  }
  std::vector<ReplayReport::Operation> all;
  for (auto& [name, o] : by_name) o.name = name, all.push_back(std::move(o));
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.time > b.time; });
  return all;
}

std::vector<Loss> not_modelled(const Source& source, const Application& application) {
  std::vector<Loss> all = source.info().losses;
  for (Loss& loss : application.collectives().skipped()) all.push_back(std::move(loss));
  return all;
}

/// Renames the shares of ranks' own named pauses, which are no collectives.
void tell_own(std::vector<Share>& shares, const Application& application) {
  for (Share& s : shares)
    if (s.cause == Cause::collective && application.operations().is_own(s.name)) s.cause = Cause::compute;
}

/// Adds the calls that ranks had still to make, or were in, when a replay stopped early.
void add_unplayed(std::vector<Loss>& all, const Followed& followed) {
  for (const auto& [operation, calls] : followed.communication())
    if (calls.left > 0)
      all.push_back({operation, calls.left,
                     "of " + std::to_string(calls.all) +
                         " calls of ranks: not played to the end: the trace ends before what they wait for"});
}

/// Sets what limits the time: by the chain of causes, or if the run is too long for that, by what was busy.
void set_limit(ReplayReport& report, const Result& result, const Fabric& fabric,
               const Application& application) {
  const Bottleneck link = bottleneck(result, fabric);
  report.explanation = explanation(fabric, result.chain, {}, report.time, link.name,
                                   application.collectives().limits(), result.links, result.ports);
  tell_own(report.explanation, application);
  if (!report.explanation.empty()) {
    report.limited_by = report.explanation.front().name;
    report.limited_by_share = report.explanation.front().time / report.time;
    return;
  }
  report.limited_by = "latency and waiting";
  if (report.compute >= 0.5 * report.time)
    report.limited_by = "computation";
  else if (link.busy >= 0.5)
    report.limited_by = link.name, report.limited_by_share = link.busy;
  if (report.limited_by == "computation" && report.time.value > 0)
    report.limited_by_share = report.compute / report.time;
}

/// Sets the times on the platform as described.
void set_times(ReplayReport& report, const Result& result, const Account& account, Rank ranks) {
  report.time = result.time;
  for (const Result::OfRank& rank : result.ranks) {
    report.compute += rank.compute / ranks;
    report.lower_bound = std::max(report.lower_bound, rank.compute);
  }
  report.exposed = report.time - report.compute;
  report.communication = account.communication() / ranks;
  const Seconds idle = report.time - account.busy() / ranks, rounded = 1e-9 * report.time;
  report.idle = idle <= rounded ? Seconds() : report.exposed - idle <= rounded ? report.exposed : idle;
}

void set_interval(ReplayReport& report, Staged& staged) {
  report.low = report.high = report.time;
  if (!staged.options().interval) return;
  report.low = std::min(staged.low(report.time), report.time);
  report.high = std::max(staged.high(report.time), report.time);
}

/// Throws InputError if DPUs were asked for and had nothing to do.
void check_offloaded(const Staged& staged) {
  const Offloaded& offloaded = staged.options().offloaded;
  if (offloaded.collectives.empty() || staged.prices()->offloaded() > 0) return;
  const std::vector<std::string> why = staged.prices()->notes("the ranks");
  throw InputError(staged.source().info().name + ": DPUs can play none of its " +
                   names(offloaded.collectives) + (why.empty() ? "" : ": " + why[0]));
}

ReplayReport report_of(Staged& staged) {
  const ReplayOptions& options = staged.options();
  const Fabric& fabric = staged.nominal().fabric;
  const Followed followed(staged.source());
  Application application = staged.application(followed);
  Account account(application);
  std::vector<Observer*> watching{&account};
  Parts parts(application, fabric);
  if (options.parts) watching.push_back(&parts);
  if (options.watched)
    watching.push_back(
        options.watched(fabric, [&](const Observer::Interval& i) { return account.name_of(i); }));
  Observers all(std::move(watching));
  const Result result = staged.play(application, all);
  check_offloaded(staged);

  ReplayReport report;
  set_times(report, result, account, staged.source().ranks());
  if (options.parts) report.parts = parts.of_ranks(report.time);
  report.operations = operations(account, application);
  report.not_modelled = not_modelled(staged.source(), application);
  report.stopped_short = !result.stopped_short.empty();
  if (report.stopped_short) add_unplayed(report.not_modelled, followed);
  set_limit(report, result, fabric, application);
  report.policy = options.policy;
  report.calibrated = staged.nominal().machine.calibrated();
  report.recorded = staged.source().info().recorded;
  report.notes = notes_of(staged, report, result);
  set_interval(report, staged);
  return report;
}

}  // namespace

std::string policy_for(const Source& source, const Description& platform) {
  if (source.info().by_mpi) return "fastest";
  const std::string usual = usual_policy(platform);
  return is_nccl(usual) ? usual : "fastest";
}

std::string computation_of(const SourceInfo& info) {
  if (info.memory == Memory::device) return "recorded GPU time";
  return info.format == "cct" ? "recorded CPU time" : "recorded time of computation";
}

ReplayReport replay(const Source& source, const Description& platform, const ReplayOptions& options) {
  if (!(options.compute_scale >= 0) || options.compute_scale > 1e9)
    throw InputError("--compute-scale takes a number from 0 to 1e9");
  Staged staged(source, platform, options);
  return report_of(staged);
}

Seconds replay_time(const Source& source, const Description& platform, const ReplayOptions& options,
                    Seconds ReplayReport::*end) {
  Staged staged(source, platform, options);
  if (end == &ReplayReport::low) return staged.low();
  if (end == &ReplayReport::high) return staged.high();
  return staged.time();
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "replay/application/replay.hpp"

#include <algorithm>
#include <cmath>

#include "replay/application/account.hpp"
#include "replay/application/application.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

/// What MPI libraries buffer at least, where the platform itself says nothing of it.
const Bytes buffered_sends(65536);

/// Times and tallies by name; names that only one of them knows appear too.
std::vector<ReplayReport::Operation> operations(const Account& account, const Application& application) {
  std::map<std::string, ReplayReport::Operation> by_name;
  for (const auto& [name, time] : account.times()) by_name[name].time = time / application.ranks();
  for (const auto& [name, tally] : application.tallies()) {
    ReplayReport::Operation& o = by_name[name];
    o.count = tally.count;
    o.bytes = tally.bytes;
    for (std::string_view a : tally.algorithms)
      o.algorithm += (o.algorithm.empty() ? "" : ", ") + std::string(a);
  }
  std::vector<ReplayReport::Operation> all;
  for (auto& [name, o] : by_name) o.name = name, all.push_back(std::move(o));
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.time > b.time; });
  return all;
}

std::vector<ReplayReport::NotModelled> not_modelled(const Source& source, const Application& application) {
  std::vector<ReplayReport::NotModelled> all;
  for (const Loss& loss : source.info().losses) all.push_back({loss.operation, loss.count, loss.reason});
  for (const auto& [what, count] : application.passed_over()) all.push_back({what.first, count, what.second});
  return all;
}

std::string limit(const ReplayReport& report, const Bottleneck& link) {
  if (report.compute >= 0.5 * report.time) return "computation";
  if (link.busy >= 0.5) return link.name;
  return "latency and waiting";
}

}  // namespace

ReplayReport replay(const Source& source, const Machine& machine, const ReplayOptions& options) {
  const SourceInfo& info = source.info();
  if (machine.ranks() != source.ranks())
    throw InputError(info.name + " has " + std::to_string(source.ranks()) +
                     " ranks and cannot be replayed on " + std::to_string(machine.ranks()));
  const HomeFabric fabric(machine, options.memory);
  Selection selection(fabric, options.algorithms);
  const bool synchronous = fabric.protocol().eager_limit < Bytes(0);
  Application application(source, selection, options.compute_scale, synchronous ? buffered_sends : Bytes(-1));
  Account account(application);
  PlayOptions play_options = options.play;
  play_options.observer = &account;
  play_options.may_stop_short = info.truncated;
  play_options.here = true;
  const Result result = options.engine->play(application, fabric, play_options);
  ReplayReport report;
  report.time = result.time;
  for (const Result::OfRank& rank : result.ranks) report.compute += rank.compute / application.ranks();
  report.exposed = report.time - report.compute;
  report.communication = account.communication() / application.ranks();
  report.operations = operations(account, application);
  report.not_modelled = not_modelled(source, application);
  report.limited_by = limit(report, bottleneck(result, fabric));
  report.recorded = info.recorded;
  report.notes = info.notes;
  if (!result.stopped_short.empty())
    report.notes.push_back("the replay ends where the trace does: " + result.stopped_short);
  return report;
}

}  // namespace collcast

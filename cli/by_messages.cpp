// SPDX-License-Identifier: Apache-2.0
#include "cli/by_messages.hpp"

#include <algorithm>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "workloads/job/source.hpp"

namespace collcast::cli {

void add_messages(CLI::App& verb, std::string& engine) {
  verb.add_option(
          "--engine", engine,
          "Plays every message of every collective, so that those under way at once share links, by " +
              engine_words(true) + "; without it, collectives are single operations")
      ->option_text(engine_names(true, "|"));
}

ByMessages::ByMessages(const Description& platform, const std::string& engine, std::string policy)
    : platform_(platform), engine_(playing_engine(engine)), policy_(std::move(policy)) {}

ReplayOptions ByMessages::options(const Watched& watched) const {
  ReplayOptions options;
  options.engine = &engine_;
  options.policy = policy_;
  options.memory = Memory::device;
  options.watched = watched;
  options.play.progress = [](Seconds now, std::int64_t messages) {
    progress("played " + seconds(now.value) + ", " + count(messages) + " messages");
  };
  return options;
}

ReplayReport ByMessages::report(const workloads::Job& job, const Watched& watched, bool interval) const {
  ReplayOptions all = options(watched);
  all.interval = interval;
  return replay(*workloads::source_of(job), platform_, all);
}

Seconds ByMessages::time(const workloads::Job& job, Seconds ReplayReport::*end) const {
  return replay_time(*workloads::source_of(job), platform_, options(nullptr), end);
}

namespace {

/// What limits what is neither computation nor waiting.
std::string limit_beside_computation(const ReplayReport& r) {
  for (const Share& s : r.explanation)
    if (s.cause != Cause::compute && s.cause != Cause::wait) return s.name;
  return r.limited_by;
}

}  // namespace

workloads::Played StepByMessages::operator()(const workloads::Job& job, workloads::End end) {
  using workloads::End;
  const workloads::Job plain = without_coordinator(job, price, end);
  workloads::Played played{};
  if (end != End::middle) {
    played.time = by.time(plain, end == End::low ? &ReplayReport::low : &ReplayReport::high);
    return played;
  }
  const ReplayReport& r = reports.emplace_back(by.report(plain, nullptr, false));
  last = plain;
  played.time = r.time;
  played.compute = computation(plain);
  played.communication = r.communication;
  if (job.coordinator) played.agreement = play(job, price, end).agreement;
  played.limited_by = limit_beside_computation(r);
  return played;
}

std::vector<Share> StepByMessages::causes() const {
  std::vector<Share> all;
  for (const ReplayReport& r : reports) {
    if (r.explanation.empty()) return {};
    for (const Share& s : r.explanation) {
      const auto same = std::ranges::find_if(
          all, [&](const Share& other) { return other.cause == s.cause && other.name == s.name; });
      Share& sum = same != all.end() ? *same : all.emplace_back(Share{s.cause, s.name, Seconds(), s.alike});
      sum.time += s.time / static_cast<double>(reports.size());
    }
  }
  std::ranges::stable_sort(all, std::greater<>(), &Share::time);
  return all;
}

void add_notes(report::Report& report, const ReplayReport& played) {
  std::vector<std::string> all = played.notes;
  for (const ReplayReport::NotModelled& n : played.not_modelled)
    all.push_back(n.operation + ", " + count(n.count) + " times: " + n.reason);
  for (std::string& words : all)
    if (std::ranges::find(report.notes, words) == report.notes.end())
      report.notes.push_back(std::move(words));
}

}  // namespace collcast::cli

// SPDX-License-Identifier: Apache-2.0
#include "engines/player/interpreter.hpp"

#include <algorithm>

#include "engines/player/analytic.hpp"
#include "support/error.hpp"
#include "support/interrupt.hpp"

namespace collcast {

Interpreter::Interpreter(Program& program, const Fabric& fabric, Backend& backend, const PlayOptions& options)
    : program_(program),
      fabric_(fabric),
      backend_(backend),
      options_(options),
      size_(program.ranks()),
      protocol_(fabric.protocol()),
      ranks_(static_cast<std::size_t>(size_)),
      through_(fabric.queues()),
      log_(options.explain ? CauseLog::usual : 0) {
  if (program.ranks() < 1) throw InputError("a program needs at least one rank");
  if (program.ranks() > fabric.ranks())
    throw InputError("the program has " + std::to_string(program.ranks()) + " ranks, the platform holds " +
                     std::to_string(fabric.ranks()));
}

Result Interpreter::run() {
  backend_.carries(messages_);
  backend_.watched_by(options_.observer);
  backend_.explained_in(options_.explain ? &log_ : nullptr);
  for (Rank r = 0; r < program_.ranks(); ++r) start_strand(program_.main(r), r, nullptr, {}, 0);
  backend_.run(*this);
  std::string waiting = stuck();
  if (!waiting.empty() && !options_.may_stop_short) {
    const std::string name = program_.name();
    throw InputError((name.empty() ? name : name + ": ") + "deadlock: " + waiting);
  }
  Result end = result();
  if (!waiting.empty()) end.time = std::max(end.time, backend_.now());
  end.stopped_short = std::move(waiting);
  return end;
}

void Interpreter::on(Event event) {
  switch (event.kind) {
    case Event::Kind::computed: {
      const Task task = tasks_[event.index];
      tasks_.remove(event.index);
      why_ = task.why;
      computed(task);
      complete(task.rank, task.waiter);
      break;
    }
    case Event::Kind::met:
      met(event.index);
      break;
    case Event::Kind::injected:
      why_ = messages_[event.index].why;
      enter(event.index);
      break;
    case Event::Kind::admitted:
      messages_[event.index].posted = backend_.now();
      admitted_.push_back({messages_[event.index].order, event.index});
      break;
    case Event::Kind::left:
      why_ = carried(event.index, false);
      sent(event.index);
      break;
    case Event::Kind::arrived:
      why_ = carried(event.index, true);
      if (options_.observer) backend_.way(event.index).arrived = backend_.now();
      arrived(event.index);
      break;
    case Event::Kind::received:
      why_ = messages_[event.index].why;
      delivered(event.index);
      break;
    case Event::Kind::reduced:
      why_ = messages_[event.index].why;
      received(event.index);
      break;
    default:
      break;
  }
  drain();
}

void Interpreter::settle() {
  drain();
  take();
  flush();
  if (log_.crowded()) tidy_log();
}

/// Keeps of the log what led to the present. Records of pools that were removed count as present: what led to
/// them is little.
void Interpreter::tidy_log() {
  std::vector<CauseLog::Entry*> entries{&why_, &last_.why};
  for (RankState& rank : ranks_)
    for (Moment* moment : {&rank.processor_free, &rank.reduced, &rank.busy_until})
      entries.push_back(&moment->why);
  for (StrandState& strand : strands_.all())
    for (CauseLog::Entry* why : {&strand.why, &strand.busy_until.why}) entries.push_back(why);
  for (Task& task : tasks_.all()) entries.push_back(&task.why);
  for (Meeting& meeting : meetings_.all()) entries.push_back(&meeting.why);
  for (Message& message : messages_.all()) entries.push_back(&message.why);
  std::vector<CauseLog::Hold*> holds;
  backend_.add_holds(holds);
  log_.keep(entries, holds);
}

/// Checks for interrupts and reports progress. Called rarely enough to cost no time, and often enough for a
/// waiting user.
void Interpreter::poll() {
  end_if_interrupted();
  if (options_.progress) options_.progress(backend_.now(), sent_messages_);
}

Result Interpreter::result() const {
  Result result;
  for (const RankState& rank : ranks_) {
    result.time = std::max(result.time, rank.finish);
    result.ranks.push_back({rank.finish, rank.compute, std::max(Seconds(0), rank.finish - rank.compute)});
  }
  result.messages = sent_messages_;
  result.bytes = sent_bytes_;
  backend_.usage(result);
  result.chain = log_.chain(last_.why);
  return result;
}

std::string Interpreter::stuck() const {
  if (strands_.in_use() == 0) return {};
  auto all = blocked();
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a < b; });
  constexpr std::size_t shown = 3;
  std::string line;
  for (std::size_t i = 0; i < std::min(shown, all.size()); ++i)
    line += (i ? "; rank " : "rank ") + std::to_string(all[i].first) + " waits for " + all[i].second;
  if (all.size() > shown) line += "; and " + std::to_string(all.size() - shown) + " more";
  return line;
}

/// Ranks and what they wait for in vain, without waits that are only a consequence.
std::vector<std::pair<Rank, std::string>> Interpreter::blocked() const {
  std::vector<std::pair<Rank, std::string>> all;
  auto number = [](auto n) { return std::to_string(n); };
  auto named = [&](std::uint64_t tag) { return " (" + program_.name_of_tag(tag) + ")"; };
  unmatched_.for_each([&](const Table::Entry& entry) {
    const auto from = static_cast<Rank>(entry.key.a >> 32), to = static_cast<Rank>(entry.key.a);
    const std::string tag = named(entry.key.b);
    for (Index id = entry.first; id != no_index; id = posts_[id].next) {
      if (!posts_[id].is_send)
        all.push_back({to, "a message from rank " + number(from) + tag});
      else if (!messages_[posts_[id].message].eager)
        all.push_back({from, "a receive by rank " + number(to) + tag});
    }
  });
  requests_.for_each([&](const Table::Entry& entry) {
    if (entry.second != no_index && entry.first == 0)
      all.push_back(
          {static_cast<Rank>(entry.key.a), program_.name_of_request(static_cast<std::int32_t>(entry.key.b))});
  });
  joins_.for_each([&](const Table::Entry& entry) {
    const bool of_all = static_cast<Rank>(entry.key.a) < 0;
    all.push_back(
        {strands_[entry.second].rank, (of_all ? "other ranks" : "other strands") + named(entry.key.b)});
  });
  return all;
}

Result play(Program& program, const Fabric& fabric, Backend& backend, const PlayOptions& options) {
  return Interpreter(program, fabric, backend, options).run();
}

Result play(Program& program, const Fabric& fabric, const PlayOptions& options) {
  Analytic backend(fabric.protocol(), fabric.ports());
  return play(program, fabric, backend, options);
}

}  // namespace collcast

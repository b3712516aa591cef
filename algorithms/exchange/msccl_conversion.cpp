// SPDX-License-Identifier: Apache-2.0
#include "algorithms/exchange/msccl_conversion.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "support/error.hpp"

namespace collcast::msccl {
namespace {

/// A chunk of a message, as it is to be stored or reduced by its receiver.
struct Arrival {
  std::int32_t message, chunk;
  Combine combine;
};

/// A version of a rank's copy of a block: its content from one write to the next.
struct Version {
  std::int32_t previous = -1;
  bool reduced = false;                        ///< by its writers
  std::vector<std::int32_t> writers, readers;  ///< arrivals
};

/// Orders the versions of each rank's copy of each block and lists the arrivals that make and read them.
class Versions {
 public:
  Versions(const Execution& e, const std::string& file) : e_(e), file_(file), states_(e.values.size()) {
    for (const Message& m : e.messages) arrived_.emplace_back(m.values.size());
    for (const Event& event : e.events) {
      if (!event.sent)
        define(event.index);
      else
        for (ValueId v : e.messages[static_cast<std::size_t>(event.index)].values) settle(v);
    }
    for (ValueId v : e.results) settle(v);
    for (ValueId v : e.results)
      if (state(v).version != current(v)) two_versions(v);
  }

  std::vector<Arrival> arrivals;
  std::vector<Version> versions;

 private:
  /// What a value is made of. A settled value is a version. Another is the version `base` (or nothing) to
  /// which chunks of messages are added.
  struct State {
    std::int32_t version = -1, base = -1;
    std::vector<std::pair<std::int32_t, std::int32_t>> chunks;
  };

  const Value& value(ValueId v) const { return e_.values[static_cast<std::size_t>(v)]; }
  State& state(ValueId v) { return states_[static_cast<std::size_t>(v)]; }
  std::int32_t& current(ValueId v) {
    return current_.try_emplace(value(v).rank * e_.blocks + value(v).block, -1).first->second;
  }

  [[noreturn]] void two_versions(ValueId v) const {
    throw InputError(file_ + ": gpu " + std::to_string(value(v).rank) + " uses two versions of block " +
                     std::to_string(value(v).block) +
                     " at once; a schedule's ranks have one copy of each block");
  }

  void define(ValueId v) {
    const Value& made = value(v);
    State& s = state(v);
    if (made.message >= 0) {
      s.chunks = {{made.message, made.chunk}};
    } else if (made.left == nothing) {
      s.version = write(v, false);
    } else {
      const State &a = state(made.left), &b = state(made.right);
      const std::int32_t base_a = a.version >= 0 ? a.version : a.base;
      const std::int32_t base_b = b.version >= 0 ? b.version : b.base;
      if (base_a >= 0 && base_b >= 0) two_versions(v);
      s.base = std::max(base_a, base_b);
      if (a.version < 0) s.chunks = a.chunks;
      if (b.version < 0) s.chunks.insert(s.chunks.end(), b.chunks.begin(), b.chunks.end());
    }
  }

  /// Makes a value the current version of its rank's copy of its block.
  void settle(ValueId v) {
    State& s = state(v);
    if (s.version >= 0) return;
    if (s.base >= 0 && s.base != current(v)) two_versions(v);
    auto chunk = s.chunks.begin();
    if (s.base < 0) {
      s.version = write(v, false);
      arrive(*chunk++, s.version, v, Combine::copy);
    }
    if (chunk == s.chunks.end()) return;
    s.version = write(v, true);
    for (; chunk != s.chunks.end(); ++chunk) arrive(*chunk, s.version, v, Combine::reduce);
  }

  std::int32_t write(ValueId v, bool reduced) {
    const auto id = static_cast<std::int32_t>(versions.size());
    versions.push_back({std::exchange(current(v), id), reduced, {}, {}});
    return id;
  }

  void arrive(std::pair<std::int32_t, std::int32_t> chunk, std::int32_t version, ValueId v, Combine combine) {
    const auto m = static_cast<std::size_t>(chunk.first), k = static_cast<std::size_t>(chunk.second);
    if (arrived_[m][k])
      throw InputError(file_ + ": gpu " + std::to_string(value(v).rank) + " uses block " +
                       std::to_string(value(v).block) + " of the message of line " +
                       std::to_string(e_.messages[m].line) + " twice; a schedule's messages are used once");
    arrived_[m][k] = true;
    const auto id = static_cast<std::int32_t>(arrivals.size());
    arrivals.push_back({chunk.first, chunk.second, combine});
    versions[static_cast<std::size_t>(version)].writers.push_back(id);
    versions[static_cast<std::size_t>(state(e_.messages[m].values[k]).version)].readers.push_back(id);
  }

  const Execution& e_;
  const std::string& file_;
  std::vector<State> states_;
  std::vector<std::vector<bool>> arrived_;
  std::unordered_map<std::int64_t, std::int32_t> current_;
};

/// When and where messages travel.
struct Order {
  std::vector<std::int64_t> step;      ///< by arrival
  std::vector<std::uint16_t> channel;  ///< by message
  int channels = 1;
};

/// Groups of arrivals that travel in one step, each in the earliest that the others allow.
class Levels {
 public:
  Levels(const Execution& e, const Versions& v, bool whole_messages) : group_(v.arrivals.size()) {
    std::map<std::pair<std::int32_t, Combine>, std::int32_t> known;
    groups_of_.resize(e.messages.size());
    for (std::size_t i = 0; i < group_.size(); ++i) {
      const Arrival& a = v.arrivals[i];
      std::int32_t& group =
          whole_messages ? known.try_emplace({a.message, a.combine}, -1).first->second : (scratch_ = -1);
      if (group < 0) {
        group = static_cast<std::int32_t>(after_.size());
        after_.emplace_back();
        groups_of_[static_cast<std::size_t>(a.message)].push_back(group);
      }
      group_[i] = group;
    }
    for (const Version& version : v.versions) respect(version, v);
  }

  /// A thread block receives a message before it starts the next, and sends one after the other.
  void keep_sequences(const Execution& e) {
    for (std::size_t t = 0; t < e.sequences.size(); ++t) {
      std::ptrdiff_t last = -1;
      for (std::size_t i = 0; i < e.sequences[t].size(); ++i) {
        const auto& now = groups_of_[static_cast<std::size_t>(e.sequences[t][i])];
        if (now.empty()) continue;
        if (last >= 0) {
          const auto l = static_cast<std::size_t>(last);
          const bool buffered = !e.received[t][l] && e.received[t][i];
          for (std::int32_t a : groups_of_[static_cast<std::size_t>(e.sequences[t][l])])
            for (std::int32_t b : now) order(a, b, buffered ? 0 : 1);
        }
        last = static_cast<std::ptrdiff_t>(i);
      }
    }
  }

  /// The order; none if it is circular.
  std::optional<Order> found(const Execution& e) const {
    std::optional<std::vector<std::int64_t>> step = steps();
    if (!step) return {};
    Order all{std::move(*step), {}, 1};
    set_channels(e, all);
    return all;
  }

 private:
  /// The step of each arrival; none if the order is circular.
  std::optional<std::vector<std::int64_t>> steps() const {
    std::vector<std::int64_t> level(after_.size());
    std::vector<bool> waiting(after_.size(), true);
    std::deque<std::int32_t> queue;
    for (std::size_t g = 0; g < after_.size(); ++g) queue.push_back(static_cast<std::int32_t>(g));
    while (!queue.empty()) {
      const auto g = static_cast<std::size_t>(queue.front());
      queue.pop_front();
      waiting[g] = false;
      if (level[g] > static_cast<std::int64_t>(after_.size())) return {};
      for (const auto& [next, distance] : after_[g]) {
        const auto n = static_cast<std::size_t>(next);
        if (level[n] >= level[g] + distance) continue;
        level[n] = level[g] + distance;
        if (!waiting[n]) queue.push_back(next), waiting[n] = true;
      }
    }
    std::vector<std::int64_t> step;
    for (std::int32_t g : group_) step.push_back(level[static_cast<std::size_t>(g)]);
    return step;
  }

  /// Channels of the file become channels of the schedule. Those that wait for each other's data are merged
  /// into one.
  void set_channels(const Execution& e, Order& all) const {
    std::vector<int> of_group(after_.size());
    std::map<int, int> lower;  // a channel, and a lower one of its merged channels, or itself if lowest
    for (std::size_t m = 0; m < e.messages.size(); ++m) {
      lower[e.messages[m].channel] = e.messages[m].channel;
      for (const std::int32_t g : groups_of_[m])
        of_group[static_cast<std::size_t>(g)] = e.messages[m].channel;
    }
    const auto lowest = [&lower](int c) {
      while (lower.at(c) != c) c = lower.at(c) = lower.at(lower.at(c));
      return c;
    };
    for (std::size_t g = 0; g < after_.size(); ++g)
      for (const auto& [next, distance] : after_[g]) {
        const int a = lowest(of_group[g]), b = lowest(of_group[static_cast<std::size_t>(next)]);
        lower[std::max(a, b)] = std::min(a, b);
      }
    std::map<int, std::uint16_t> number;
    for (std::size_t m = 0; m < e.messages.size(); ++m) {
      const bool used = !groups_of_[m].empty();
      const auto next = static_cast<std::uint16_t>(number.size());
      all.channel.push_back(used ? number.try_emplace(lowest(e.messages[m].channel), next).first->second
                                 : std::uint16_t{0});
    }
    all.channels = std::max(1, static_cast<int>(number.size()));
  }

  void order(std::int32_t first, std::int32_t then, int distance) {
    if (first != then || distance > 0) after_[static_cast<std::size_t>(first)].push_back({then, distance});
  }
  std::int32_t group(std::int32_t arrival) const { return group_[static_cast<std::size_t>(arrival)]; }

  /// Reads come after the writes of a version and no later than those of the next.
  void respect(const Version& version, const Versions& all) {
    for (std::int32_t w : version.writers)
      for (std::int32_t r : version.readers) order(group(w), group(r), 1);
    if (version.previous < 0) return;
    const Version& before = all.versions[static_cast<std::size_t>(version.previous)];
    for (std::int32_t w : version.writers) {
      for (std::int32_t r : before.readers) order(group(r), group(w), 0);
      for (std::int32_t earlier : before.writers)
        order(group(earlier), group(w), before.reduced && version.reduced ? 0 : 1);
    }
  }

  std::vector<std::int32_t> group_;
  std::vector<std::vector<std::int32_t>> groups_of_;
  std::vector<std::vector<std::pair<std::int32_t, int>>> after_;
  std::int32_t scratch_ = -1;
};

/// The order with as few messages as possible, which also keeps the order of each thread block if possible.
Order order(const Execution& e, const Versions& v, const std::string& file) {
  for (const bool whole_messages : {true, false})
    for (const bool sequences : {true, false}) {
      Levels levels(e, v, whole_messages);
      if (sequences) levels.keep_sequences(e);
      if (auto found = levels.found(e)) return *found;
    }
  throw InputError(
      file + ": some gpu uses two versions of a block at once; a schedule's ranks have one copy of each");
}

struct Sent {
  Rank from, to;
  Combine combine;
  std::uint16_t channel;
  std::vector<Chunk> pieces;
};

/// How many turns the messages take, if each begins once its sender and its receiver are done with earlier
/// ones.
int turns(const std::vector<Sent>& step, Rank ranks) {
  std::vector<int> sender(static_cast<std::size_t>(ranks)), receiver = sender;
  int all = 0;
  for (const Sent& m : step) {
    int &from = sender[static_cast<std::size_t>(m.from)], &to = receiver[static_cast<std::size_t>(m.to)];
    from = to = std::max(from, to) + 1;
    all = std::max(all, from);
  }
  return all;
}

/// Orders the messages of a step: each rank's first one, then each rank's second one, ...; or first those to
/// the next rank, if that takes fewer turns. Thread blocks run side by side, so none should come last in a
/// list.
void take_turns(std::vector<Sent>& step, Rank ranks) {
  std::vector<int> sent(static_cast<std::size_t>(ranks));
  std::vector<std::pair<int, std::size_t>> order;
  for (std::size_t i = 0; i < step.size(); ++i)
    order.emplace_back(sent[static_cast<std::size_t>(step[i].from)]++, i);
  std::ranges::sort(order);
  std::vector<Sent> listed;
  for (const auto& place : order) listed.push_back(std::move(step[place.second]));
  step = listed;
  std::ranges::stable_sort(step, {}, [ranks](const Sent& m) { return (m.to - m.from + ranks) % ranks; });
  if (turns(step, ranks) >= turns(listed, ranks)) step = std::move(listed);
}

}  // namespace

Converted convert(const Execution& e, const std::string& file) {
  const Versions versions(e, file);
  const Order order = msccl::order(e, versions, file);
  std::map<std::tuple<std::int64_t, std::uint16_t, std::int32_t, Combine>, Sent> sent;
  std::vector<bool> used(e.messages.size());
  for (std::size_t i = 0; i < order.step.size(); ++i) {
    const Arrival& a = versions.arrivals[i];
    const Message& m = e.messages[static_cast<std::size_t>(a.message)];
    const std::uint16_t channel = order.channel[static_cast<std::size_t>(a.message)];
    used[static_cast<std::size_t>(a.message)] = true;
    Sent& s = sent.try_emplace({order.step[i], channel, a.message, a.combine},
                               Sent{m.from, m.to, a.combine, channel, {}})
                  .first->second;
    s.pieces.push_back(
        {e.values[static_cast<std::size_t>(m.values[static_cast<std::size_t>(a.chunk)])].block, 1});
  }
  auto plan = std::make_shared<std::vector<std::vector<Sent>>>();
  for (auto& [key, s] : sent) {
    std::ranges::sort(s.pieces, {}, &Chunk::first);
    std::vector<Chunk> runs;
    for (const Chunk& c : s.pieces) {
      if (!runs.empty() && runs.back().first + runs.back().count == c.first)
        ++runs.back().count;
      else
        runs.push_back(c);
    }
    s.pieces = std::move(runs);
    plan->resize(std::max(plan->size(), static_cast<std::size_t>(std::get<0>(key)) + 1));
    (*plan)[static_cast<std::size_t>(std::get<0>(key))].push_back(std::move(s));
  }
  for (std::vector<Sent>& step : *plan) take_turns(step, e.ranks);
  const auto length = static_cast<std::int64_t>(plan->size());
  auto rule = [plan](std::int64_t s, Step& out) {
    for (const Sent& m : (*plan)[static_cast<std::size_t>(s)]) {
      if (m.pieces.size() == 1) {
        out.send(m.from, m.to, m.pieces[0], m.combine);
      } else {
        Block count = 0;
        for (const Chunk& c : m.pieces) count += c.count;
        out.send_scattered(m.from, m.to, count, m.combine, [&](auto add) {
          for (const Chunk& c : m.pieces) add(c);
        });
      }
      out.transfers.back().channel = m.channel;
    }
  };
  return {Schedule{e.ranks, e.blocks, length, rule, order.channels}, std::ranges::count(used, false)};
}

}  // namespace collcast::msccl

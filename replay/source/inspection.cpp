// SPDX-License-Identifier: Apache-2.0
#include "replay/source/inspection.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace collcast {
namespace {

struct Span {
  Seconds begin, end;
};

/// How long both lists have a span under way.
Seconds common(std::vector<Span> a, std::vector<Span> b) {
  auto merged = [](std::vector<Span>& spans) {
    std::ranges::sort(spans, {}, &Span::begin);
    std::vector<Span> all;
    for (const Span& s : spans)
      if (!all.empty() && s.begin <= all.back().end)
        all.back().end = std::max(all.back().end, s.end);
      else
        all.push_back(s);
    spans = std::move(all);
  };
  merged(a), merged(b);
  Seconds sum;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    sum += std::max(Seconds(0), std::min(a[i].end, b[j].end) - std::max(a[i].begin, b[j].begin));
    a[i].end < b[j].end ? ++i : ++j;
  }
  return sum;
}

class Inspector {
 public:
  explicit Inspector(const Source& source) : source_(source) {
    const std::vector<Rank> recorded = recorded_ranks(source);
    const std::set<Rank> known(recorded.begin(), recorded.end());
    for (const std::vector<Rank>& members : source.communicators())
      compared_.push_back(source.info().ordered &&
                          std::ranges::all_of(members, [&](Rank r) { return known.contains(r); }));
  }

  Inspection run() {
    all_.ranks = source_.ranks();
    all_.dropped = source_.info().losses;
    for (const Rank r : recorded_ranks(source_)) rank(r);
    lateness();
    for (Loss& loss : skipped_.all(source_.info().recorded.value * static_cast<double>(all_.of_rank.size())))
      all_.dropped.push_back(std::move(loss));
    mark_unusual_sizes();
    for (auto& [key, op] : operations_) all_.operations.push_back(std::move(op));
    std::ranges::stable_sort(all_.operations, [](const auto& a, const auto& b) {
      return std::tuple(a.total, static_cast<double>(a.count) * a.size) >
             std::tuple(b.total, static_cast<double>(b.count) * b.size);
    });
    for (const auto& [ends, pair] : pairs_) all_.pairs.push_back(pair);
    std::ranges::stable_sort(all_.pairs, [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    constexpr std::size_t most = 10'000;
    if (all_.pairs.size() > most) {
      all_.more_pairs = static_cast<std::int64_t>(all_.pairs.size() - most);
      all_.pairs.resize(most);
    }
    return std::move(all_);
  }

 private:
  using Kind = Activity::Kind;

  void rank(Rank r) {
    Inspection::OfRank& mine = all_.of_rank.emplace_back();
    mine.rank = r;
    std::vector<Span> computing, communicating;
    calls_.clear();
    Activity a;
    for (int s = 0; s < source_.streams(r); ++s)
      for (const auto stream = source_.stream(r, s); stream->next(a);) {
        const Seconds lasted = static_cast<double>(a.times) * std::max(a.duration, Seconds(0));
        const bool communicates = a.kind != Kind::compute && a.kind != Kind::pause &&
                                  a.kind != Kind::record && a.kind != Kind::await && a.kind != Kind::skipped;
        if (a.kind == Kind::compute && a.operation.empty()) mine.compute += a.time;
        if (communicates) mine.communication += lasted;
        if (a.begin >= Seconds(0) && (communicates || a.kind == Kind::compute))
          (communicates ? communicating : computing).push_back({a.begin, a.begin + lasted});
        if (communicates || a.kind == Kind::skipped) count(r, a);
      }
    all_.compute += mine.compute;
    if (computing.empty() && communicating.empty()) return;
    const Seconds overlap = common(std::move(computing), std::move(communicating));
    // Shorter overlaps come from rounding, at ends that touch.
    mine.overlap = overlap > 1e-9 * mine.communication ? overlap : Seconds();
    if (source_.info().one_clock) mine.lateness = Seconds(), mine.last = 0;
  }

  std::string communicator_name(const Activity& a) {
    const auto& all = source_.communicators();
    if (a.communicator <= 0 || static_cast<std::size_t>(a.communicator) >= all.size()) return "world";
    const auto& names = source_.info().communicator_names;
    const auto named = names.find(a.communicator);
    return std::to_string(a.communicator) + " " + (named == names.end() ? "" : named->second + " ") + "(" +
           std::to_string(all[static_cast<std::size_t>(a.communicator)].size()) + " ranks)";
  }

  void count(Rank r, const Activity& a) {
    if (a.kind == Kind::skipped) {
      skipped_.add(a.call, a.note, a.times, static_cast<double>(a.times) * std::max(a.duration.value, 0.0));
      return;
    }
    const bool receives = a.kind == Kind::receive;
    const Bytes size = a.kind == Kind::collective ? a.message : receives ? a.received_bytes : a.bytes;
    const std::string communicator = a.kind == Kind::wait ? "" : communicator_name(a);
    auto& op = operations_[{std::string(a.operation), communicator, size.value, a.sized}];
    op.name = a.operation;
    op.communicator = communicator;
    op.size = size;
    op.sized = a.sized;
    op.count += a.times;
    if (a.duration >= Seconds(0)) {
      op.total += static_cast<double>(a.times) * a.duration;
      extend(op, a.times == 1 ? a.duration : a.shortest, a.times == 1 ? a.duration : a.longest);
      op.timed += a.times;
      if (a.kind == Kind::collective && a.time > Seconds(0) && compared(a.communicator))
        op.waiting = op.waiting.value_or(Seconds()) + std::max(Seconds(0), a.duration - a.time);
    }
    if (a.kind == Kind::send || a.kind == Kind::exchange) message(r, a);
    if (a.kind == Kind::collective && a.begin >= Seconds(0))
      arrivals_[{a.communicator, calls_[a.communicator]++}].push_back({r, a.begin});
  }

  /// Whether `time` of a communicator's collectives is the shortest duration over all of its ranks.
  bool compared(int communicator) const {
    return communicator >= 0 && static_cast<std::size_t>(communicator) < compared_.size() &&
           compared_[static_cast<std::size_t>(communicator)];
  }

  static bool is_even(const Inspection::Operation& op) { return std::fmod(op.size.value, 16) == 0; }

  /// Compares sizes with those of the same operation on the same communicator.
  void mark_unusual_sizes() {
    std::map<std::pair<std::string, std::string>, std::vector<Inspection::Operation*>> alike;
    for (auto& [key, op] : operations_)
      if (op.sized && !op.communicator.empty()) alike[{op.name, op.communicator}].push_back(&op);
    for (auto& [what, sizes] : alike) {
      std::int64_t calls = 0, even = 0, most = 0;
      for (const Inspection::Operation* op : sizes) {
        calls += op->count;
        even += is_even(*op) ? op->count : 0;
        most = std::max(most, op->count);
      }
      for (Inspection::Operation* op : sizes) {
        op->seldom = 50 * op->count <= calls && 10 * op->count <= most;
        op->odd = !is_even(*op) && 10 * even >= 9 * calls;
      }
    }
  }

  static void extend(Inspection::Operation& op, Seconds shortest, Seconds longest) {
    const bool known = shortest >= Seconds(0) && longest >= Seconds(0) && (op.timed == 0 || op.least);
    op.least = known ? std::optional(std::min(op.least.value_or(shortest), shortest)) : std::nullopt;
    op.most = known ? std::optional(std::max(op.most.value_or(longest), longest)) : std::nullopt;
  }

  void message(Rank r, const Activity& a) {
    const auto& all = source_.communicators();
    if (a.communicator < 0 || static_cast<std::size_t>(a.communicator) >= all.size()) return;
    const auto& members = all[static_cast<std::size_t>(a.communicator)];
    if (a.to < 0 || static_cast<std::size_t>(a.to) >= members.size()) return;
    const std::pair ends(r, members[static_cast<std::size_t>(a.to)]);
    auto& pair = pairs_[ends];
    pair.from = ends.first, pair.to = ends.second;
    ++pair.messages;
    pair.bytes += a.bytes;
  }

  /// Adds up lateness. A collective that only one rank has tells nothing.
  void lateness() {
    if (!source_.info().one_clock) return;
    std::map<Rank, Inspection::OfRank*> by_rank;
    for (auto& r : all_.of_rank) by_rank[r.rank] = &r;
    for (const auto& [call, came] : arrivals_) {
      if (came.size() < 2) continue;
      const auto [first, last] = std::ranges::minmax(came, {}, [](const auto& c) { return c.second; });
      for (const auto& [r, at] : came) *by_rank[r]->lateness += at - first.second;
      *by_rank[last.first]->last += last.second > first.second;
    }
  }

  const Source& source_;
  std::vector<bool> compared_;  ///< by communicator
  Inspection all_;
  std::map<std::tuple<std::string, std::string, double, bool>, Inspection::Operation> operations_;
  LossSums skipped_;
  std::map<std::pair<Rank, Rank>, Inspection::Pair> pairs_;
  std::map<int, std::int64_t> calls_;
  std::map<std::pair<int, std::int64_t>, std::vector<std::pair<Rank, Seconds>>> arrivals_;
};

}  // namespace

Inspection inspect(const Source& source) {
  return Inspector(source).run();
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/summary.hpp"

#include <algorithm>
#include <map>

namespace collcast::workloads {
namespace {

/// Fills a role's rows from what is under way as time goes by.
class Account {
 public:
  explicit Account(std::string role) : role_(std::move(role)) {}

  void add(const Span& s) {
    const auto [row, is_new] = row_.try_emplace(s.part, rows_.size());
    if (is_new) rows_.push_back({role_, s.part, 0, {}, {}});
    ++rows_[row->second].count;
    rows_[row->second].total += s.end - s.moves;
    if (!(s.end > s.moves)) return;
    const bool first = s.kind == JobActivity::Kind::compute && s.stream == 0;
    events_.push_back({s.moves, row->second, first, 1});
    events_.push_back({s.end, row->second, first, -1});
  }

  /// `waiting`: the name of the time in which nothing is under way.
  std::vector<ActivitySummary> rows(Seconds end, const std::string& waiting) {
    std::ranges::stable_sort(events_, {}, &Event::when);
    Seconds before, idle;
    for (const Event& e : events_) {
      idle += share_out(e.when - before);
      before = e.when;
      auto& row = under_way_[e.first ? 0 : 1][e.row];
      row += e.change;
      if (row == 0) under_way_[e.first ? 0 : 1].erase(e.row);
    }
    idle += end - before;
    if (idle > 1e-12 * end) rows_.push_back({role_, waiting, 1, idle, idle});
    return rows_;
  }

 private:
  struct Event {
    Seconds when;
    std::size_t row;
    bool first;  ///< computation on the first stream
    int change;
  };

  /// Gives a stretch of time to the rows under way; returns it if nothing was.
  Seconds share_out(Seconds stretch) {
    for (const auto& kind : under_way_) {
      int tasks = 0;
      for (const auto& [row, n] : kind) tasks += n;
      for (const auto& [row, n] : kind) rows_[row].exposed += stretch * (double(n) / tasks);
      if (tasks > 0) return {};
    }
    return stretch;
  }

  std::string role_;
  std::map<std::string, std::size_t> row_;
  std::vector<ActivitySummary> rows_;
  std::vector<Event> events_;
  std::map<std::size_t, int> under_way_[2];  ///< tasks by row: first computation, then all others
};

}  // namespace

std::vector<ActivitySummary> summary(const Job& job, const Played& played) {
  std::vector<Account> accounts;
  for (const Role& role : job.roles) accounts.emplace_back(role.name);
  for (const Span& s : played.spans)
    if (s.kind != JobActivity::Kind::offer && s.kind != JobActivity::Kind::settle)
      accounts[static_cast<std::size_t>(s.role)].add(s);
  const std::string waiting = job.coordinator ? "waiting for a round or others" : "waiting for others";
  std::vector<ActivitySummary> all;
  for (Account& a : accounts)
    for (ActivitySummary& row : a.rows(played.time, waiting)) all.push_back(std::move(row));
  return all;
}

}  // namespace collcast::workloads

// SPDX-License-Identifier: Apache-2.0
#include "model/explanation.hpp"

namespace collcast {
namespace {

/// New numbers by old ones; before they are known, 1 for what is kept.
using Numbers = std::vector<std::uint32_t>;

// A record comes after the one to which it is linked: one pass down marks all that is kept, one pass up moves
// it together. Record 0 stands for none.

template <class Record>
void mark_links(const std::vector<Record>& records, Numbers& kept) {
  for (std::size_t i = records.size(); --i > 0;)
    if (kept[i] != 0) kept[records[i].before] = 1;
}

template <class Record>
void move_together(std::vector<Record>& records, Numbers& kept) {
  std::uint32_t end = 1;
  kept[0] = 0;
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (kept[i] == 0) continue;
    records[end] = records[i];
    records[end].before = kept[records[i].before];
    kept[i] = end++;
  }
  records.resize(end);
}

}  // namespace

void CauseLog::keep(std::span<Entry* const> entries, std::span<Hold* const> holds) {
  Numbers log_kept(log_.size()), holds_kept(holds_.size());
  for (const Entry* entry : entries) log_kept[*entry] = 1;
  for (const Hold* hold : holds) holds_kept[*hold] = 1;
  mark_links(log_, log_kept);
  for (std::size_t i = 1; i < log_.size(); ++i)
    if (log_kept[i] != 0) holds_kept[log_[i].last] = 1;
  mark_links(holds_, holds_kept);
  move_together(log_, log_kept);
  move_together(holds_, holds_kept);
  for (Record& record : log_) record.last = holds_kept[record.last];
  for (Entry* entry : entries) *entry = log_kept[*entry];
  for (Hold* hold : holds) *hold = holds_kept[*hold];
  room_ = std::max(least_room, 2 * (log_.size() + holds_.size()));
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "replay/source/recorded.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <numeric>
#include <utility>

namespace collcast {

class RecordedSource::Reader : public Activities {
 public:
  explicit Reader(const Held& held) : packed_(held.packed), open_(held.open) {}
  bool next(Activity& activity) override {
    const Activity* a = packed_.next();
    if (!a && next_ < open_.size()) a = &open_[next_++];
    if (a) activity = *a;
    return a != nullptr;
  }

 private:
  PackedActivities::Reader packed_;
  const Stream& open_;
  std::size_t next_ = 0;
};

RecordedSource::RecordedSource(Rank ranks) : communicators_(1) {
  communicators_[0].resize(static_cast<std::size_t>(ranks));
  std::iota(communicators_[0].begin(), communicators_[0].end(), 0);
  numbers_[{"", communicators_[0]}] = 0;
  streams_.resize(static_cast<std::size_t>(ranks));
}

std::unique_ptr<Activities> RecordedSource::stream(Rank rank, int stream) const {
  static const Held nothing;
  const auto& streams = streams_[static_cast<std::size_t>(rank)];
  const auto s = static_cast<std::size_t>(stream);
  return std::make_unique<Reader>(s < streams.size() && streams[s] ? *streams[s] : nothing);
}

RecordedSource::Stream& RecordedSource::at(Rank rank, int stream) {
  assert(rank >= 0 && rank < ranks() && stream >= 0);
  auto& streams = streams_[static_cast<std::size_t>(rank)];
  const auto s = static_cast<std::size_t>(stream);
  if (s >= streams.size()) streams.resize(s + 1);
  if (!streams[s]) streams[s] = std::make_unique<Held>();
  Held& held = *streams[s];
  if (!held.packed.empty()) {
    Stream all;
    PackedActivities::Reader packed(held.packed);
    while (const Activity* a = packed.next()) all.push_back(*a);
    std::ranges::move(held.open, std::back_inserter(all));
    held = {{}, std::move(all)};
  }
  return held.open;
}

void RecordedSource::pack(Rank rank) {
  constexpr std::size_t least_packed = 32;  // what it takes to pack is larger than fewer activities
  for (const auto& held : streams_[static_cast<std::size_t>(rank)]) {
    if (!held || held->open.size() < least_packed) continue;
    for (const Activity& a : std::exchange(held->open, {})) held->packed.add(a);
  }
}

int RecordedSource::communicator(const std::string& name, const std::vector<Rank>& ranks) {
  const auto [known, is_new] = numbers_.try_emplace({name, ranks}, static_cast<int>(communicators_.size()));
  if (is_new) communicators_.push_back(ranks);
  return known->second;
}

std::string_view RecordedSource::keep(std::string_view text) {
  const auto found = texts_.find(text);
  return found != texts_.end() ? *found : *texts_.emplace(text).first;
}

}  // namespace collcast

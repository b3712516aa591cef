// SPDX-License-Identifier: Apache-2.0
#include "replay/source/recorded.hpp"

#include <cassert>
#include <numeric>

namespace collcast {
namespace {

class Kept : public Activities {
 public:
  explicit Kept(const RecordedSource::Stream& stream) : stream_(stream) {}
  bool next(Activity& activity) override {
    if (next_ == stream_.size()) return false;
    activity = stream_[next_++];
    return true;
  }

 private:
  const RecordedSource::Stream& stream_;
  std::size_t next_ = 0;
};

}  // namespace

RecordedSource::RecordedSource(Rank ranks) : communicators_(1) {
  communicators_[0].resize(static_cast<std::size_t>(ranks));
  std::iota(communicators_[0].begin(), communicators_[0].end(), 0);
  numbers_[{"", communicators_[0]}] = 0;
  streams_.resize(static_cast<std::size_t>(ranks));
}

std::unique_ptr<Activities> RecordedSource::stream(Rank rank, int stream) const {
  static const Stream nothing;
  const auto& streams = streams_[static_cast<std::size_t>(rank)];
  const auto s = static_cast<std::size_t>(stream);
  return std::make_unique<Kept>(s < streams.size() && streams[s] ? *streams[s] : nothing);
}

RecordedSource::Stream& RecordedSource::at(Rank rank, int stream) {
  assert(rank >= 0 && rank < ranks() && stream >= 0);
  auto& streams = streams_[static_cast<std::size_t>(rank)];
  const auto s = static_cast<std::size_t>(stream);
  if (s >= streams.size()) streams.resize(s + 1);
  if (!streams[s]) streams[s] = std::make_unique<Stream>();
  return *streams[s];
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

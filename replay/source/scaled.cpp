// SPDX-License-Identifier: Apache-2.0
#include "replay/source/scaled.hpp"

#include <map>
#include <numeric>
#include <set>

#include "support/error.hpp"

namespace collcast {
namespace {

std::vector<Rank> recorded_ranks(const Source& source) {
  std::vector<Rank> ranks = source.info().recorded_ranks;
  if (ranks.empty()) {
    ranks.resize(static_cast<std::size_t>(source.ranks()));
    std::iota(ranks.begin(), ranks.end(), 0);
  }
  return ranks;
}

/// The collectives of a rank, as far as others have to have the same: how many, and a fingerprint.
struct Sequence {
  std::int64_t count = 0;
  std::uint64_t fingerprint = 14695981039346656037u;
  void add(std::uint64_t part) { fingerprint = (fingerprint ^ part) * 1099511628211u; }
  bool operator==(const Sequence&) const = default;
};

class Check {
 public:
  Check(const Source& source, Rank ranks) : source_(source), ranks_(ranks) {}

  void run() {
    const auto recorded = recorded_ranks(source_);
    const auto first = sequences(recorded.front());
    for (const Rank r : recorded)
      if (sequences(r) != first)
        refuse("ranks " + std::to_string(recorded.front()) + " and " + std::to_string(r) +
               " are not alike: their collectives differ in kind, size or number");
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(source_.info().name + ": cannot stand for " + std::to_string(ranks_) + " ranks: " + why);
  }

  std::map<int, Sequence> sequences(Rank rank) const {
    std::map<int, Sequence> all;
    Activity a;
    for (int s = 0; s < source_.streams(rank); ++s)
      for (const auto stream = source_.stream(rank, s); stream->next(a);) {
        if (a.kind == Activity::Kind::send || a.kind == Activity::Kind::receive ||
            a.kind == Activity::Kind::exchange)
          refuse("rank " + std::to_string(rank) +
                 " sends or receives messages, and who the peers of more ranks are is unknown");
        if (a.kind == Activity::Kind::collective) add(all[a.communicator], a);
      }
    return all;
  }

  void add(Sequence& sequence, const Activity& a) const {
    const auto& members = source_.communicators().at(static_cast<std::size_t>(a.communicator));
    if (static_cast<Rank>(members.size()) != source_.ranks())
      refuse("a communicator has " + std::to_string(members.size()) + " of " +
             std::to_string(source_.ranks()) +
             " ranks, so ranks have roles (tensor, pipeline or other parallelism)");
    if (a.counts) refuse(std::string(a.operation) + " gives each rank its own size");
    if (a.collective == Collective::alltoall && ranks_ != source_.ranks())
      refuse("what ranks exchange in an alltoall depends on how many they are");
    ++sequence.count;
    sequence.add(static_cast<std::uint64_t>(a.collective));
    sequence.add(static_cast<std::uint64_t>(a.message.value));
    sequence.add(static_cast<std::uint64_t>(a.root));
  }

  const Source& source_;
  Rank ranks_;
};

class Scaled : public Source {
 public:
  Scaled(const Source& source, Rank ranks)
      : source_(source), info_(source.info()), recorded_(recorded_ranks(source)), ranks_(ranks) {
    Check(source, ranks).run();
    std::vector<Rank> world(static_cast<std::size_t>(ranks));
    std::iota(world.begin(), world.end(), 0);
    communicators_.assign(source.communicators().size(), world);
    info_.notes.push_back(std::to_string(ranks) + " ranks, of which each is taken to be like one of the " +
                          std::to_string(recorded_.size()) + " recorded");
    info_.recorded_ranks.clear();
  }

  const SourceInfo& info() const override { return info_; }
  Rank ranks() const override { return ranks_; }
  const std::vector<std::vector<Rank>>& communicators() const override { return communicators_; }
  int streams(Rank rank) const override { return source_.streams(like(rank)); }
  std::unique_ptr<Activities> stream(Rank rank, int stream) const override {
    return source_.stream(like(rank), stream);
  }

 private:
  Rank like(Rank rank) const { return recorded_[static_cast<std::size_t>(rank) % recorded_.size()]; }

  const Source& source_;
  SourceInfo info_;
  std::vector<Rank> recorded_;
  Rank ranks_;
  std::vector<std::vector<Rank>> communicators_;
};

}  // namespace

std::unique_ptr<Source> scaled(const Source& source, Rank ranks) {
  return std::make_unique<Scaled>(source, ranks);
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "replay/source/nonblocking.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "support/text.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;

struct Collectives {
  std::vector<Collective> all;
  bool even;  ///< only collectives with the same size on all ranks
};

bool is_blocking(const Activity& a, const Collectives& collectives) {
  return a.kind == Kind::collective && a.request < 0 &&
         std::ranges::find(collectives.all, a.collective) != collectives.all.end() &&
         !(collectives.even && (a.direct || a.counts));
}

bool communicates_on_one(const Activity& a) {
  return a.kind == Kind::collective || a.kind == Kind::send || a.kind == Kind::receive ||
         a.kind == Kind::exchange;
}

/// Stream 0 with its collectives made nonblocking.
class Started : public Activities {
 public:
  Started(std::unique_ptr<Activities> activities, const Collectives& collectives)
      : activities_(std::move(activities)), collectives_(collectives) {}

  bool next(Activity& activity) override {
    if (!ahead_) {
      Activity a;
      if (activities_->next(a)) ahead_ = std::move(a);
    }
    if (wait_first()) return wait(activity), true;
    if (!ahead_) return false;
    activity = std::move(*ahead_);
    ahead_.reset();
    if (!is_blocking(activity, collectives_)) return true;
    activity.request = last_request - (collectives_.even ? requests : 0) - count_++ % requests;
    under_way_[activity.communicator] = activity.request;
    return true;
  }

 private:
  /// Numbers of requests, beyond those of any source, as requests under way are told apart by their lowest 31
  /// bits. Two changes of one source have different numbers.
  static constexpr std::int64_t last_request = 0x7ffffffd, requests = 1'000'000;

  bool wait_first() const {
    if (under_way_.empty()) return false;
    if (!ahead_ || ahead_->kind == Kind::record) return true;
    return communicates_on_one(*ahead_) && under_way_.contains(ahead_->communicator);
  }

  /// Waits for the collective on the communicator of the next activity, or for all collectives.
  void wait(Activity& activity) {
    activity = wait_activity({});
    const bool one = ahead_ && ahead_->kind != Kind::record;
    for (const auto& [c, request] : under_way_)
      if (!one || c == ahead_->communicator) activity.requests.push_back(request);
    one ? static_cast<void>(under_way_.erase(ahead_->communicator)) : under_way_.clear();
  }

  std::unique_ptr<Activities> activities_;
  const Collectives& collectives_;
  std::optional<Activity> ahead_;
  std::map<int, std::int64_t> under_way_;  ///< by communicator
  std::int64_t count_ = 0;
};

std::int64_t count(const Source& source, const Collectives& collectives) {
  std::int64_t n = 0;
  Activity a;
  for (Rank r = 0; r < source.ranks(); ++r)
    for (const auto stream = source.stream(r, 0); stream->next(a);) n += is_blocking(a, collectives);
  return n;
}

class Nonblocking : public Source {
 public:
  Nonblocking(const Source& source, Collectives collectives, std::int64_t found)
      : source_(source), info_(source.info()), collectives_(std::move(collectives)) {
    info_.notes.push_back(text::count(found) +
                          " blocking collectives were started, and waited for before the next call on their "
                          "communicator: the most that can be hidden, as results may be needed before");
  }

  const SourceInfo& info() const override { return info_; }
  Rank ranks() const override { return source_.ranks(); }
  const std::vector<std::vector<Rank>>& communicators() const override { return source_.communicators(); }
  int streams(Rank rank) const override { return source_.streams(rank); }
  std::unique_ptr<Activities> stream(Rank rank, int stream) const override {
    auto activities = source_.stream(rank, stream);
    if (stream != 0) return activities;
    return std::make_unique<Started>(std::move(activities), collectives_);
  }

 private:
  const Source& source_;
  SourceInfo info_;
  Collectives collectives_;
};

}  // namespace

std::unique_ptr<Source> nonblocking(const Source& source, const std::vector<Collective>& collectives,
                                    bool even) {
  const Collectives wanted{collectives, even};
  const std::int64_t found = count(source, wanted);
  return found == 0 ? nullptr : std::make_unique<Nonblocking>(source, wanted, found);
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "replay/application/as_messages.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "support/error.hpp"
#include "support/text.hpp"

namespace collcast {

int MessageTags::operator()(std::uint64_t tag) {
  const auto [found, is_new] = numbers_.try_emplace(tag, 0);
  if (is_new) found->second = (of_collective(tag) ? collectives_ : messages_)++;
  return found->second;
}

std::vector<Loss> written_as_messages(const Collectives& collectives, Seconds recorded) {
  LossSums written;
  for (const auto& [name, tally] : collectives.tallies())
    if (!tally.algorithms.empty())
      written.add(name, "is written as the messages of an algorithm: " + text::join(tally.algorithms),
                  tally.count, std::max(tally.recorded.value, 0.0));
  std::vector<Loss> losses = collectives.skipped();
  std::ranges::move(written.all(recorded.value), std::back_inserter(losses));
  return losses;
}

/// One rank's activities.
class AsMessages::OfRank : public Activities {
 public:
  OfRank(Shared& shared, std::unique_ptr<Activities> activities, Rank rank)
      : shared_(shared), activities_(std::move(activities)), rank_(rank) {}

  bool next(Activity& activity) override {
    while (out_.empty()) {
      if (!channels_.empty()) {
        step();
      } else if (Activity a; !activities_->next(a)) {
        return false;
      } else if (a.kind == Kind::collective && a.sized && !shared_.held(a)) {
        begin(a);
      } else {
        pass(std::move(a));
      }
    }
    activity = std::move(out_.front());
    out_.pop_front();
    return true;
  }

 private:
  using Kind = Activity::Kind;

  struct Channel {
    std::unique_ptr<Strand> strand;
    Batch ahead;
  };

  /// Passes an activity on. Even requests are the source's, odd ones are of messages made here.
  void pass(Activity a) {
    if (a.request >= 0) a.request *= 2;
    for (std::int64_t& r : a.requests) r *= 2;
    out_.push_back(std::move(a));
  }

  void begin(const Activity& a) {
    if (auto strand = shared_.collectives.begin(rank_, a).strand) add(std::move(strand));
    if (a.request >= 0)
      shared_.held_up.add(a.operation, "holds its rank up, as its messages do", 1,
                          std::max(a.duration.value, 0.0));
  }

  void add(std::unique_ptr<Strand> strand) {
    Channel channel{std::move(strand), {}};
    if (advance(channel)) channels_.push_back(std::move(channel));
  }

  /// Goes to the channel's next step; false at its end. A join of channels needs nothing, as all channels are
  /// at the same step.
  bool advance(Channel& channel) {
    while (true) {
      channel.ahead.clear();
      if (!channel.strand->next(channel.ahead)) return false;
      for (const Op& op : channel.ahead.ops)
        if (op.kind == Op::Kind::start) add(std::move(channel.ahead.strands[op.strand]));
      std::erase_if(channel.ahead.ops,
                    [](const Op& op) { return op.kind == Op::Kind::start || op.kind == Op::Kind::join; });
      if (!channel.ahead.ops.empty()) return true;
    }
  }

  /// Plays the earliest step that any channel is at. Both ends of a message are in the same step, so no rank
  /// waits for a message that another sends later.
  void step() {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const Channel& c : channels_) first = std::min(first, c.ahead.step);
    std::vector<Op> ops;
    for (Channel& c : std::exchange(channels_, {})) {
      if (c.ahead.step == first) ops.insert(ops.end(), c.ahead.ops.begin(), c.ahead.ops.end());
      if (c.ahead.step != first || advance(c)) channels_.push_back(std::move(c));
    }
    put(ops);
  }

  void put(const std::vector<Op>& ops) {
    Activity wait = wait_activity({});
    Seconds reducing;
    for (const Op& op : ops) {
      const bool sends = op.kind == Op::Kind::send;
      if ((!sends && op.kind != Op::Kind::receive) || op.merged != 0)
        throw InputError(
            "the messages of an algorithm with multicasts, copies or reductions in the network "
            "cannot be written");
      Activity& a = out_.emplace_back(message_activity(sends, 0, op.peer, op.bytes));
      a.synchronous = sends;
      (sends ? a.tag : a.received_tag) = shared_.tags(op.tag);
      if (!sends && op.combine == Combine::reduce)
        reducing += op.bytes * shared_.fabric.gamma(Place{rank_, op.to});
      if (ops.size() > 1) wait.requests.push_back(a.request = 2 * requests_++ + 1);
    }
    if (ops.size() > 1) out_.push_back(std::move(wait));
    if (reducing > Seconds()) out_.emplace_back().time = reducing;
  }

  Shared& shared_;
  std::unique_ptr<Activities> activities_;
  Rank rank_;
  std::vector<Channel> channels_;
  std::int64_t requests_ = 0;
  std::deque<Activity> out_;
};

AsMessages::AsMessages(const Source& source, Selection& selection, const Fabric& fabric, Held held)
    : source_(source), shared_(new Shared{{source_, selection}, fabric, std::move(held), {}, {}}) {}

std::unique_ptr<Activities> AsMessages::stream(Rank rank, int stream) const {
  return std::make_unique<OfRank>(*shared_, source_.stream(rank, stream), rank);
}

std::vector<Loss> AsMessages::losses() const {
  std::vector<Loss> all = source_.losses();
  std::ranges::move(written_as_messages(shared_->collectives, recorded_over_ranks(source_)),
                    std::back_inserter(all));
  std::ranges::move(shared_->held_up.all(recorded_over_ranks(source_).value), std::back_inserter(all));
  return all;
}

}  // namespace collcast

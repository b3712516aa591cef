// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/source.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "support/error.hpp"
#include "support/index.hpp"
#include "workloads/job/player.hpp"

namespace collcast::workloads {
namespace {

using Kind = JobActivity::Kind;
using Done = collcast::Activity;

void require(const Job& job, bool holds, const std::string& what) {
  if (!holds)
    throw InputError(
        "job " + job.name + ": " + what +
        " cannot be played message by message; without --engine collectives are single operations");
}

void check_messages(const Job& job) {
  require(job, !job.coordinator, "a coordinator (horovod)");
  require(job, !job.servers, "parameter servers (servers=N)");
  require(job, job.slowdown == 0, "a slowdown");
  for (const Role& role : job.roles)
    for (const JobActivity& a : role.activities)
      require(
          job, a.progress == Progress::always,
          "'" + a.name + "', which " +
              (a.progress == Progress::dpu ? "DPUs play," : "ranks bring on while none of them computes,"));
}

/// Throws InputError unless counterparts are alike. Messages wait for nobody here; an engine will say who
/// waits for ever.
void check_meetings(const Job& job) {
  if (job.roles.size() == 1) return;
  Price nothing;
  nothing.departure = Departure{};
  play(job, [&](const GroupCall&) { return nothing; });
}

/// Which records of other streams the activities of a role await, and which they make.
struct Order {
  std::vector<std::vector<int>> of_stream;                ///< activities of each stream
  std::vector<std::vector<std::pair<int, int>>> awaited;  ///< of each activity: stream and record there
  std::vector<char> recorded;                             ///< a record follows the activity

  Order(const Role& role, std::size_t streams)
      : of_stream(streams), awaited(role.activities.size()), recorded(role.activities.size()) {
    for (const JobActivity& a : role.activities)
      for (const int before : a.after)
        recorded[to_index(before)] |= role.activities[to_index(before)].stream != a.stream;
    std::vector<int> records(streams), record_of(role.activities.size());
    for (std::size_t i = 0; i < role.activities.size(); ++i) {
      const JobActivity& a = role.activities[i];
      of_stream[to_index(a.stream)].push_back(static_cast<int>(i));
      if (recorded[i]) record_of[i] = ++records[to_index(a.stream)];
      std::map<int, int> last;
      for (const int before : a.after)
        if (const int s = role.activities[to_index(before)].stream; s != a.stream)
          last[s] = std::max(last[s], record_of[to_index(before)]);
      awaited[i].assign(last.begin(), last.end());
    }
  }
};

class JobSource final : public Source {
 public:
  explicit JobSource(Job job) : job_(std::move(job)) {
    check_messages(job_);
    check_meetings(job_);
    info_.name = job_.name;
    info_.format = "job";
    info_.by_mpi = false;  // a policy decides who sends
    for (const Role& role : job_.roles) orders_.emplace_back(role, job_.streams.size());
    std::vector<Rank> all(to_index(job_.ranks()));
    std::iota(all.begin(), all.end(), 0);
    communicators_.push_back(std::move(all));
    for (const Job::Group& g : job_.groups) add(job_.members(g.dimensions).members());
  }

  const SourceInfo& info() const override { return info_; }
  Rank ranks() const override { return job_.ranks(); }
  const std::vector<std::vector<Rank>>& communicators() const override { return communicators_; }
  int streams(Rank) const override { return static_cast<int>(job_.streams.size()); }
  std::unique_ptr<Activities> stream(Rank rank, int stream) const override {
    return std::make_unique<Reader>(*this, rank, stream);
  }

 private:
  /// Adds all groups of a kind: that of rank 0, moved to each rank that is in none yet.
  void add(const std::vector<Rank>& first) {
    std::vector<int>& own = communicator_of_.emplace_back(to_index(job_.ranks()), -1);
    for (Rank r = 0; r < job_.ranks(); ++r) {
      if (own[to_index(r)] >= 0) continue;
      std::vector<Rank> members;
      for (const Rank m : first) {
        members.push_back(r + m);
        own[to_index(r + m)] = static_cast<int>(communicators_.size());
      }
      communicators_.push_back(std::move(members));
    }
  }

  /// The distance between ranks of neighbouring roles.
  Rank stride() const {
    Rank stride = 1;
    for (int d = 0; d < job_.role_dimension; ++d) stride *= job_.dimensions[to_index(d)].size;
    return stride;
  }
  int role(Rank rank) const {
    return job_.role_dimension < 0 ? 0
                                   : rank / stride() % job_.dimensions[to_index(job_.role_dimension)].size;
  }

  class Reader final : public Activities {
   public:
    Reader(const JobSource& source, Rank rank, int stream)
        : source_(source),
          rank_(rank),
          role_(source.role(rank)),
          order_(source.orders_[to_index(role_)]),
          queue_(order_.of_stream[to_index(stream)]) {}

    bool next(Done& played) override {
      if (next_ == queue_.size()) return false;
      const int index = queue_[next_];
      const JobActivity& a = source_.job_.roles[to_index(role_)].activities[to_index(index)];
      const auto& awaited = order_.awaited[to_index(index)];
      played = {};
      if (awaits_ < awaited.size()) {
        played.kind = Done::Kind::await;
        std::tie(played.stream, played.count) = awaited[awaits_++];
      } else if (!std::exchange(done_, true)) {
        fill(played, a);
      } else {
        played.kind = Done::Kind::record;
      }
      if (done_ && (!order_.recorded[to_index(index)] || played.kind == Done::Kind::record))
        ++next_, awaits_ = 0, done_ = false;
      return true;
    }

   private:
    void fill(Done& played, const JobActivity& a) const {
      played.call = a.name;
      switch (a.kind) {
        case Kind::compute:
          played.kind = a.stream == 0 ? Done::Kind::compute : Done::Kind::pause;
          played.operation = a.stream == 0 ? "compute" : a.is_wait ? "" : std::string_view(a.name);
          played.time = a.time;
          return;
        case Kind::collective:
          return fill_collective(played, a);
        case Kind::send:
          played.kind = Done::Kind::send;
          played.operation = "send";
          played.to = rank_ + (a.peer - role_) * source_.stride();
          played.bytes = a.bytes;
          played.tag = a.tag;
          return;
        case Kind::receive:
          played.kind = Done::Kind::receive;
          played.operation = "recv";
          played.from = rank_ + (a.peer - role_) * source_.stride();
          played.received_bytes = a.bytes;
          played.received_tag = a.tag;
          return;
        case Kind::offer:
        case Kind::settle:
        case Kind::push:
        case Kind::pull:
          return;  // such activities were refused before
      }
    }
    /// A collective of a single rank, or of no bytes, is skipped.
    void fill_collective(Done& played, const JobActivity& a) const {
      played.communicator = source_.communicator_of_[to_index(a.group)][to_index(rank_)];
      if (does_nothing(a.collective, a.bytes) ||
          source_.communicators_[to_index(played.communicator)].size() == 1) {
        played.kind = Done::Kind::pause;
        return;
      }
      played.kind = Done::Kind::collective;
      played.operation = definition(a.collective).name;
      played.collective = a.collective;
      played.message = a.bytes;
      played.algorithm = a.algorithm;
    }

    const JobSource& source_;
    const Rank rank_;
    const int role_;
    const Order& order_;
    const std::vector<int>& queue_;
    std::size_t next_ = 0, awaits_ = 0;
    bool done_ = false;
  };

  const Job job_;
  SourceInfo info_;
  std::vector<Order> orders_;
  std::vector<std::vector<Rank>> communicators_;
  std::vector<std::vector<int>> communicator_of_;  ///< by group and rank
};

}  // namespace

std::unique_ptr<Source> source_of(Job job) {
  return std::make_unique<JobSource>(std::move(job));
}

}  // namespace collcast::workloads

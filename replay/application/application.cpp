// SPDX-License-Identifier: Apache-2.0
#include "replay/application/application.hpp"

#include <algorithm>
#include <utility>

#include "support/error.hpp"

namespace collcast {
namespace {

/// The tag of a message. Tags of messages and of collectives never meet; a collective has 2^32 of its own.
std::uint64_t message_tag(int communicator, int tag) {
  return (static_cast<std::uint64_t>(communicator) << 32) | static_cast<std::uint32_t>(tag);
}
std::uint64_t collective_tags(std::uint64_t instance) {
  return (std::uint64_t{1} << 63) | (instance << 32);
}

std::int32_t request_number(std::int64_t request) {
  return request < 0 ? 0 : static_cast<std::int32_t>(request % 0x7fffffff) + 1;
}

/// The sizes of a schedule's blocks: message / blocks for each, or each rank's share divided evenly.
Layout layout_of(const Activity& activity, const Algorithm& a, const Call& call, const Schedule& schedule) {
  if (!activity.counts || activity.counts->shares.empty()) return layout(a, call, schedule);
  const auto pieces = schedule.blocks / call.ranks;
  std::vector<Bytes> sizes;
  for (Bytes share : activity.counts->shares)
    sizes.insert(sizes.end(), static_cast<std::size_t>(pieces), share / static_cast<double>(pieces));
  return Layout(sizes);
}

}  // namespace

bool of_collective(std::uint64_t tag) {
  return tag >> 63 != 0;
}

/// Gives messages the sizes that the rank itself knows, as in an alltoallv nobody knows all sizes.
class Application::Resized : public Strand {
 public:
  Resized(std::unique_ptr<Strand> strand, const Activity& activity, Rank rank, Rank ranks)
      : strand_(std::move(strand)),
        counts_(activity.counts),
        collective_(activity.collective),
        root_(activity.root),
        rank_(rank),
        ranks_(ranks) {}

  bool next(Batch& batch) override {
    if (!strand_->next(batch)) return false;
    for (Op& op : batch.ops) {
      op.bytes = {};
      for (std::size_t i = op.first_piece; i < op.first_piece + op.pieces; ++i)
        for (Block b = batch.pieces[i].first; b < batch.pieces[i].first + batch.pieces[i].count; ++b)
          op.bytes += size(b);
    }
    return true;
  }

 private:
  /// Blocks are pairs of ranks (alltoall), or shares that the root receives (gather) or sends (scatter).
  Bytes size(Block b) const {
    if (collective_ == Collective::alltoall)
      return own_size(static_cast<Rank>(b / ranks_), static_cast<Rank>(b % ranks_));
    const auto share = static_cast<Rank>(b);
    return collective_ == Collective::gather ? own_size(share, root_) : own_size(root_, share);
  }

  Bytes own_size(Rank from, Rank to) const {
    const auto entry = [](const std::vector<Bytes>& sizes, Rank r) {
      return sizes.size() == 1 ? sizes[0] : sizes[static_cast<std::size_t>(r)];
    };
    return from == rank_ ? entry(counts_->sent, to) : entry(counts_->received, from);
  }

  std::unique_ptr<Strand> strand_;
  std::shared_ptr<const Counts> counts_;
  Collective collective_;
  Rank root_, rank_, ranks_;
};

/// A collective of unknown size: it takes a given time once all ranks have come.
class Application::Lasting : public Strand {
 public:
  Lasting(std::unique_ptr<Strand> meeting, Seconds time) : meeting_(std::move(meeting)), time_(time) {}

  bool next(Batch& batch) override {
    if (meeting_ && meeting_->next(batch)) return true;
    if (!meeting_) return false;
    meeting_.reset();
    Op op;
    op.kind = Op::Kind::pause;
    op.time = time_;
    batch.ops.push_back(op);
    return true;
  }

 private:
  std::unique_ptr<Strand> meeting_;
  Seconds time_;
};

/// A collective as a single operation.
class Application::Meeting : public Strand {
 public:
  explicit Meeting(const Op& op) : op_(op) {}

  bool next(Batch& batch) override {
    if (op_) batch.ops.push_back(*op_);
    return std::exchange(op_, std::nullopt).has_value();
  }

 private:
  std::optional<Op> op_;
};

/// A collective's messages, which begin once their kernel has been launched.
class Application::Launched : public Strand {
 public:
  Launched(const Op& launch, std::unique_ptr<Strand> messages)
      : launch_(launch), messages_(std::move(messages)) {}

  bool next(Batch& batch) override { return launch_.next(batch) || messages_->next(batch); }

 private:
  Meeting launch_;
  std::unique_ptr<Strand> messages_;
};

/// One stream of a rank; stream 0 first starts the others.
class Application::StreamStrand : public Strand {
 public:
  StreamStrand(Application& application, Rank rank, int stream)
      : app_(application),
        rank_(rank),
        stream_(stream),
        activities_(application.source_.stream(rank, stream)),
        started_(stream != 0) {}

  bool next(Batch& batch) override {
    if (!started_) start_others(batch);
    while (batch.ops.empty()) {
      if (!launched_ && !activities_->next(activity_)) return false;
      launched_ = !launched_ && launches();
      launched_ ? launch(batch) : play(batch);
    }
    return true;
  }

 private:
  using Kind = Activity::Kind;

  /// Whether the next activity is a collective that does not include the wait for all ranks.
  bool gathers() const {
    return activity_.kind == Kind::collective && activity_.request < 0 && app_.gathers_;
  }

  /// Whether the message launches a kernel of its own, as one that holds up its stream does.
  bool launches() const {
    const bool message =
        activity_.kind == Kind::send || activity_.kind == Kind::receive || activity_.kind == Kind::exchange;
    return gathers() || (message && activity_.request < 0 && app_.launch_);
  }
  void launch(Batch& batch) {
    if (gathers()) {
      begin(batch, std::make_unique<Meeting>(app_.gathering(rank_, activity_))).tag =
          app_.tag_of(waiting_for_ranks, Seconds(-1), true);
      return;
    }
    const bool receives = activity_.kind == Kind::receive;
    const Seconds time = app_.launch_(receives ? activity_.received_bytes : activity_.bytes);
    begin(batch, std::make_unique<Meeting>(app_.lasting(time, 1, "launch"))).tag =
        app_.tag_of(receives ? "recv" : "send", time);
  }

  /// Whether time may pass before the stream's next activity.
  bool waits() const {
    if (activity_.kind == Kind::compute || activity_.kind == Kind::pause) {
      const double scale = activity_.kind == Kind::compute ? app_.compute_scale_ : 1.0;
      return activity_.request < 0 && scale * activity_.time > Seconds();
    }
    const bool passes =
        activity_.kind == Kind::send || activity_.kind == Kind::record || activity_.kind == Kind::skipped;
    return activity_.request < 0 && !passes;
  }

  RankState& state() { return app_.states_[static_cast<std::size_t>(rank_)]; }

  void start_others(Batch& batch) {
    started_ = true;
    for (int s = 1; s < app_.source_.streams(rank_); ++s) {
      Op& op = add(batch, Op::Kind::start);
      op.request = --state().last_own_request;
      op.strand = static_cast<std::uint32_t>(batch.strands.size());
      op.count = s;
      batch.strands.push_back(std::make_unique<StreamStrand>(app_, rank_, s));
    }
  }

  static Op& add(Batch& batch, Op::Kind kind) {
    batch.ops.emplace_back();
    batch.ops.back().kind = kind;
    return batch.ops.back();
  }

  void play(Batch& batch) {
    if (waits()) begun_ = 0;
    switch (activity_.kind) {
      case Kind::compute:
      case Kind::pause:
        return pass_time(batch);
      case Kind::send:
        return send(batch);
      case Kind::receive:
        return receive(batch);
      case Kind::exchange:
        return send(batch), receive(batch);
      case Kind::collective:
        return collective(batch);
      case Kind::wait:
        return wait(batch);
      case Kind::record:
        return record(batch);
      case Kind::await:
        return await(batch);
      case Kind::skipped:
        app_.skipped_.add(activity_.call, activity_.note, activity_.times,
                          static_cast<double>(activity_.times) * std::max(activity_.duration.value, 0.0));
        return;
    }
  }

  void pass_time(Batch& batch) {
    const bool computes = activity_.kind == Kind::compute;
    if (activity_.time.value <= 0 && activity_.request < 0) return;
    if (!computes && !activity_.operation.empty()) {
      const Op own = app_.lasting(activity_.time, 1, std::string(activity_.operation));
      Op& op = begin(batch, std::make_unique<Meeting>(own));
      op.tag = app_.tag_of(activity_.operation, activity_.time, true);
      op.request = request_number(activity_.request);
      return;
    }
    Op& op = add(batch, computes ? Op::Kind::compute : Op::Kind::pause);
    op.time = (computes ? app_.compute_scale_ : 1.0) * activity_.time;
    op.request = request_number(activity_.request);
  }

  Rank world(Rank rank) const {
    const auto& members = app_.members(activity_);
    if (rank < 0 || static_cast<std::size_t>(rank) >= members.size())
      throw InputError(app_.source_.info().name + ": rank " + std::to_string(rank_) + " names rank " +
                       std::to_string(rank) + " of a communicator of " + std::to_string(members.size()));
    return members[static_cast<std::size_t>(rank)];
  }

  void send(Batch& batch) {
    Op op;
    op.kind = Op::Kind::send;
    op.peer = world(activity_.to);
    op.bytes = activity_.bytes;
    op.tag = message_tag(activity_.communicator, activity_.tag);
    op.request = request_number(activity_.request);
    op.order = begun_++;  // at one instant, all ranks' first sends come before their second ones
    if (!activity_.synchronous && op.bytes <= app_.buffered_) {
      op.request = --state().last_own_request;
      finished(batch);
    }
    batch.ops.push_back(op);
    Tally& tally = app_.tallies_["send"];
    ++tally.count;
    tally.bytes += op.bytes;
  }

  void receive(Batch& batch) {
    Op& op = add(batch, Op::Kind::receive);
    op.peer = world(activity_.from);
    op.bytes = activity_.received_bytes;
    op.tag = message_tag(activity_.communicator, activity_.received_tag);
    op.request = request_number(activity_.request);
  }

  /// A request that is done as soon as it is made.
  void finished(Batch& batch) {
    if (activity_.request < 0) return;
    add(batch, Op::Kind::compute).request = request_number(activity_.request);
  }

  void wait(Batch& batch) {
    for (std::int64_t request : activity_.requests)
      add(batch, Op::Kind::wait).request = request_number(request);
  }

  void collective(Batch& batch) {
    auto [strand, lasting] = app_.collective(rank_, activity_);
    if (!strand) return;
    Op& op = begin(batch, std::move(strand));
    op.tag = app_.tag_of(activity_.operation, lasting);
    op.bytes = activity_.sized ? activity_.message : Bytes(0);
    op.request = request_number(activity_.request);
  }

  static Op& begin(Batch& batch, std::unique_ptr<Strand> strand) {
    Op& op = add(batch, Op::Kind::start);
    op.strand = static_cast<std::uint32_t>(batch.strands.size());
    batch.strands.push_back(std::move(strand));
    return op;
  }

  /// Completes the requests of streams that await this record; those streams go on before this one.
  void record(Batch& batch) {
    auto& records = state().records;
    if (records.size() <= static_cast<std::size_t>(stream_))
      records.resize(static_cast<std::size_t>(stream_) + 1);
    const auto awaited = state().awaits.find({stream_, ++records[static_cast<std::size_t>(stream_)]});
    if (awaited == state().awaits.end()) return;
    for (std::int32_t request : awaited->second) add(batch, Op::Kind::pause).request = request;
    add(batch, Op::Kind::pause);
    state().awaits.erase(awaited);
  }

  void await(Batch& batch) {
    const auto& records = state().records;
    const auto s = static_cast<std::size_t>(activity_.stream);
    if (s < records.size() && records[s] >= activity_.count) return;
    const std::int32_t request = --state().last_own_request;
    state().awaits[{activity_.stream, activity_.count}].push_back(request);
    add(batch, Op::Kind::wait).request = request;
  }

  Application& app_;
  Rank rank_;
  int stream_;
  std::unique_ptr<Activities> activities_;
  Activity activity_;
  std::uint64_t begun_ = 0;  ///< sends since the stream last waited for something
  bool launched_ = false;    ///< the kernel of the next activity is launched
  bool started_;
};

Application::Application(const Source& source, Selection& selection, double compute_scale, Bytes buffered,
                         PriceOf price, LaunchOf launch, bool gathers)
    : source_(source),
      selection_(selection),
      compute_scale_(compute_scale),
      buffered_(buffered),
      price_(std::move(price)),
      launch_(std::move(launch)),
      states_(static_cast<std::size_t>(source.ranks())),
      gathers_(gathers && !source.info().waits_recorded) {
  if (!source.info().ordered)
    throw InputError(
        source.info().name + ": a " + source.info().format +
        " profile says how often and how long, but not in which order, and cannot be replayed; `collcast "
        "inspect` shows it");
  if (!source.info().unplayable.empty())
    throw InputError(source.info().name + ": " + source.info().unplayable);
}

std::unique_ptr<Strand> Application::main(Rank rank) {
  return std::make_unique<StreamStrand>(*this, rank, 0);
}

std::string_view Application::operation(std::uint64_t tag) const {
  return tag == 0 || tag > named_.size() ? std::string_view{} : named_[tag - 1].operation;
}

std::string Application::name_of_tag(std::uint64_t tag) const {
  if (of_collective(tag)) return "of a collective";
  const std::uint64_t communicator = tag >> 32;
  return (communicator > 0 ? "communicator " + std::to_string(communicator) + ", " : std::string()) + "tag " +
         std::to_string(static_cast<std::int32_t>(tag));
}

std::string Application::name_of_request(std::int32_t request) const {
  return request < 0 ? "another of its streams" : Program::name_of_request(request - 1);
}

Seconds Application::lasting(std::uint64_t tag) const {
  return tag == 0 || tag > named_.size() ? Seconds(-1) : named_[tag - 1].lasting;
}

bool Application::is_own(std::uint64_t tag) const {
  return tag > 0 && tag <= named_.size() && named_[tag - 1].own;
}

bool Application::is_own(std::string_view operation) const {
  return std::ranges::any_of(named_, [&](const Named& n) { return n.own && n.operation == operation; });
}

std::uint64_t Application::tag_of(std::string_view operation, Seconds lasting, bool own) {
  const auto [tag, fresh] = tags_.try_emplace({std::string(operation), lasting, own}, named_.size() + 1);
  if (fresh) named_.push_back(tag->first);
  return tag->second;
}

const std::vector<Rank>& Application::members(const Activity& activity) const {
  const auto& all = source_.communicators();
  const auto number = static_cast<std::size_t>(activity.communicator);
  if (activity.communicator < 0 || number >= all.size())
    throw InputError(source_.info().name + ": " + std::string(activity.call) + " names communicator " +
                     std::to_string(activity.communicator) + " of " + std::to_string(all.size()));
  return all[number];
}

namespace {

/// What a rank's call adds to the size of a collective whose ranks know only their own sizes. A root knows
/// the whole; without a root the size is what ranks send on average.
Bytes part_of(const Activity& activity, Rank rank, std::size_t ranks) {
  if (definition(activity.collective).rooted) return rank == activity.root ? activity.message : Bytes(0);
  return activity.message / static_cast<double>(ranks);
}

}  // namespace

Application::Begun Application::collective(Rank world, const Activity& activity) {
  const std::vector<Rank>& all = members(activity);
  const auto rank = static_cast<Rank>(std::ranges::find(all, world) - all.begin());
  if (static_cast<std::size_t>(rank) == all.size())
    throw InputError(source_.info().name + ": rank " + std::to_string(world) + " calls " +
                     std::string(activity.call) + " on a communicator that lacks it");
  const std::int64_t number = states_[static_cast<std::size_t>(world)].calls[activity.communicator]++;
  const CallNumber key{activity.communicator, number};
  auto found = instances_.find(key);
  if (found == instances_.end()) found = instances_.emplace(key, make(world, activity, all)).first;
  Instance& instance = found->second;
  if (instance.operation != activity.operation)
    throw InputError(source_.info().name + ": rank " + std::to_string(world) + " calls " +
                     std::string(activity.call) + " where rank " + std::to_string(instance.first) +
                     " calls " + instance.call + " (call " + std::to_string(number) + " of communicator " +
                     std::to_string(activity.communicator) + ")");
  if (!instance.why_skipped.empty())  // adds each rank's time to the one call
    skipped_.add(instance.call, instance.why_skipped, 0, std::max(activity.duration.value, 0.0));
  const std::shared_ptr<Lowering> lowering = instance.lowering;
  const std::optional<Op> meeting = instance.meeting;
  note_recorded(activity);
  if (activity.direct) tallies_[instance.operation].bytes += part_of(activity, rank, all.size());
  if (--instance.to_come == 0) instances_.erase(found);
  if (meeting) return {std::make_unique<Meeting>(*meeting), meeting->time};
  if (!lowering) return {};
  auto strand = lowering->strand(rank);
  if (launch_ && activity.sized)
    strand = std::make_unique<Launched>(lasting(launch_(activity.message), 1, "launch"), std::move(strand));
  if (!activity.sized) return {std::make_unique<Lasting>(std::move(strand), activity.time)};
  if (!activity.direct) return {std::move(strand)};
  return {std::make_unique<Resized>(std::move(strand), activity, rank, static_cast<Rank>(all.size()))};
}

void Application::note_recorded(const Activity& activity) {
  const auto tally = tallies_.find(std::string(activity.operation));
  if (tally == tallies_.end()) return;
  Seconds& recorded = tally->second.recorded;
  const bool known = activity.duration >= Seconds() && recorded >= Seconds();
  recorded = known ? recorded + activity.duration : Seconds(-1);
}

Op Application::meeting(const Activity& activity, const Price& price, std::size_t members) {
  Tally& tally = tallies_[std::string(activity.operation)];
  ++tally.count;
  tally.bytes += activity.message;
  if (!price.algorithm.empty()) tally.algorithms.insert(price.algorithm);
  Op op = lasting(price.time, members, std::string(activity.operation) + ": " + price.limited_by);
  op.load = price.load, op.between_nodes = price.between_nodes;
  return op;
}

/// A collective that takes a given time once `members` ranks have come.
Op Application::lasting(Seconds time, std::size_t members, const std::string& limited_by) {
  auto found = std::ranges::find(limits_, limited_by);
  if (found == limits_.end()) found = limits_.insert(found, limited_by);
  Op op;
  op.kind = Op::Kind::meet;
  op.tag = collective_tags(++instances_made_);
  op.count = static_cast<std::int32_t>(members);
  op.time = time;
  op.peer = static_cast<Rank>(found - limits_.begin());
  return op;
}

void Application::pass_over(Instance& instance, std::string_view why) {
  skipped_.add(instance.call, why);
  instance.why_skipped = why;
}

/// The operation in which the ranks of a collective wait until all have come.
Op Application::gathering(Rank world, const Activity& activity) {
  const std::int64_t number = states_[static_cast<std::size_t>(world)].gathered[activity.communicator]++;
  const CallNumber key{activity.communicator, number};
  auto found = gatherings_.find(key);
  if (found == gatherings_.end()) {
    const std::size_t all = members(activity).size();
    found = gatherings_.emplace(key, std::pair(lasting({}, all, std::string(waiting_for_ranks)), all)).first;
  }
  const Op op = found->second.first;
  if (--found->second.second == 0) gatherings_.erase(found);
  return op;
}

Application::Instance Application::make(Rank world, const Activity& activity, const std::vector<Rank>& all) {
  Instance instance{
      std::string(activity.operation), std::string(activity.call), world, {}, {}, {}, all.size()};
  if (activity.sized && price_)
    if (const auto price = price_(activity))
      return instance.meeting = meeting(activity, *price, all.size()), instance;
  Call call;
  call.ranks = static_cast<Rank>(all.size());
  call.root = activity.root;
  call.message = activity.sized ? activity.message : Bytes(0);
  const Collective collective = activity.sized ? activity.collective : Collective::barrier;
  // If nobody knows the size, ranks only meet, and no library chooses.
  const std::string_view algorithm = activity.sized ? activity.algorithm : "dissemination";
  const Choice choice =
      selection_.choose(collective, activity.communicator, all, call, activity.direct, algorithm);
  if (!choice.algorithm) {
    pass_over(instance, "no algorithm of the catalogue plays it");
    return instance;
  }
  Schedule schedule = choice.algorithm->schedule(choice.call);
  const Layout sizes = layout_of(activity, *choice.algorithm, choice.call, schedule);
  Tally& tally = tallies_[instance.operation];
  ++tally.count;
  if (!activity.direct) tally.bytes += call.message;
  if (activity.sized)
    tally.algorithms.insert(choice.algorithm->name);
  else
    pass_over(instance, activity.time > Seconds()
                            ? "of unknown size: takes as long as it was recorded to take"
                            : "of unknown size and time: takes none");
  instance.lowering =
      Lowering::make(std::move(schedule), sizes, collective_tags(++instances_made_), all, activity.direct);
  return instance;
}

}  // namespace collcast

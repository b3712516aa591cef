// SPDX-License-Identifier: Apache-2.0
#include "replay/application/application.hpp"

#include <utility>

#include "replay/application/strands.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

/// The tag of a message, which is none of a collective.
std::uint64_t message_tag(int communicator, int tag) {
  return (static_cast<std::uint64_t>(communicator) << 32) | static_cast<std::uint32_t>(tag);
}
std::int32_t request_number(std::int64_t request) {
  return request < 0 ? 0 : static_cast<std::int32_t>(request % 0x7fffffff) + 1;
}

}  // namespace

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
    return activity_.kind == Kind::collective && activity_.request < 0 && app_.settings_.gathers;
  }

  /// Whether the message launches a kernel of its own, as one that holds up its stream does.
  bool launches() const {
    const bool message =
        activity_.kind == Kind::send || activity_.kind == Kind::receive || activity_.kind == Kind::exchange;
    return gathers() || (message && activity_.request < 0 && app_.settings_.launch);
  }
  void launch(Batch& batch) {
    if (gathers()) {
      begin(batch, single(app_.collectives_.gathering(rank_, activity_))).tag =
          app_.operations_.of(waiting_for_ranks, Seconds(-1), true);
      return;
    }
    const bool receives = activity_.kind == Kind::receive;
    const Seconds time = app_.settings_.launch(receives ? activity_.received_bytes : activity_.bytes);
    begin(batch, single(app_.collectives_.lasting(time, 1, "launch"))).tag =
        app_.operations_.of(receives ? "recv" : "send", time);
  }

  /// Whether time may pass before the stream's next activity.
  bool waits() const {
    if (activity_.kind == Kind::compute || activity_.kind == Kind::pause) {
      const double scale = activity_.kind == Kind::compute ? app_.settings_.compute_scale : 1.0;
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
        return app_.collectives_.skip(activity_);
    }
  }

  void pass_time(Batch& batch) {
    const bool computes = activity_.kind == Kind::compute;
    if (activity_.time.value <= 0 && activity_.request < 0) return;
    if (!computes && !activity_.operation.empty()) {
      const Op own = app_.collectives_.lasting(activity_.time, 1, std::string(activity_.operation));
      Op& op = begin(batch, single(own));
      op.tag = app_.operations_.of(activity_.operation, activity_.time, true);
      op.request = request_number(activity_.request);
      return;
    }
    Op& op = add(batch, computes ? Op::Kind::compute : Op::Kind::pause);
    op.time = (computes ? app_.settings_.compute_scale : 1.0) * activity_.time;
    op.request = request_number(activity_.request);
  }

  Rank world(Rank rank) const {
    const auto& members = app_.collectives_.members(activity_);
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
    if (!activity_.synchronous && op.bytes <= app_.settings_.buffered) {
      op.request = --state().last_own_request;
      finished(batch);
    }
    batch.ops.push_back(op);
    app_.collectives_.count_send(op.bytes);
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
    auto [strand, lasting] = app_.collectives_.begin(rank_, activity_);
    if (!strand) return;
    Op& op = begin(batch, std::move(strand));
    op.tag = app_.operations_.of(activity_.operation, lasting);
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

Application::Application(const Source& source, Selection& selection, ApplicationSettings settings)
    : source_(source),
      settings_(std::move(settings)),
      collectives_(source, selection, settings_.price, settings_.launch),
      states_(static_cast<std::size_t>(source.ranks())) {
  settings_.gathers = settings_.gathers && !source.info().waits_recorded;
}

std::unique_ptr<Strand> Application::main(Rank rank) {
  return std::make_unique<StreamStrand>(*this, rank, 0);
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

}  // namespace collcast

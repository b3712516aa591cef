// SPDX-License-Identifier: Apache-2.0
#include "replay/application/application.hpp"

#include <algorithm>

#include "replay/application/collectives.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

using trace::Event;
using trace::OpClass;

/// Tags of messages and of collectives never meet; a collective has 2^32 of its own.
std::uint64_t message_tag(trace::CommId comm, int tag) {
  return (static_cast<std::uint64_t>(comm) << 32) | static_cast<std::uint32_t>(tag);
}
std::uint64_t collective_tags(std::uint64_t instance) {
  return (std::uint64_t{1} << 63) | (instance << 32);
}

std::int32_t request_number(trace::RequestId request) {
  return request == trace::none ? 0 : static_cast<std::int32_t>(request % 0x7fffffff) + 1;
}

/// The sizes of a schedule's blocks: message / blocks each, or each rank's share cut evenly.
Layout layout_of(const RecordedCollective& recorded, const Algorithm& a, const Call& call,
                 const Schedule& schedule) {
  if (recorded.sizes.empty()) return layout(a, call, schedule);
  const auto pieces = schedule.blocks / call.ranks;
  std::vector<Bytes> sizes;
  for (Bytes share : recorded.sizes)
    sizes.insert(sizes.end(), static_cast<std::size_t>(pieces), share / static_cast<double>(pieces));
  return Layout(sizes);
}

}  // namespace

/// Gives messages the sizes that the rank's own event knows: in an alltoallv nobody knows all of them.
class Application::Resized : public Strand {
 public:
  Resized(std::unique_ptr<Strand> strand, Event event, Rank rank, Rank ranks, bool pairs)
      : strand_(std::move(strand)), event_(std::move(event)), rank_(rank), ranks_(ranks), pairs_(pairs) {}

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
    if (pairs_) return own_size(event_, rank_, static_cast<Rank>(b / ranks_), static_cast<Rank>(b % ranks_));
    const auto share = static_cast<Rank>(b);
    return event_.op == trace::Op::gatherv ? own_size(event_, rank_, share, event_.root)
                                           : own_size(event_, rank_, event_.root, share);
  }

  std::unique_ptr<Strand> strand_;
  Event event_;
  Rank rank_, ranks_;
  bool pairs_;
};

/// One rank's recorded calls, in order, each after the computation that came before it.
class Application::RankStrand : public Strand {
 public:
  RankStrand(Application& application, Rank rank)
      : app_(application), rank_(rank), cursor_(application.trace_.rank(rank)) {}

  bool next(Batch& batch) override {
    while (true) {
      if (!pending_) {
        if (!cursor_.next(event_)) return false;
        pending_ = true;
        if (const Seconds compute = event_.compute + event_.polling; compute.value > 0) {
          Op op;
          op.kind = Op::Kind::compute;
          op.time = app_.compute_scale_ * compute;
          batch.ops.push_back(op);
          return true;
        }
      }
      pending_ = false;
      call(batch);
      if (!batch.ops.empty()) return true;
    }
  }

 private:
  void call(Batch& batch) {
    switch (class_of(event_.op)) {
      case OpClass::send:
        return send(batch);
      case OpClass::receive:
        return receive(batch);
      case OpClass::exchange:
        return send(batch), receive(batch);
      case OpClass::completion:
        return wait(batch);
      case OpClass::collective:
      case OpClass::communicator:
        return collective(batch);
      case OpClass::control:
      case OpClass::probe:
        return;  // a probe waits for what the next receive waits for
    }
  }

  Rank world(int rank) const {
    const auto& members = app_.trace_.communicators()[static_cast<std::size_t>(event_.comm)];
    return members[static_cast<std::size_t>(rank)];
  }

  void send(Batch& batch) {
    if (event_.dest == trace::proc_null) return finished(batch);
    Op op;
    op.kind = Op::Kind::send;
    op.peer = world(event_.dest);
    op.bytes = Bytes(static_cast<double>(event_.send_bytes));
    op.tag = message_tag(event_.comm, event_.send_tag);
    op.request = request_number(event_.request);
    if (event_.op != trace::Op::ssend && op.bytes <= app_.buffered_) {
      op.request = --last_buffered_;
      finished(batch);
    }
    batch.ops.push_back(op);
    Tally& tally = app_.tallies_[trace::Op::send];
    ++tally.count;
    tally.bytes += op.bytes;
  }

  void receive(Batch& batch) {
    if (event_.source == trace::proc_null) return finished(batch);
    if (event_.source < 0 || event_.recv_tag < 0) {
      never_matched_.insert(event_.request);
      return app_.pass_over(event_, "a receive from anyone that never completed");
    }
    Op op;
    op.kind = Op::Kind::receive;
    op.peer = world(event_.source);
    op.bytes = Bytes(static_cast<double>(event_.recv_bytes));
    op.tag = message_tag(event_.comm, event_.recv_tag);
    op.request = request_number(event_.request);
    batch.ops.push_back(op);
  }

  /// A request that is done as soon as it is made.
  void finished(Batch& batch) {
    if (!event_.nonblocking()) return;
    Op op;
    op.kind = Op::Kind::compute;
    op.request = request_number(event_.request);
    batch.ops.push_back(op);
  }

  void wait(Batch& batch) {
    for (const trace::Completion& done : event_.completed) {
      if (done.cancelled || never_matched_.contains(done.request)) continue;
      Op op;
      op.kind = Op::Kind::wait;
      op.request = request_number(done.request);
      batch.ops.push_back(op);
    }
  }

  void collective(Batch& batch) {
    // Only the members of the new communicator take part in its creation from a group.
    const bool by_members =
        event_.op == trace::Op::comm_create_group || event_.op == trace::Op::intercomm_merge;
    const trace::CommId comm = by_members ? event_.new_comm : event_.comm;
    if (event_.op == trace::Op::comm_free) return;
    if (comm == trace::none) return app_.pass_over(event_, "its communicator is not in the trace");
    const auto& members = app_.trace_.communicators()[static_cast<std::size_t>(comm)];
    const auto me = std::ranges::find(members, rank_) - members.begin();
    auto strand = app_.collective(rank_, static_cast<Rank>(me), event_, comm, calls_[comm]++);
    if (!strand) return;
    Op op;
    op.kind = Op::Kind::start;
    op.tag = static_cast<std::uint64_t>(event_.op);
    op.request = request_number(event_.request);
    op.strand = static_cast<std::uint32_t>(batch.strands.size());
    batch.ops.push_back(op);
    batch.strands.push_back(std::move(strand));
  }

  Application& app_;
  Rank rank_;
  trace::Cursor cursor_;
  Event event_;
  bool pending_ = false;  ///< event_ has been read and its computation handed out
  std::map<trace::CommId, std::int64_t> calls_;
  std::set<trace::RequestId> never_matched_;
  std::int32_t last_buffered_ = 0;  ///< request number of the last buffered send, which nobody waits for
};

Application::Application(const trace::Reader& trace, Selection& selection, double compute_scale,
                         Bytes buffered)
    : trace_(trace), selection_(selection), compute_scale_(compute_scale), buffered_(buffered) {}

std::unique_ptr<Strand> Application::main(Rank rank) {
  return std::make_unique<RankStrand>(*this, rank);
}

std::unique_ptr<Strand> Application::collective(Rank world, Rank rank, const Event& event, trace::CommId comm,
                                                std::int64_t number) {
  const std::vector<Rank>& members = trace_.communicators()[static_cast<std::size_t>(comm)];
  auto found = instances_.find({comm, number});
  if (found == instances_.end())
    found = instances_.emplace(CallNumber{comm, number}, make(world, event, comm, members)).first;
  Instance& instance = found->second;
  if (instance.op != event.op)
    throw InputError(trace_.path() + ": rank " + std::to_string(world) + " calls " + mpi_name(event.op) +
                     " where rank " + std::to_string(instance.first) + " calls " + mpi_name(instance.op) +
                     " (call " + std::to_string(number) + " of communicator " + std::to_string(comm) + ")");
  const std::shared_ptr<Lowering> lowering = instance.lowering;
  if (--instance.to_come == 0) instances_.erase(found);
  if (!lowering) return nullptr;
  auto strand = lowering->strand(rank);
  const bool pairs = event.op == trace::Op::alltoallv || event.op == trace::Op::alltoallw;
  if (pairs || event.op == trace::Op::gatherv || event.op == trace::Op::scatterv)
    return std::make_unique<Resized>(std::move(strand), event, rank, static_cast<Rank>(members.size()),
                                     pairs);
  return strand;
}

Application::Instance Application::make(Rank world, const Event& event, trace::CommId comm,
                                        const std::vector<Rank>& members) {
  const auto ranks = static_cast<Rank>(members.size());
  const auto recorded = as_collective(event, ranks);
  if (!recorded)
    return pass_over(event, "not in the catalogue"), Instance{event.op, world, nullptr, members.size()};
  Call call;
  call.ranks = ranks;
  call.root = std::max(event.root, 0);
  call.message = recorded->message;
  const Choice choice = selection_.choose(recorded->collective, comm, members, call, recorded->direct);
  if (!choice.algorithm)
    return pass_over(event, "no algorithm of the catalogue plays it"),
           Instance{event.op, world, nullptr, members.size()};
  Schedule schedule = choice.algorithm->schedule(choice.call);
  const Layout sizes = layout_of(*recorded, *choice.algorithm, choice.call, schedule);
  Tally& tally = tallies_[event.op];
  ++tally.count;
  tally.bytes += recorded->message;
  tally.algorithms.insert(choice.algorithm->name);
  return {event.op, world,
          Lowering::make(std::move(schedule), sizes, collective_tags(++instances_made_), members,
                         recorded->direct),
          members.size()};
}

void Application::pass_over(const Event& event, const std::string& reason) {
  ++passed_over_[{mpi_name(event.op, event.nonblocking()), reason}];
}

}  // namespace collcast

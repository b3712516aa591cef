// SPDX-License-Identifier: Apache-2.0
#include "model/lowering.hpp"

#include <algorithm>
#include <utility>

#include "support/error.hpp"

namespace collcast {

/// The strand of one channel of a rank: a batch for each step in which the rank takes part.
class Lowering::ChannelStrand : public Strand {
 public:
  ChannelStrand(std::shared_ptr<Lowering> lowering, Rank rank, std::uint16_t channel)
      : lowering_(std::move(lowering)), rank_(rank), channel_(channel) {}

  bool next(Batch& batch) override {
    for (; step_ < lowering_->schedule_.steps; ++step_) {
      const LoweredStep& here = lowering_->enter(step_);
      if (join(here, batch)) return true;
      operations(here, batch);
      joined_ = 0;
      lowering_->leave(step_);
      if (!batch.ops.empty()) return batch.step = step_++, true;
    }
    return false;
  }

 private:
  /// The next join of this step that this channel takes part in, if one is left.
  bool join(const LoweredStep& here, Batch& batch) {
    while (joined_ < here.step.joins.size()) {
      const Step::Join join = here.step.joins[joined_++];
      if (channel_ < join.first || channel_ >= join.last) continue;
      if (join.rank != Step::Join::everyone && join.rank != rank_) continue;
      Op op;
      op.kind = Op::Kind::join;
      op.count = join.last - join.first;
      op.tag = lowering_->tag_ + join.first + (std::uint64_t{join.last} << 16);
      batch.ops.push_back(op);
      return true;
    }
    return false;
  }

  void operations(const LoweredStep& here, Batch& batch) const {
    const std::size_t strand = lowering_->strand_of(rank_, channel_);
    const auto first = here.ops.begin() + here.begin[strand],
               last = here.ops.begin() + here.begin[strand + 1];
    batch.ops.insert(batch.ops.end(), first, last);
    if (!here.pieces.empty()) list_pieces(here, batch);
  }

  /// Copies the pieces of the batch's operations from the step, which has the pieces of all.
  static void list_pieces(const LoweredStep& here, Batch& batch) {
    for (Op& op : batch.ops) {
      const auto pieces = std::span(here.pieces).subspan(op.first_piece, op.pieces);
      op.first_piece = static_cast<std::uint32_t>(batch.pieces.size());
      batch.pieces.insert(batch.pieces.end(), pieces.begin(), pieces.end());
    }
  }

  std::shared_ptr<Lowering> lowering_;
  Rank rank_;
  std::uint16_t channel_;
  std::int64_t step_ = 0;
  std::size_t joined_ = 0;
};

/// Starts the channels of a rank side by side.
class Lowering::Root : public Strand {
 public:
  Root(std::shared_ptr<Lowering> lowering, Rank rank) : lowering_(std::move(lowering)), rank_(rank) {}

  bool next(Batch& batch) override {
    if (!lowering_) return false;
    for (int c = 0; c < lowering_->schedule_.channels; ++c) {
      Op op;
      op.kind = Op::Kind::start;
      op.strand = static_cast<std::uint32_t>(c);
      op.channel = true;
      batch.ops.push_back(op);
      batch.strands.push_back(
          std::make_unique<ChannelStrand>(lowering_, rank_, static_cast<std::uint16_t>(c)));
    }
    lowering_.reset();
    return true;
  }

 private:
  std::shared_ptr<Lowering> lowering_;
  Rank rank_;
};

Lowering::Lowering(Schedule schedule, Layout layout, std::uint64_t tag, std::vector<Rank> members,
                   bool detailed)
    : schedule_(std::move(schedule)),
      layout_(std::move(layout)),
      tag_(tag),
      members_(std::move(members)),
      detailed_(detailed),
      last_senders_(static_cast<std::size_t>(schedule_.ranks)) {}

std::shared_ptr<Lowering> Lowering::make(Schedule schedule, Layout layout, std::uint64_t tag,
                                         std::vector<Rank> members, bool detailed) {
  return std::shared_ptr<Lowering>(
      new Lowering(std::move(schedule), std::move(layout), tag, std::move(members), detailed));
}

std::unique_ptr<Strand> Lowering::strand(Rank rank) {
  if (schedule_.channels == 1)
    return std::make_unique<ChannelStrand>(shared_from_this(), rank, std::uint16_t{0});
  return std::make_unique<Root>(shared_from_this(), rank);
}

void Lowering::generate(std::int64_t s) {
  if (spare_.empty()) spare_.push_back(std::make_unique<LoweredStep>(detailed_ || !layout_.equal_blocks()));
  window_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  LoweredStep& fresh = *window_.back();
  fresh.step.clear();
  schedule_.rule(s, fresh.step);
  lower(fresh);
  fresh.left = std::int64_t{schedule_.ranks} * schedule_.channels;
}

/// Drops the first steps, as far as all strands have passed them.
void Lowering::drop() {
  for (; !window_.empty() && window_.front()->left == 0; ++first_) {
    spare_.push_back(std::move(window_.front()));
    window_.pop_front();
  }
}

void Lowering::lower(LoweredStep& out) {
  make_room(out);
  for (const Transfer& t : out.step.transfers)
    if (t.from != t.to) lower(out, t);
  out.step.for_each_switched([&](const Multicast& m) { lower(out, m); },
                             [&](const Reduction& m) { lower(out, m); });
}

/// Counts the operations of each strand and reserves a place for them.
void Lowering::make_room(LoweredStep& out) {
  std::vector<std::uint32_t>& count = next_;
  count.assign(strand_of(schedule_.ranks, 0), 0);
  for (const Transfer& t : out.step.transfers) {
    if (t.from == t.to) continue;
    ++count[strand_of(t.from.rank, t.channel)];
    if (t.from.rank != t.to.rank) ++count[strand_of(t.to.rank, t.channel)];
  }
  for (const Multicast& m : out.step.multicasts) {
    ++count[strand_of(m.from.rank, m.channel)];
    m.for_each_receiver([&](Rank r) { ++count[strand_of(r, m.channel)]; });
  }
  for (const Reduction& m : out.step.reductions)
    m.for_each_sender(
        [&](Rank r) { ++count[strand_of(r, m.channel)], ++count[strand_of(m.to.rank, m.channel)]; });
  std::uint32_t all = 0;
  for (std::uint32_t& n : count) all += std::exchange(n, all);
  out.begin.assign(count.begin(), count.end());
  out.begin.push_back(all);
  out.pieces.clear();
  out.ops.assign(all, {});
}

/// Lists the blocks that an operation moves.
void Lowering::list(LoweredStep& out, Op& op, std::span<const Chunk> pieces) {
  op.first_piece = static_cast<std::uint32_t>(out.pieces.size());
  op.pieces = static_cast<std::uint32_t>(pieces.size());
  out.pieces.insert(out.pieces.end(), pieces.begin(), pieces.end());
}

/// Lowers both ends of a message.
void Lowering::lower(LoweredStep& out, const Transfer& t) {
  const Bytes bytes = layout_.size(out.step, t);
  const bool other_sender = last_senders_.change(t);
  const auto end = [&](Op::Kind kind, Rank of, Rank peer) {
    Op& op = add(out, of, t.channel);
    op.kind = kind;
    op.combine = t.combine;
    op.from = t.from.memory;
    op.to = t.to.memory;
    op.bytes = bytes;
    op.tag = tag_ + t.channel;
    op.order = order_;
    op.peer = world(peer);
    op.other_sender = other_sender;
    if (detailed_) list(out, op, out.step.pieces(t));
  };
  if (t.from.rank == t.to.rank) {
    end(Op::Kind::copy, t.from.rank, t.to.rank);
  } else {
    end(Op::Kind::send, t.from.rank, t.to.rank);
    end(Op::Kind::receive, t.to.rank, t.from.rank);
  }
  ++order_;
}

void Lowering::lower(LoweredStep& out, const Multicast& m) {
  Op op;
  op.kind = Op::Kind::multicast;
  op.from = m.from.memory;
  op.to = m.memory;
  op.bytes = layout_.size(m.chunk);
  op.tag = tag_ + m.channel;
  op.order = order_++;
  op.group = m.to;
  op.members = members_.empty() ? nullptr : &members_;
  if (detailed_) list(out, op, {&m.chunk, 1});
  add(out, m.from.rank, m.channel) = op;
  op.kind = Op::Kind::receive;
  op.peer = world(m.from.rank);
  m.for_each_receiver([&](Rank r) { add(out, r, m.channel) = op; });
}

void Lowering::lower(LoweredStep& out, const Reduction& m) {
  Op op;
  op.kind = Op::Kind::send;
  op.from = m.memory;
  op.to = m.to.memory;
  op.bytes = layout_.size(m.chunk);
  op.tag = tag_ + m.channel;
  op.order = order_++;
  op.peer = world(m.to.rank);
  m.for_each_sender([&](Rank) { ++op.merged; });
  if (detailed_) list(out, op, {&m.chunk, 1});
  m.for_each_sender([&](Rank r) {
    add(out, r, m.channel) = op;
    Op& receive = add(out, m.to.rank, m.channel) = op;
    receive.kind = Op::Kind::receive;
    receive.peer = world(r);
  });
}

namespace {

class CollectiveProgram : public Program {
 public:
  CollectiveProgram(Schedule schedule, Layout layout, bool detailed)
      : ranks_(schedule.ranks),
        lowering_(Lowering::make(std::move(schedule), std::move(layout), 0, {}, detailed)) {}
  Rank ranks() const override { return ranks_; }
  std::unique_ptr<Strand> main(Rank rank) override { return lowering_->strand(rank); }

 private:
  Rank ranks_;
  std::shared_ptr<Lowering> lowering_;
};

}  // namespace

std::unique_ptr<Program> program(Schedule schedule, Layout layout, bool detailed) {
  return std::make_unique<CollectiveProgram>(std::move(schedule), std::move(layout), detailed);
}

}  // namespace collcast

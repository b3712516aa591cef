// SPDX-License-Identifier: Apache-2.0
#include "replay/application/strands.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace collcast {
namespace {

class Single : public Strand {
 public:
  explicit Single(const Op& op) : op_(op) {}

  bool next(Batch& batch) override {
    if (op_) batch.ops.push_back(*op_);
    return std::exchange(op_, std::nullopt).has_value();
  }

 private:
  std::optional<Op> op_;
};

class Then : public Strand {
 public:
  Then(std::unique_ptr<Strand> first, std::unique_ptr<Strand> second)
      : first_(std::move(first)), second_(std::move(second)) {}

  bool next(Batch& batch) override {
    if (first_ && first_->next(batch)) return true;
    first_.reset();
    return second_->next(batch);
  }

 private:
  std::unique_ptr<Strand> first_, second_;
};

class Resized : public Strand {
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

}  // namespace

std::unique_ptr<Strand> single(const Op& op) {
  return std::make_unique<Single>(op);
}

std::unique_ptr<Strand> then(std::unique_ptr<Strand> first, std::unique_ptr<Strand> second) {
  return std::make_unique<Then>(std::move(first), std::move(second));
}

std::unique_ptr<Strand> resized(std::unique_ptr<Strand> messages, const Activity& collective, Rank rank,
                                Rank ranks) {
  return std::make_unique<Resized>(std::move(messages), collective, rank, ranks);
}

}  // namespace collcast

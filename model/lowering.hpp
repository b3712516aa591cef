// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "model/last_senders.hpp"
#include "model/layout.hpp"
#include "model/program.hpp"

namespace collcast {

/// Lowers a schedule to strands, one for each rank. A step is generated when the first rank enters it and
/// dropped when the last has left it, so memory grows with how far ranks drift apart, not with the schedule.
class Lowering : public std::enable_shared_from_this<Lowering> {
 public:
  /// Rank i of the schedule is rank `members[i]` of the program, or i if `members` is empty. Messages carry
  /// the tags `tag` to `tag + channels - 1`. `detailed`: operations list the blocks that they move.
  static std::shared_ptr<Lowering> make(Schedule schedule, Layout layout, std::uint64_t tag = 0,
                                        std::vector<Rank> members = {}, bool detailed = false);

  /// The strand of a rank of the schedule. Each rank's strand must be taken once and played to its end.
  std::unique_ptr<Strand> strand(Rank rank);

  std::int64_t steps_in_memory() const { return static_cast<std::int64_t>(window_.size()); }

 private:
  /// One step, lowered: the operations of each strand.
  struct LoweredStep {
    explicit LoweredStep(bool detailed) : step(detailed) {}
    Step step;
    std::vector<Op> ops;  ///< by strand, then in the order of the schedule
    std::vector<Chunk> pieces;
    std::vector<std::uint32_t> begin;  ///< by strand: its first operation
    std::int64_t left = 0;             ///< strands that have yet to pass this step
  };
  class ChannelStrand;
  class Root;

  Lowering(Schedule schedule, Layout layout, std::uint64_t tag, std::vector<Rank> members, bool detailed);
  Rank world(Rank r) const { return members_.empty() ? r : members_[static_cast<std::size_t>(r)]; }
  const LoweredStep& enter(std::int64_t s) {
    const auto at = static_cast<std::size_t>(s - first_);
    if (at == window_.size()) generate(s);
    return *window_[at];
  }
  void leave(std::int64_t s) {
    if (--window_[static_cast<std::size_t>(s - first_)]->left == 0) drop();
  }
  void generate(std::int64_t s);
  void drop();
  std::size_t strand_of(Rank rank, std::uint16_t channel) const {
    return static_cast<std::size_t>(rank) * static_cast<std::size_t>(schedule_.channels) + channel;
  }
  void make_room(LoweredStep& out);
  void lower(LoweredStep& out);
  void lower(LoweredStep& out, const Transfer& transfer);
  void lower(LoweredStep& out, const Multicast& multicast);
  void lower(LoweredStep& out, const Reduction& reduction);
  static void list(LoweredStep& out, Op& op, std::span<const Chunk> pieces);
  /// A new operation, to be filled in place.
  Op& add(LoweredStep& out, Rank of, std::uint16_t channel) {
    return out.ops[next_[strand_of(of, channel)]++];
  }

  Schedule schedule_;
  Layout layout_;
  std::uint64_t tag_;
  std::vector<Rank> members_;
  bool detailed_;
  std::uint64_t order_ = 0;  ///< messages lowered so far
  LastSenders last_senders_;
  std::vector<std::uint32_t> next_;  ///< by strand: where its next operation in the current step goes
  std::int64_t first_ = 0;           ///< step number of window_.front()
  std::deque<std::unique_ptr<LoweredStep>> window_;
  std::vector<std::unique_ptr<LoweredStep>> spare_;
};

/// A single collective as a program.
std::unique_ptr<Program> program(Schedule schedule, Layout layout, bool detailed = false);

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "model/schedule.hpp"

namespace collcast::mpi {

/// Whether a multicast is one message per receiver, or one message to all.
enum class Multicasting : std::uint8_t { one_by_one, at_once };

/// The messages and copies of one rank in a step, by channel, in the order of the schedule.
class RankStep {
 public:
  struct Item {
    enum class Kind : std::uint8_t { send, receive, copy };
    Kind kind = Kind::send;
    Combine combine = Combine::copy;
    Memory from = Memory::device, to = Memory::device;
    std::uint16_t channel = 0;
    Rank peer = 0;
    std::span<const Chunk> pieces;
    std::int32_t multicast = -1;  ///< number, in the schedule, of a multicast to `group`; -1: none
    Ranks group = {};

    template <class Visit>
    void for_each_block(Visit&& visit) const {
      for (const Chunk& c : pieces)
        for (Block b = c.first; b < c.first + c.count; ++b) visit(b);
    }
  };

  RankStep(Rank rank, Multicasting multicasting) : rank_(rank), multicasting_(multicasting) {}

  /// Replaces the items by those of `step`, to which they refer. Called with all steps of a schedule in
  /// order.
  void take(const Step& step);

  /// Calls `visit(channel, items)` for each channel in which the rank has something to do.
  template <class Visit>
  void for_each_channel(Visit&& visit) const {
    for (std::size_t i = 0; i < items_.size();) {
      std::size_t end = i + 1;
      while (end < items_.size() && items_[end].channel == items_[i].channel) ++end;
      visit(int{items_[i].channel}, std::span(items_).subspan(i, end - i));
      i = end;
    }
  }

 private:
  void take(const Transfer& t, std::span<const Chunk> pieces);
  void take(const Multicast& m);
  void take(const Reduction& m);

  Rank rank_;
  Multicasting multicasting_;
  std::int32_t multicasts_ = 0;  ///< so far
  std::vector<Item> items_;
};

}  // namespace collcast::mpi

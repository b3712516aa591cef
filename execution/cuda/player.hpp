// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "execution/cuda/exchange.hpp"
#include "execution/mpi/planner.hpp"

namespace collcast::cuda {

/// Plays an algorithm of the catalogue on GPUs: one rank, one GPU, the plan of `execution/mpi`. A schedule's
/// (rank, device) is GPU memory and its (rank, host) pinned host memory, so staging happens where the
/// schedule says.
///
/// Buffers are those of mpi::Player, in GPU memory; there is no in-place call. A broadcast's root sends from
/// the send buffer.
class Player {
 public:
  /// Collective over the communicator, whose ranks are all on one node if the transport is `copy`. With other
  /// transports, ranks of one node use `copy` between host memories. Throws InputError if the algorithm
  /// cannot serve the call, or the transport cannot serve the ranks.
  Player(const Algorithm& algorithm, Call call, Element element, Operation op,
         std::shared_ptr<mpi::Communicator> communicator, Device& device, Transport transport);
  /// Waits for a play that is under way.
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  void start(const std::byte* send, std::byte* recv);
  /// Makes progress; returns whether the play is done.
  bool test();
  void wait();
  void run(const std::byte* send, std::byte* recv) {
    start(send, recv);
    wait();
  }

  const mpi::Part& part() const { return part_; }
  Block blocks() const { return schedule_.blocks; }
  const mpi::Elements& elements() const { return elements_; }
  /// Elements of the send and of the receive buffer.
  std::size_t sent() const { return mpi::sent(part_, schedule_.blocks, elements_); }
  std::size_t received() const { return mpi::received(part_, schedule_.blocks, elements_); }

 private:
  /// A channel's progress in its step, stage by stage. It waits for the other channels of a join, then for
  /// the moves before its messages, then for the messages and the moves beside them, then for the moves after
  /// them.
  struct Channel {
    enum class Stage : std::uint8_t { joining, preparing, exchanging, settling };
    const mpi::ChannelPlan* plan = nullptr;
    std::unique_ptr<Queue> queue;
    std::unique_ptr<Exchange> between_gpus, other;  ///< the same object unless the transport is nccl
    std::size_t step = 0;
    Stage stage = Stage::joining;
    bool joined = false;
  };
  struct Parcels {
    std::vector<Parcel> receives, sends;
  };

  bool advance(Channel& channel);
  bool may_pass(const mpi::PlanStep& step, Channel& channel);
  void exchange(const mpi::PlanStep& step, Channel& channel);
  void queue(const mpi::Move& move, Queue& queue) const;
  void queue(const Channel& channel, mpi::Range moves) const;
  std::byte* at(mpi::Address a) const { return areas_[a.area] + a.offset * width_; }

  std::shared_ptr<mpi::Communicator> communicator_;
  mpi::Part part_;
  Schedule schedule_;
  mpi::Elements elements_;
  Element element_;
  Operation op_;
  std::size_t width_;
  mpi::Plan plan_;
  std::vector<Buffer> own_;  ///< the areas from Address::own on
  std::vector<std::byte*> areas_;
  std::vector<Channel> channels_;
  std::vector<int> arrived_;  ///< by join
  std::unique_ptr<NcclWorld> nccl_;
  std::unique_ptr<Queue> finals_;  ///< for the moves at the start and at the end
  bool under_way_ = false, ending_ = false;
  Parcels by_gpus_, by_others_;
};

}  // namespace collcast::cuda

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "execution/mpi/communicator.hpp"
#include "execution/mpi/planner.hpp"

namespace collcast::mpi {

/// Plays an algorithm of the catalogue with real data, as a persistent collective. The rank's plan is made
/// once; after the first play nothing is allocated. The send buffer holds the rank's initial blocks and the
/// receive buffer its final ones, packed, as in MPI's own collectives. A broadcast's buffer is the receive
/// buffer, with MPI_IN_PLACE to send. MPI_IN_PLACE has its meaning in MPI. If p does not divide n elements,
/// rank r's share is [floor(r n / p), floor((r + 1) n / p)). All memories of a rank are host memory here; its
/// device memory is the caller's buffers.
class Player {
 public:
  /// `call.message` and `call.counts` count bytes, whole elements of `type`; `call.ranks` is the
  /// communicator's size. `op` is commutative. Collective over `communicator`. `type` and `op` outlive the
  /// player. Throws InputError unless the algorithm can serve the call.
  Player(const Algorithm& algorithm, Call call, MPI_Datatype type, MPI_Op op,
         std::shared_ptr<Communicator> communicator);
  /// As above, on a private duplicate of `parent`.
  Player(const Algorithm& algorithm, const Call& call, MPI_Datatype type, MPI_Op op, MPI_Comm parent)
      : Player(algorithm, call, type, op, std::make_shared<Communicator>(parent)) {}
  /// Waits for a play that is under way.
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  void start(const void* send, void* recv);
  /// Makes progress on all plays that this thread has started; returns whether this one is done.
  bool test();
  void wait();
  void run(const void* send, void* recv);

  /// Sets the buffers of start() and run() without arguments.
  void bind(const void* send, void* recv) { bound_ = {send, recv}; }
  void start() { start(bound().send, bound().recv); }
  void run() { run(bound().send, bound().recv); }

  const Part& part() const { return part_; }
  Block blocks() const { return schedule_.blocks; }
  const Elements& elements() const { return elements_; }
  /// Elements of the send and of the receive buffer.
  std::size_t sent() const { return mpi::sent(part_, schedule_.blocks, elements_); }
  std::size_t received() const { return mpi::received(part_, schedule_.blocks, elements_); }

 private:
  friend class Progress;

  struct Bound {
    const void* send;
    void* recv;
  };

  struct Buffers {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
    void grow(std::size_t needed);
  };
  /// The progress of a channel.
  struct Cursor {
    const ChannelPlan* plan = nullptr;
    std::size_t step = 0;
    int pending = 0;     ///< MPI requests of the step in progress
    int multicasts = 0;  ///< IP multicasts of the step in progress
    bool joined = false, posted = false;
    std::vector<MPI_Request> requests;
  };

  const Bound& bound() const;
  const Plan& prepare(const void* send, void* recv);
  const Plan& plan_for(InPlace in_place);
  InPlace in_place(const void* send, const void* recv) const;
  void address(ChannelPlan& plan) const;
  void play();
  void advance();
  bool advance(Cursor& cursor);
  bool all_steps_done() const;
  void advance_next();
  bool post_next();
  void rest() const;
  bool may_pass(const PlanStep& step, Cursor& cursor);
  void finish(Cursor& cursor);
  void play(Cursor& cursor);
  void post(const PlanStep& step, Cursor& cursor);
  void post_receives(const PlanStep& step, Cursor& cursor);
  void post(const Message& m, Cursor& cursor, bool receive);
  void exchange(const PlanStep& step, Cursor& cursor);
  void first_moves();
  void end();
  void move(const Move& m) const;
  void move(const ChannelPlan& plan, Range range) const {
    for (std::uint32_t i = range.begin; i < range.end; ++i) move(plan.moves[i]);
  }
  std::span<std::byte> bytes(const Message& m) const {
    return {at(m.at), static_cast<std::size_t>(m.count) * extent_};
  }
  std::byte* at(Address a) const { return areas_[a.area] + a.offset * extent_; }

  std::shared_ptr<Communicator> communicator_;
  Part part_;
  Schedule schedule_;
  Elements elements_;
  MPI_Datatype type_;
  MPI_Op op_;
  std::size_t extent_;
  int tag_;
  std::optional<Bound> bound_;
  std::array<std::optional<Plan>, 3> plans_;  ///< by InPlace, made when first asked for
  const Plan* plan_ = nullptr;                ///< of the play in progress
  std::vector<std::byte*> areas_;             ///< by Address::area
  std::vector<Buffers> own_;                  ///< the areas from Address::own on
  std::vector<Cursor> cursors_;               ///< by channel
  std::vector<int> arrived_;                  ///< by join
  std::vector<MPI_Request> waiting_;          ///< requests of all channels; owners_: where each is kept
  std::vector<std::pair<Cursor*, MPI_Request*>> owners_;
  bool done_ = true;
  bool first_moves_done_ = false;
};

}  // namespace collcast::mpi

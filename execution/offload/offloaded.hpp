// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "execution/mpi/player.hpp"
#include "execution/offload/doorbell.hpp"
#include "execution/offload/team.hpp"

namespace collcast::mpi {

/// A collective that worker processes play while the ranks compute, as the cores of a SmartNIC would. A rank
/// shares the memory of its buffers with its worker, so that nothing is copied to hand them over.
///
/// Construction and destruction are collective over the team. Ranks start() and wait() as with a Player;
/// workers serve() until all their ranks have dismissed them.
class Offloaded {
 public:
  /// Throws InputError, on all processes, unless the algorithm can serve the call. `beside`: another
  /// collective that the same workers serve for the same ranks at the same time; it outlives this.
  Offloaded(const Algorithm& algorithm, const Call& call, MPI_Datatype type, MPI_Op op, const Team& team,
            const Offloaded* beside = nullptr);
  ~Offloaded();
  Offloaded(const Offloaded&) = delete;
  Offloaded& operator=(const Offloaded&) = delete;

  /// The rank's buffers, as a Player wants them.
  std::byte* send() const { return shared_[0].send; }
  std::byte* recv() const { return shared_[0].recv; }
  /// The player that the rank would use itself.
  const Player& player() const { return *shared_[0].player; }

  void start();
  bool test() const;
  void wait() const;
  /// Waits until the play is done, but at most for `seconds`.
  void wait(double seconds) const;
  void dismiss();

  void serve();
  /// Serves several collectives that are beside each other.
  static void serve(std::span<Offloaded* const> all);

 private:
  /// How many plays a rank has requested, and how many are done.
  struct Mailbox {
    Doorbell asked, done;
    static constexpr std::uint32_t dismissed = ~std::uint32_t{0};
  };

  /// What a rank shares with its worker; a worker has one for each of its ranks.
  struct Shared {
    std::unique_ptr<Player> player;
    Mailbox* mailbox = nullptr;
    std::byte *send = nullptr, *recv = nullptr;
    std::uint32_t playing = 0;
  };

  void seat(const Algorithm& algorithm, const Call& call, MPI_Datatype type, MPI_Op op, const Team& team);
  void share(const Team& team, std::size_t extent, const Offloaded* beside);
  static bool advance(Shared& shared);
  std::byte* window_of(int process) const;
  void ask(std::uint32_t plays);

  MPI_Win window_ = MPI_WIN_NULL;
  Doorbell* worker_ = nullptr;  ///< wakes the worker
  std::vector<Shared> shared_;
};

}  // namespace collcast::mpi

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "execution/mpi/player.hpp"
#include "execution/offload/bell.hpp"
#include "execution/offload/team.hpp"

namespace collcast::mpi {

/// A collective that workers play while the ranks compute: the counterpart in software of a SmartNIC's cores.
/// A rank's buffers lie in memory that it shares with its worker, so nothing is copied to hand them over.
///
/// Made and destroyed by all processes of the team together. Ranks start() and wait() as with a Player;
/// workers serve() until all their ranks have dismissed them.
class Offloaded {
 public:
  /// Throws InputError, on all processes, unless the algorithm can serve the call. `beside`: another that the
  /// same workers serve for the same ranks, at the same time; it outlives this.
  Offloaded(const Algorithm& algorithm, const Call& call, MPI_Datatype type, MPI_Op op, const Team& team,
            const Offloaded* beside = nullptr);
  ~Offloaded();
  Offloaded(const Offloaded&) = delete;
  Offloaded& operator=(const Offloaded&) = delete;

  /// The rank's buffers, as a Player wants them.
  std::byte* send() const { return desks_[0].send; }
  std::byte* recv() const { return desks_[0].recv; }
  /// What the rank would play itself.
  const Player& player() const { return *desks_[0].player; }

  void start();
  bool test() const;
  void wait() const;
  /// Until then, or for so many seconds.
  void wait(double seconds) const;
  void dismiss();

  void serve();
  /// All of those that one is beside.
  static void serve(std::span<Offloaded* const> all);

 private:
  /// How many plays a rank has asked its worker for, and how many are done.
  struct Mailbox {
    Bell asked, done;
    static constexpr std::uint32_t dismissed = ~std::uint32_t{0};
  };

  /// What a rank shares with its worker; the worker has one of each of its ranks.
  struct Desk {
    std::unique_ptr<Player> player;
    Mailbox* mailbox = nullptr;
    std::byte *send = nullptr, *recv = nullptr;
    std::uint32_t playing = 0;
  };

  void seat(const Algorithm& algorithm, const Call& call, MPI_Datatype type, MPI_Op op, const Team& team);
  void share(const Team& team, std::size_t extent, const Offloaded* beside);
  static bool bring_on(Desk& desk);
  std::byte* of(int process) const;
  void ask(std::uint32_t plays);

  MPI_Win window_ = MPI_WIN_NULL;
  Bell* worker_ = nullptr;  ///< by which ranks wake the worker
  std::vector<Desk> desks_;
};

}  // namespace collcast::mpi

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "execution/mpi/communicator.hpp"

namespace collcast::mpi {

/// The processes of a job, divided into ranks and the workers that play collectives for them. Workers are the
/// last `workers` processes of every machine; each serves every `workers`-th rank there.
class Team {
 public:
  /// Collective over `world`. Throws InputError, on all processes, if a machine has fewer ranks than workers.
  Team(const Communicator& world, int workers);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  bool worker() const { return worker_; }
  Rank ranks() const { return static_cast<Rank>(worker_of_.size()); }
  /// The communicator of all ranks or of all workers, whichever this process is.
  const std::shared_ptr<Communicator>& peers() const { return peers_; }
  /// The processes that share this one's memory.
  MPI_Comm machine() const { return machine_; }
  /// By rank: the worker that plays for it; without workers, the rank itself.
  const std::vector<int>& worker_of() const { return worker_of_; }

  /// A rank that this worker serves, and the rank's number in `machine()`.
  struct Served {
    Rank rank;
    int on_machine;
  };
  const std::vector<Served>& served() const { return served_; }
  /// The number in `machine()` of the worker that serves this rank.
  int server() const { return server_; }

 private:
  MPI_Comm machine_ = MPI_COMM_NULL;
  bool worker_ = false;
  std::shared_ptr<Communicator> peers_;
  std::vector<int> worker_of_;
  std::vector<Served> served_;
  int server_ = -1;
};

}  // namespace collcast::mpi

// SPDX-License-Identifier: Apache-2.0
#include "execution/offload/team.hpp"

#include <algorithm>
#include <string>

#include "execution/mpi/check.hpp"
#include "execution/mpi/collective_errors.hpp"

namespace collcast::mpi {
namespace {

/// What every process tells the others: its number among ranks or workers, its number on its machine, and who
/// plays for it (by number in the world; -1: it is a worker).
struct Card {
  int among_kind, on_machine, served_by;
};

std::vector<Card> exchange(const Card& mine, const Communicator& world) {
  std::vector<Card> all(static_cast<std::size_t>(world.size()));
  check(MPI_Allgather(&mine, 3, MPI_INT, all.data(), 3, MPI_INT, world.handle()), "MPI_Allgather");
  return all;
}

}  // namespace

Team::Team(const Communicator& world, int workers) {
  int here = 0, processes = 0;
  check(MPI_Comm_split_type(world.handle(), MPI_COMM_TYPE_SHARED, world.rank(), MPI_INFO_NULL, &machine_),
        "MPI_Comm_split_type");
  check(MPI_Comm_rank(machine_, &here), "MPI_Comm_rank");
  check(MPI_Comm_size(machine_, &processes), "MPI_Comm_size");
  const int ranks_here = processes - workers;
  throw_on_all(ranks_here >= std::max(workers, 1)
                   ? ""
                   : std::to_string(workers) +
                         " workers per machine serve as many ranks or more, but of the " +
                         std::to_string(processes) + " processes on a machine only " +
                         std::to_string(std::max(0, ranks_here)) + " are left as ranks",
               world.handle());
  worker_ = here >= ranks_here;
  MPI_Comm kind;
  check(MPI_Comm_split(world.handle(), worker_, 0, &kind), "MPI_Comm_split");
  peers_ = std::make_shared<Communicator>(kind);
  check(MPI_Comm_free(&kind), "MPI_Comm_free");

  std::vector<int> on_machine(static_cast<std::size_t>(processes));
  const int in_world = world.rank();
  check(MPI_Allgather(&in_world, 1, MPI_INT, on_machine.data(), 1, MPI_INT, machine_), "MPI_Allgather");
  if (!worker_ && workers > 0) server_ = ranks_here + here % workers;
  const int by = server_ < 0 ? in_world : on_machine[static_cast<std::size_t>(server_)];
  const std::vector<Card> cards = exchange({peers_->rank(), here, worker_ ? -1 : by}, world);
  for (const Card& c : cards) {
    if (c.served_by < 0) continue;
    worker_of_.resize(std::max(worker_of_.size(), static_cast<std::size_t>(c.among_kind) + 1));
    worker_of_[static_cast<std::size_t>(c.among_kind)] =
        cards[static_cast<std::size_t>(c.served_by)].among_kind;
    if (worker_ && c.served_by == world.rank()) served_.push_back({c.among_kind, c.on_machine});
  }
}

Team::~Team() {
  peers_.reset();
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Comm_free(&machine_);
}

}  // namespace collcast::mpi

// SPDX-License-Identifier: Apache-2.0
#include "execution/offload/offloaded.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "execution/mpi/check.hpp"
#include "execution/mpi/collective_errors.hpp"

namespace collcast::mpi {
namespace {

constexpr std::size_t line = 64;

std::size_t whole_lines(std::size_t bytes) {
  return (bytes + line - 1) / line * line;
}

std::size_t extent_of(MPI_Datatype type) {
  MPI_Aint begin = 0, extent = 0;
  check(MPI_Type_get_extent(type, &begin, &extent), "MPI_Type_get_extent");
  return static_cast<std::size_t>(extent);
}

}  // namespace

Offloaded::Offloaded(const Algorithm& algorithm, const Call& call, MPI_Datatype type, MPI_Op op,
                     const Team& team, const Offloaded* beside) {
  seat(algorithm, call, type, op, team);
  share(team, extent_of(type), beside);
}

Offloaded::~Offloaded() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized && window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
}

/// Makes the players. A rank's own player tells the size of its buffers; a worker has a player for each rank
/// that it serves.
void Offloaded::seat(const Algorithm& algorithm, const Call& call, MPI_Datatype type, MPI_Op op,
                     const Team& team) {
  attempt_on_all(team.peers()->handle(), [&] {
    if (!team.worker()) {
      shared_.emplace_back().player = std::make_unique<Player>(algorithm, call, type, op, team.peers());
      return;
    }
    std::shared_ptr<Communicator> seen_by_rank;  // all ranks' players have the same tags
    for (const Team::Served& s : team.served()) {
      seen_by_rank = std::make_shared<Communicator>(team.peers(), team.worker_of(), s.rank);
      shared_.emplace_back().player = std::make_unique<Player>(algorithm, call, type, op, seen_by_rank);
    }
    if (seen_by_rank) team.peers()->pass_tags_of(*seen_by_rank);
  });
}

void Offloaded::share(const Team& team, std::size_t extent, const Offloaded* beside) {
  const auto sent = [&](const Shared& d) { return whole_lines(d.player->sent() * extent); };
  const auto received = [&](const Shared& d) { return whole_lines(d.player->received() * extent); };
  const std::size_t bytes = team.worker() ? line : line + sent(shared_[0]) + received(shared_[0]);
  static_assert(sizeof(Mailbox) <= line);
  MPI_Info info;
  check(MPI_Info_create(&info), "MPI_Info_create");
  check(MPI_Info_set(info, "alloc_shared_noncontig", "true"), "MPI_Info_set");
  std::byte* mine = nullptr;
  check(MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, info, team.machine(), &mine, &window_),
        "MPI_Win_allocate_shared");
  check(MPI_Info_free(&info), "MPI_Info_free");
  if (team.worker())
    new (mine) Doorbell;
  else
    new (mine) Mailbox;
  check(MPI_Barrier(team.machine()), "MPI_Barrier");
  worker_ =
      beside ? beside->worker_ : reinterpret_cast<Doorbell*>(team.worker() ? mine : window_of(team.server()));
  for (std::size_t i = 0; i < shared_.size(); ++i) {
    std::byte* base = team.worker() ? window_of(team.served()[i].on_machine) : mine;
    Shared& shared = shared_[i];
    shared.mailbox = reinterpret_cast<Mailbox*>(base);
    shared.send = base + line;
    shared.recv = shared.send + sent(shared);
  }
}

/// The address of a process's part of the window.
std::byte* Offloaded::window_of(int process) const {
  MPI_Aint size = 0;
  int unit = 0;
  std::byte* base = nullptr;
  check(MPI_Win_shared_query(window_, process, &size, &unit, &base), "MPI_Win_shared_query");
  return base;
}

void Offloaded::ask(std::uint32_t plays) {
  shared_[0].mailbox->asked.set(plays);
  worker_->ring();
}

void Offloaded::start() {
  ask(shared_[0].mailbox->asked.value() + 1);
}

bool Offloaded::test() const {
  const Mailbox& m = *shared_[0].mailbox;
  return m.done.value() == m.asked.value();
}

void Offloaded::wait() const {
  const Mailbox& m = *shared_[0].mailbox;
  if (!test()) m.done.wait(m.asked.value() - 1);
}

void Offloaded::wait(double seconds) const {
  const Mailbox& m = *shared_[0].mailbox;
  if (!test()) m.done.wait(m.asked.value() - 1, seconds);
}

void Offloaded::dismiss() {
  wait();
  ask(Mailbox::dismissed);
}

void Offloaded::serve() {
  serve(std::array{this});
}

void Offloaded::serve(std::span<Offloaded* const> all) {
  const auto dismissed = [](const Shared& d) { return d.playing == Mailbox::dismissed; };
  while (!std::ranges::all_of(
      all, [&](const Offloaded* o) { return std::ranges::all_of(o->shared_, dismissed); })) {
    const std::uint32_t seen = all[0]->worker_->value();
    bool busy = false;
    for (Offloaded* o : all)
      for (Shared& d : o->shared_) busy = advance(d) || busy;
    if (!busy) all[0]->worker_->wait(seen);
  }
}

/// Makes progress on a rank's play; returns whether there was anything to do.
bool Offloaded::advance(Shared& shared) {
  if (shared.playing == Mailbox::dismissed) return false;
  if (shared.playing == shared.mailbox->done.value()) {
    if (shared.mailbox->asked.value() == shared.playing) return false;
    shared.playing = shared.mailbox->asked.value();
    if (shared.playing == Mailbox::dismissed) return true;
    shared.player->start(shared.send, shared.recv);
  }
  if (shared.player->test()) shared.mailbox->done.set(shared.playing);
  return true;
}

}  // namespace collcast::mpi

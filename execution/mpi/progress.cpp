// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/progress.hpp"

#include "execution/mpi/player.hpp"

namespace collcast::mpi {

Progress& Progress::of_this_thread() {
  thread_local Progress progress;
  return progress;
}

void Progress::remove(Player& player) {
  std::erase(players_, &player);
}

void Progress::advance_all() {
  // A play that is done stays in the list until its owner notices.
  for (Player* player : players_)
    if (!player->done_) player->advance();
}

}  // namespace collcast::mpi

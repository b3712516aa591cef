// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace collcast::mpi {

class Player;

/// The plays that a thread has started and not completed. Waiting for one makes progress on all, so that
/// ranks may complete their plays in different orders.
class Progress {
 public:
  static Progress& of_this_thread();
  void add(Player& player) { players_.push_back(&player); }
  void remove(Player& player);
  bool idle() const { return players_.empty(); }
  bool only(const Player& player) const { return players_.size() == 1 && players_[0] == &player; }
  void advance_all();

 private:
  Progress() { players_.reserve(64); }

  std::vector<Player*> players_;
};

}  // namespace collcast::mpi

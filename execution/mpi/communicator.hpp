// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "execution/mpi/multicast/ip_multicast.hpp"

namespace collcast::mpi {

/// A private duplicate of a communicator, which keeps players' messages apart from the application's. MPI
/// errors become exceptions. Construction is collective; players that share a communicator are made in the
/// same order on all ranks.
class Communicator {
 public:
  explicit Communicator(MPI_Comm parent);
  /// For a process of `base` that plays for rank `rank` of another set of ranks: process `processes[r]` plays
  /// for rank r, and may play for several. Nothing is duplicated; tags continue those of `base`.
  Communicator(std::shared_ptr<const Communicator> base, std::vector<int> processes, int rank);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm handle() const { return handle_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// The MPI rank of the process that plays for a rank.
  int process(int rank) const { return base_ ? processes_[static_cast<std::size_t>(rank)] : rank; }
  /// Lanes distinguish the messages between two processes that play for several ranks.
  int lanes() const { return most_ * most_; }
  int lane(int from, int to) const;
  /// Reserves `count` tags for a new player and returns the first; tags are reused once all have been given
  /// out.
  int reserve_tags(int count);
  /// Continues the tags of another communicator made from this one, so that players of both do not share
  /// tags.
  void pass_tags_of(const Communicator& other) { next_tag_ = other.next_tag_; }

  /// Players made from now on use IP multicast for multicasts instead of one message per receiver.
  /// Collective.
  void multicast_over(const IpMulticast::Options& options) {
    multicast_ = std::make_unique<IpMulticast>(options, handle_);
  }
  /// The IP multicast; null: there is none.
  IpMulticast* multicast() const { return multicast_.get(); }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 0;
  std::shared_ptr<const Communicator> base_;
  std::vector<int> processes_;
  std::vector<int> place_;  ///< by rank: its index among the ranks of its process
  int most_ = 1;            ///< the most ranks of any process
  int next_tag_ = 0, last_tag_ = 32767;
  std::unique_ptr<IpMulticast> multicast_;
};

}  // namespace collcast::mpi

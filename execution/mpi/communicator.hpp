// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "execution/mpi/multicast/ip_multicast.hpp"

namespace collcast::mpi {

/// A private duplicate of a communicator, so that players never meet the application's messages. Its errors
/// come back as exceptions. Making one is collective; players that share one are made in the same order on
/// all ranks.
class Communicator {
 public:
  explicit Communicator(MPI_Comm parent);
  /// For a process of `base` that plays for rank `rank` of others: rank r's messages are those of process
  /// `processes[r]`, which may play for several. Nothing is duplicated; tags go on where `base` is.
  Communicator(std::shared_ptr<const Communicator> base, std::vector<int> processes, int rank);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm handle() const { return handle_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// The process, in MPI's numbers, that plays for a rank.
  int process(int rank) const { return base_ ? processes_[static_cast<std::size_t>(rank)] : rank; }
  /// Messages between two processes that play for several ranks are told apart by lanes.
  int lanes() const { return most_ * most_; }
  int lane(int from, int to) const;
  /// The first of `count` tags of a new player; they come round again when all have been given.
  int reserve_tags(int count);
  /// Goes on where another made of this one is, so that players of both are told apart.
  void pass_tags_of(const Communicator& other) { next_tag_ = other.next_tag_; }

  /// Players made from now on play multicasts as IP multicasts, not as one message to each receiver.
  /// Collective.
  void multicast_over(const IpMulticast::Options& options) {
    multicast_ = std::make_unique<IpMulticast>(options, handle_);
  }
  /// Null: there is none.
  IpMulticast* multicast() const { return multicast_.get(); }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 0;
  std::shared_ptr<const Communicator> base_;
  std::vector<int> processes_;
  std::vector<int> place_;  ///< of a rank among those of its process
  int most_ = 1;            ///< ranks of a process
  int next_tag_ = 0, last_tag_ = 32767;
  std::unique_ptr<IpMulticast> multicast_;
};

}  // namespace collcast::mpi

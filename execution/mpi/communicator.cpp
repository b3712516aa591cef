// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/communicator.hpp"

#include <algorithm>
#include <utility>

#include "execution/mpi/check.hpp"

namespace collcast::mpi {

Communicator::Communicator(MPI_Comm parent) {
  check(MPI_Comm_dup(parent, &handle_), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(handle_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(handle_, &size_), "MPI_Comm_size");
  int* bound = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found), "MPI_Comm_get_attr");
  if (found) last_tag_ = *bound;
}

Communicator::Communicator(std::shared_ptr<const Communicator> base, std::vector<int> processes, int rank)
    : handle_(base->handle_),
      rank_(rank),
      size_(static_cast<int>(processes.size())),
      base_(std::move(base)),
      processes_(std::move(processes)),
      next_tag_(base_->next_tag_),
      last_tag_(base_->last_tag_) {
  std::vector<int> so_far(static_cast<std::size_t>(base_->size_));
  for (int process : processes_) place_.push_back(so_far[static_cast<std::size_t>(process)]++);
  most_ = *std::ranges::max_element(so_far);
}

int Communicator::lane(int from, int to) const {
  return base_ ? place_[static_cast<std::size_t>(from)] * most_ + place_[static_cast<std::size_t>(to)] : 0;
}

Communicator::~Communicator() {
  if (base_) return;
  multicast_.reset();
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Comm_free(&handle_);
}

int Communicator::reserve_tags(int count) {
  if (next_tag_ > last_tag_ - count) next_tag_ = 0;
  return std::exchange(next_tag_, next_tag_ + count);
}

}  // namespace collcast::mpi

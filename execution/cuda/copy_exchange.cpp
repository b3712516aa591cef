// SPDX-License-Identifier: Apache-2.0
#include "execution/cuda/exchange.hpp"
#include "execution/mpi/check.hpp"

namespace collcast::cuda {
namespace {

/// The receiver tells the sender where to write. The sender copies, then tells the receiver that it is done.
class CopyExchange final : public Exchange {
 public:
  CopyExchange(Device& device, const mpi::Communicator& communicator, int tag)
      : device_(device), communicator_(communicator.handle()), invitation_tag_(tag), notice_tag_(tag + 1) {}

  void start(std::span<const Parcel> receives, std::span<const Parcel> sends) override {
    requests_.clear();
    invitations_.resize(receives.size());
    for (std::size_t i = 0; i < receives.size(); ++i) {
      const Parcel& p = receives[i];
      if (p.count != 0) invitations_[i] = device_.share(p.at);
      mpi::check(MPI_Irecv(nullptr, 0, MPI_BYTE, p.peer, notice_tag_, communicator_, &request()),
                 "MPI_Irecv");
      mpi::check(MPI_Isend(&invitations_[i], sizeof(Handle), MPI_BYTE, p.peer, invitation_tag_, communicator_,
                           &request()),
                 "MPI_Isend");
    }
    while (sends_.size() < sends.size()) sends_.push_back({device_.queue()});
    under_way_ = sends.size();
    for (std::size_t i = 0; i < sends.size(); ++i) {
      Send& s = sends_[i];
      s.parcel = sends[i];
      s.stage = Send::Stage::invited;
      mpi::check(MPI_Irecv(&s.to, sizeof(Handle), MPI_BYTE, s.parcel.peer, invitation_tag_, communicator_,
                           &s.invitation),
                 "MPI_Irecv");
    }
  }

  bool done() override {
    std::size_t copied = 0;
    for (std::size_t i = 0; i < under_way_; ++i) copied += advance(sends_[i]);
    if (copied < under_way_) return false;
    int all = 0;
    mpi::check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE),
               "MPI_Testall");
    return all != 0;
  }

 private:
  struct Send {
    std::unique_ptr<Queue> queue;
    Parcel parcel{};
    Handle to{};
    MPI_Request invitation = MPI_REQUEST_NULL;
    enum class Stage : std::uint8_t { invited, copying, copied } stage = Stage::copied;
  };

  bool advance(Send& s) {
    if (s.stage == Send::Stage::invited) {
      int here = 0;
      mpi::check(MPI_Test(&s.invitation, &here, MPI_STATUS_IGNORE), "MPI_Test");
      if (!here) return false;
      if (s.parcel.count != 0) s.queue->copy(device_.open(s.to), s.parcel.at, s.parcel.bytes());
      s.stage = Send::Stage::copying;
    }
    if (s.stage == Send::Stage::copying && s.queue->idle()) {
      mpi::check(MPI_Isend(nullptr, 0, MPI_BYTE, s.parcel.peer, notice_tag_, communicator_, &request()),
                 "MPI_Isend");
      s.stage = Send::Stage::copied;
    }
    return s.stage == Send::Stage::copied;
  }

  MPI_Request& request() { return requests_.emplace_back(MPI_REQUEST_NULL); }

  Device& device_;
  MPI_Comm communicator_;
  int invitation_tag_, notice_tag_;
  std::vector<Handle> invitations_;
  std::vector<Send> sends_;
  std::size_t under_way_ = 0;
  std::vector<MPI_Request> requests_;  ///< requests of invitations out, and of notices in and out
};

}  // namespace

std::unique_ptr<Exchange> copy_exchange(Device& device, const mpi::Communicator& communicator, int tag) {
  return std::make_unique<CopyExchange>(device, communicator, tag);
}

}  // namespace collcast::cuda

// SPDX-License-Identifier: Apache-2.0
#include "execution/offload/trial.hpp"

#include <cmath>
#include <cstring>

#include "execution/check/reference.hpp"
#include "execution/check/values.hpp"
#include "execution/mpi/collective_errors.hpp"
#include "execution/offload/offloaded.hpp"

namespace collcast::mpi {
namespace {

/// One call that the rank itself or its worker plays.
class Subject {
 public:
  Subject(const Algorithm& algorithm, const Call& call, const Team& team, bool offloaded)
      : ranks_(*team.peers()) {
    const bool words = std::llround(call.message.value) % 4 == 0;
    type_ = words ? MPI_INT32_T : MPI_UINT8_T;
    size_ = words ? 4 : 1;
    if (offloaded) {
      offloaded_ = std::make_unique<Offloaded>(algorithm, call, type_, MPI_SUM, team);
      if (team.worker()) return;
      send_ = offloaded_->send(), recv_ = offloaded_->recv();
    } else {
      own_ = std::make_unique<Player>(algorithm, call, type_, MPI_SUM, team.peers());
      buffers_.resize((own_->sent() + own_->received()) * size_);
      send_ = buffers_.data(), recv_ = send_ + own_->sent() * size_;
      own_->bind(send_, recv_);
    }
    fill(send_, player().sent() * size_, words, ranks_.rank(),
         definition(algorithm.collective).reduces ? ranks_.size() : 1);
  }

  void serve() { offloaded_->serve(); }
  void dismiss() {
    if (offloaded_) offloaded_->dismiss();
  }
  void start() { offloaded_ ? offloaded_->start() : own_->start(); }
  void wait() { offloaded_ ? offloaded_->wait() : own_->wait(); }

  /// Where the result differs from the MPI library's; empty if it does not.
  std::string wrong() {
    start(), wait();
    std::vector<std::byte> wanted(player().received() * size_);
    reference(player().part(), player().elements(), player().blocks(), send_, wanted.data(), type_, MPI_SUM,
              ranks_.handle());
    for (std::size_t i = 0; i < wanted.size(); i += size_) {
      if (std::memcmp(&recv_[i], &wanted[i], size_) == 0) continue;
      return "element " + std::to_string(i / size_) + " of rank " + std::to_string(ranks_.rank()) + " is " +
             number(&recv_[i]) + ", should be " + number(&wanted[i]);
    }
    return "";
  }

 private:
  const Player& player() const { return own_ ? *own_ : offloaded_->player(); }
  std::string number(const std::byte* at) const {
    std::int32_t value = std::to_integer<std::int32_t>(*at);
    if (size_ == sizeof value) std::memcpy(&value, at, size_);
    return std::to_string(value);
  }

  const Communicator& ranks_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::size_t size_ = 1;
  std::unique_ptr<Offloaded> offloaded_;
  std::unique_ptr<Player> own_;
  std::vector<std::byte> buffers_;
  std::byte *send_ = nullptr, *recv_ = nullptr;
};

}  // namespace

Trial try_overlap(const Algorithm& algorithm, const Call& call, const Team& team, bool check, int repetitions,
                  const Communicator& world, const SharedClock& clock) {
  Subject subject(algorithm, call, team, world.size() != team.ranks());
  Trial trial;
  if (team.worker()) {
    subject.serve();
  } else {
    if (check) trial.wrong = first_text(subject.wrong(), team.peers()->handle());
    if (trial.wrong.empty())
      trial.overlap = measure_overlap([&] { subject.start(); }, [&] { subject.wait(); }, repetitions,
                                      *team.peers(), clock);
    subject.dismiss();
  }
  trial.wrong = first_text(trial.wrong, world.handle());
  return trial;
}

}  // namespace collcast::mpi

// SPDX-License-Identifier: Apache-2.0
#include "replay/mpi/program/overlap.hpp"

#include <cmath>
#include <cstring>

#include "model/error.hpp"
#include "replay/mpi/offload/forecast.hpp"
#include "replay/mpi/offload/offloaded.hpp"
#include "replay/mpi/reference.hpp"
#include "replay/mpi/together.hpp"

namespace collcast::mpi {
namespace {

/// One call, played by the rank itself or by its worker.
class Subject {
 public:
  Subject(const Job& job, const Team& team, bool offloaded) : ranks_(*team.peers()) {
    const bool words = std::llround(job.call.message.value) % 4 == 0;
    type_ = words ? MPI_INT32_T : MPI_UINT8_T;
    size_ = words ? 4 : 1;
    if (offloaded) {
      offloaded_ = std::make_unique<Offloaded>(*job.algorithm, job.call, type_, MPI_SUM, team);
      if (team.worker()) return;
      send_ = offloaded_->send(), recv_ = offloaded_->recv();
    } else {
      own_ = std::make_unique<Player>(*job.algorithm, job.call, type_, MPI_SUM, team.peers());
      buffers_.resize((own_->sent() + own_->received()) * size_);
      send_ = buffers_.data(), recv_ = send_ + own_->sent() * size_;
      own_->bind(send_, recv_);
    }
    for (std::size_t i = 0; i < player().sent() * size_; ++i)
      send_[i] = std::byte(i % 7 + (ranks_.rank() % 9));
  }

  void serve() { offloaded_->serve(); }
  void dismiss() {
    if (offloaded_) offloaded_->dismiss();
  }
  void start() { offloaded_ ? offloaded_->start() : own_->start(); }
  void wait() { offloaded_ ? offloaded_->wait() : own_->wait(); }

  /// Says where the result differs from the MPI library's; empty if nowhere.
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

/// The words of the first process that has some, on all.
std::string agreed(const std::string& words, const Communicator& processes) {
  try {
    refuse_together(words, processes.handle());
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

std::vector<OverlapOutcome> measure_overlaps(const Options& options, const ImportedAlgorithm* imported,
                                             const Communicator& world) {
  const Team team(world, options.workers);
  const SharedClock clock(world);
  const std::vector<Job> all = jobs(options, imported, team.ranks());
  Bytes large;
  for (const Job& job : all) large = std::max(large, job.call.message);
  const OverlapModel model = probe_overlap(world, team, std::min(large, Bytes(4 << 20)), clock);
  std::vector<OverlapOutcome> outcomes;
  for (const Job& job : all) {
    Subject subject(job, team, options.workers > 0);
    std::string wrong;
    if (team.worker()) {
      subject.serve();
    } else {
      if (options.check) wrong = agreed(subject.wrong(), *team.peers());
      OverlapOutcome outcome{job, predict_overlap(model, *job.algorithm, job.call), {}, options.check};
      if (wrong.empty())
        outcome.measured = measure_overlap([&] { subject.start(); }, [&] { subject.wait(); },
                                           options.repetitions, *team.peers(), clock);
      subject.dismiss();
      outcomes.push_back(outcome);
    }
    if (wrong = agreed(wrong, world); !wrong.empty())
      throw WrongResult(full_name(*job.algorithm) + " is wrong: " + wrong);
  }
  return outcomes;
}

}  // namespace collcast::mpi

// SPDX-License-Identifier: Apache-2.0
#include "replay/mpi/timing.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "replay/mpi/check.hpp"

namespace collcast::mpi {
namespace {

constexpr int ping_pongs = 50;

bool on_one_machine(const Communicator& communicator) {
  MPI_Comm machine;
  int ranks = 0;
  check(MPI_Comm_split_type(communicator.handle(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
        "MPI_Comm_split_type");
  check(MPI_Comm_size(machine, &ranks), "MPI_Comm_size");
  check(MPI_Comm_free(&machine), "MPI_Comm_free");
  int all = ranks == communicator.size();
  check(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, communicator.handle()), "MPI_Allreduce");
  return all != 0;
}

/// Sleeps no rank's processor away from another until shortly before the time comes.
void wait_until(double time, const SharedClock& clock) {
  constexpr double spin = 20e-6;
  while (clock.now() < time - spin) std::this_thread::yield();
  while (clock.now() < time) {
  }
}

/// One repetition after the other, of which some may have begun late.
class Series {
 public:
  Series(const std::function<void()>& play, const Communicator& communicator, const SharedClock& clock)
      : play_(play), communicator_(communicator), clock_(clock) {
    for (int i = 0; i < 2; ++i) {
      const double begin = clock_.now();
      announce(begin);
      lead_ = std::max(lead_, 4 * (clock_.now() - begin));
      play_();
    }
    check(MPI_Allreduce(MPI_IN_PLACE, &lead_, 1, MPI_DOUBLE, MPI_MAX, communicator_.handle()),
          "MPI_Allreduce");
  }

  /// Appends the punctual repetitions of `count` to `good`, and the others to `late`.
  void run(int count, std::vector<double>& good, std::vector<double>& late) {
    std::vector<double> lateness, time;
    for (int i = 0; i < count; ++i) {
      const double begin = announce(clock_.now() + lead_);
      wait_until(begin, clock_);
      lateness.push_back(clock_.now() - begin);
      play_();
      time.push_back(clock_.now() - begin);
    }
    largest(lateness);
    largest(time);
    for (std::size_t i = 0; i < time.size(); ++i)
      (lateness[i] <= std::max(1e-6, 0.01 * time[i]) ? good : late).push_back(time[i]);
    lead_ = std::min(2 * lead_, 0.05);
  }

 private:
  double announce(double begin) const {
    check(MPI_Bcast(&begin, 1, MPI_DOUBLE, 0, communicator_.handle()), "MPI_Bcast");
    return begin;
  }
  void largest(std::vector<double>& values) const {
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                        communicator_.handle()),
          "MPI_Allreduce");
  }

  const std::function<void()>& play_;
  const Communicator& communicator_;
  const SharedClock& clock_;
  double lead_ = 20e-6;
};

}  // namespace

double SharedClock::now() const {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count() + offset_;
}

SharedClock::SharedClock(const Communicator& communicator) {
  if (on_one_machine(communicator)) return;
  if (communicator.rank() != 0)
    offset_ = ask_rank_0(communicator);
  else
    answer(communicator);
}

double SharedClock::ask_rank_0(const Communicator& communicator) const {
  double best = std::numeric_limits<double>::infinity(), offset = 0;
  for (int i = 0; i < ping_pongs; ++i) {
    double theirs = 0;
    const double begin = now();
    check(MPI_Send(&begin, 1, MPI_DOUBLE, 0, 0, communicator.handle()), "MPI_Send");
    check(MPI_Recv(&theirs, 1, MPI_DOUBLE, 0, 0, communicator.handle(), MPI_STATUS_IGNORE), "MPI_Recv");
    const double end = now();
    if (end - begin >= best) continue;
    best = end - begin;
    offset = theirs - (begin + end) / 2;
  }
  return offset;
}

void SharedClock::answer(const Communicator& communicator) const {
  for (int rank = 1; rank < communicator.size(); ++rank)
    for (int i = 0; i < ping_pongs; ++i) {
      double time = 0;
      check(MPI_Recv(&time, 1, MPI_DOUBLE, rank, 0, communicator.handle(), MPI_STATUS_IGNORE), "MPI_Recv");
      time = now();
      check(MPI_Send(&time, 1, MPI_DOUBLE, rank, 0, communicator.handle()), "MPI_Send");
    }
}

double Times::median() const {
  const std::size_t half = seconds.size() / 2;
  return seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
}

Times measure(const std::function<void()>& play, int repetitions, const Communicator& communicator,
              const SharedClock& clock) {
  constexpr int attempts = 8;
  const auto wanted = static_cast<std::size_t>(repetitions);
  std::vector<double> late;
  Times times;
  Series series(play, communicator, clock);
  for (int i = 0; i < attempts && times.seconds.size() < wanted; ++i)
    series.run(static_cast<int>(wanted - times.seconds.size()), times.seconds, late);
  if (times.seconds.size() < wanted) {
    times.late = static_cast<int>(wanted - times.seconds.size());
    times.seconds.insert(times.seconds.end(), late.end() - times.late, late.end());
  }
  std::ranges::sort(times.seconds);
  return times;
}

}  // namespace collcast::mpi

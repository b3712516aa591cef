// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/timing.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include "execution/mpi/check.hpp"

namespace collcast::mpi {
namespace {

constexpr int ping_pongs = 50;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A text that identifies this boot of the kernel, the same in all its namespaces.
std::string boot() {
  std::string id;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
  return id;
}

/// How many ranks run under the same kernel as this one.
int ranks_on_this_kernel(const Communicator& communicator) {
  constexpr std::size_t length = 37;
  std::string mine = boot();
  mine.resize(length);
  std::string all(length * static_cast<std::size_t>(communicator.size()), '\0');
  check(MPI_Allgather(mine.data(), length, MPI_CHAR, all.data(), length, MPI_CHAR, communicator.handle()),
        "MPI_Allgather");
  int same = 0;
  for (std::size_t at = 0; at < all.size(); at += length) same += all.compare(at, length, mine) == 0;
  return same;
}

bool on_any(bool condition, const Communicator& communicator) {
  int any = condition;
  check(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, communicator.handle()), "MPI_Allreduce");
  return any != 0;
}

/// Runs repetitions one after the other, some of which may begin late.
class Series {
 public:
  Series(const std::function<void()>& play, const Communicator& communicator, const SharedClock& clock)
      : play_(play), communicator_(communicator), clock_(clock) {
    double took = 0;
    for (int i = 0; i < 2 && took <= soon; ++i) {
      meet();
      const double begin = clock_.now();
      announce(begin);
      lead_ = std::max(lead_, 4 * (clock_.now() - begin));
      play_();
      took = largest(clock_.now() - begin);
    }
    lead_ = std::min(largest(lead_), longest_lead);
    std::vector<double> ignored;
    if (clock_.crowded() && took <= soon) run(1, ignored, ignored);  // to find the head start
  }

  /// Appends the punctual repetitions of `count` to `good`, and the others to `late`.
  void run(int count, std::vector<double>& good, std::vector<double>& late) {
    std::vector<double> heard_late, lateness, time;
    for (int i = 0; i < count; ++i) {
      meet();
      const double begin = announce(clock_.now() + lead_);
      heard_late.push_back(clock_.now() - (begin - head_start_));
      clock_.wait_until(begin - head_start_);
      lateness.push_back(clock_.now() - begin);
      play_();
      time.push_back(clock_.now() - begin);
    }
    largest(heard_late);
    largest(lateness);
    largest(time);
    for (std::size_t i = 0; i < time.size(); ++i) {
      // If all began before the agreed instant, the time counts from the last beginning.
      time[i] -= std::min(0.0, lateness[i]);
      (lateness[i] <= allowed(time[i]) ? good : late).push_back(time[i]);
    }
    if (*std::ranges::max_element(heard_late) > 0) lead_ = std::min(2 * lead_, longest_lead);
    std::ranges::sort(lateness);
    if (clock_.crowded())
      head_start_ = std::clamp((head_start_ + median_of_sorted(lateness)) / 2, 0.0, lead_ / 2);
  }

 private:
  static constexpr double longest_lead = 0.5;
  /// [s] A longer play needs only one warm-up, and a late start hardly changes its time.
  static constexpr double soon = 0.3;

  /// The lateness allowed [s]: ranks that share processors cannot be on time to a microsecond.
  double allowed(double time) const { return std::max(clock_.crowded() ? 2e-4 : 1e-6, 0.01 * time); }

  /// Waits until all ranks have finished the last repetition, so that no rank learns late of the next one.
  void meet() const { check(MPI_Barrier(communicator_.handle()), "MPI_Barrier"); }
  double announce(double begin) const {
    check(MPI_Bcast(&begin, 1, MPI_DOUBLE, 0, communicator_.handle()), "MPI_Bcast");
    return begin;
  }
  void largest(std::vector<double>& values) const {
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                        communicator_.handle()),
          "MPI_Allreduce");
  }
  double largest(double value) const {
    std::vector<double> one{value};
    largest(one);
    return one[0];
  }

  const std::function<void()>& play_;
  const Communicator& communicator_;
  const SharedClock& clock_;
  double lead_ = 20e-6;
  /// Ranks that share processors begin one after another: how long before the instant the first one does, and
  /// how long after it the last one.
  double head_start_ = 0;
};

}  // namespace

double SharedClock::now() const {
  return steady_seconds() + offset_;
}

void SharedClock::wait_until(double time) const {
  constexpr double spin = 100e-6;
  const double sleep = time - now() - (crowded_ ? 0 : spin);
  if (sleep > 0) std::this_thread::sleep_for(std::chrono::duration<double>(sleep));
  while (now() < time) {
  }
}

SharedClock::SharedClock(const Communicator& communicator) {
  const int together = ranks_on_this_kernel(communicator);
  crowded_ = on_any(together > sysconf(_SC_NPROCESSORS_ONLN), communicator);
  if (!on_any(together < communicator.size(), communicator)) return;
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

Times measure(const std::function<void()>& play, const Effort& effort, const Communicator& communicator,
              const SharedClock& clock) {
  constexpr int attempts = 8;
  std::vector<double> late;
  Times times;
  double played = 0;
  int fruitless = 0;
  Series series(play, communicator, clock);
  while (const int count = wanted(times, effort, played)) {
    const std::size_t before = times.seconds.size(), late_before = late.size();
    series.run(count, times.seconds, late);
    for (std::size_t i = before; i < times.seconds.size(); ++i) played += times.seconds[i];
    for (std::size_t i = late_before; i < late.size(); ++i) played += late[i];
    fruitless = times.seconds.size() - before < static_cast<std::size_t>(count) ? fruitless + 1 : 0;
    if (fruitless == attempts) {
      const std::size_t missing = static_cast<std::size_t>(effort.least) -
                                  std::min(times.seconds.size(), static_cast<std::size_t>(effort.least));
      times.late = static_cast<int>(std::min(missing, late.size()));
      times.seconds.insert(times.seconds.end(), late.end() - times.late, late.end());
      break;
    }
    std::ranges::sort(times.seconds);
  }
  std::ranges::sort(times.seconds);
  return times;
}

}  // namespace collcast::mpi

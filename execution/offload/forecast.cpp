// SPDX-License-Identifier: Apache-2.0
#include "execution/offload/forecast.hpp"

#include <array>

#include "algorithms/catalogue.hpp"
#include "execution/mpi/check.hpp"
#include "execution/offload/offloaded.hpp"
#include "model/critical_path.hpp"
#include "model/overlap_without_workers.hpp"

namespace collcast::mpi {
namespace {

constexpr int repetitions = 11;

double median(std::vector<double> v) {
  std::ranges::sort(v);
  return v[v.size() / 2];
}

double seconds(const SharedClock& clock, const std::function<void()>& act) {
  const double begin = clock.now();
  act();
  return clock.now() - begin;
}

/// Measures between processes 0 and 1 of a communicator; the others are idle.
class Pair {
 public:
  Pair(const Communicator& processes, std::size_t most)
      : comm_(processes.handle()), rank_(processes.rank()), buffer_(most) {}

  bool first() const { return rank_ == 0; }
  bool second() const { return rank_ == 1; }
  void send(std::size_t bytes, int to) {
    check(MPI_Send(buffer_.data(), static_cast<int>(bytes), MPI_BYTE, to, 0, comm_), "MPI_Send");
  }
  void receive(std::size_t bytes, int from) {
    check(MPI_Recv(buffer_.data(), static_cast<int>(bytes), MPI_BYTE, from, 0, comm_, MPI_STATUS_IGNORE),
          "MPI_Recv");
  }

  /// The time of one way [s].
  double latency(std::size_t bytes, const SharedClock& clock) {
    std::vector<double> times;
    for (int i = 0; i <= repetitions; ++i) {
      if (first()) times.push_back(seconds(clock, [&] { send(bytes, 1), receive(bytes, 1); }) / 2);
      if (second()) receive(bytes, 0), send(bytes, 0);
    }
    if (first()) times.erase(times.begin());  // the first was not warm
    return first() ? median(times) : 0;
  }

  /// Whether a send of this size returns although its receive is posted late.
  bool eager(std::size_t bytes, double lateness, const SharedClock& clock) {
    double took = 0;
    if (first()) {
      receive(0, 1);
      took = seconds(clock, [&] { send(bytes, 1); });
    }
    if (second()) {
      send(0, 0);
      clock.wait_until(clock.now() + lateness);
      receive(bytes, 0);
    }
    return first() && took < lateness / 2;
  }

  /// The largest power of two that is sent eagerly, up to the buffer's size.
  std::size_t eager_limit(double latency, const SharedClock& clock) {
    std::size_t limit = 0;
    for (std::size_t bytes = 1; bytes <= buffer_.size(); bytes *= 2) {
      int is = eager(bytes, 10e-3 + 4 * latency, clock);
      check(MPI_Bcast(&is, 1, MPI_INT, 0, comm_), "MPI_Bcast");
      if (!is) break;
      limit = bytes;
    }
    return limit;
  }

 private:
  MPI_Comm comm_;
  int rank_;
  std::vector<std::byte> buffer_;
};

Seconds reduction_per_megabyte(const SharedClock& clock) {
  std::vector<float> from(262144, 1), to(262144, 1);
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i)
    times.push_back(seconds(clock, [&] {
      check(MPI_Reduce_local(from.data(), to.data(), 262144, MPI_FLOAT, MPI_SUM), "MPI_Reduce_local");
    }));
  return Seconds(median(times));
}

LogGP probe_network(const Communicator& processes, Bytes large, const SharedClock& clock) {
  constexpr Bytes megabyte = Bytes(1048576);
  LogGP m;
  m.gamma = reduction_per_megabyte(clock) / megabyte;
  if (processes.size() == 1) return m;
  const auto bytes = static_cast<std::size_t>(std::max(65536.0, large.value));
  Pair pair(processes, bytes);
  m.L = Seconds(pair.latency(1, clock));
  const Seconds whole(pair.latency(bytes, clock));
  m.S = Bytes(static_cast<double>(pair.eager_limit(m.L.value, clock)));
  const bool eager = static_cast<double>(bytes) <= m.S.value;
  m.G = std::max(whole - (eager ? 1 : 3) * m.L, Seconds{}) / Bytes(static_cast<double>(bytes));
  return m;
}

/// A collective in which nothing moves.
Algorithm nothing() {
  Algorithm a = algorithm(Collective::barrier, "dissemination");
  a.schedule = [](const Call& call) {
    return Schedule{call.ranks, algorithm(Collective::barrier, "dissemination").schedule(call).blocks, 0,
                    [](std::int64_t, Step&) {}};
  };
  return a;
}

void probe_worker(const Team& team, const SharedClock& clock, OverlapModel& model) {
  Call call;
  call.ranks = team.ranks();
  Offloaded empty(nothing(), call, MPI_BYTE, MPI_BOR, team);
  if (team.worker()) return empty.serve();
  std::vector<double> starts, all;
  for (int i = 0; i < 10 * repetitions; ++i) {
    starts.push_back(seconds(clock, [&] { empty.start(); }));
    all.push_back(starts.back() + seconds(clock, [&] { empty.wait(); }));
  }
  empty.dismiss();
  model.handoff = {Seconds(median(starts)), Seconds(median(all))};
}

}  // namespace

OverlapModel probe_overlap(const Communicator& world, const Team& team, Bytes large,
                           const SharedClock& clock) {
  OverlapModel model;
  model.workers = world.size() != team.ranks();
  if (model.workers) probe_worker(team, clock, model);
  // A worker that plays for all has no peer. Its messages to itself are taken to cost as much as those
  // between two processes.
  const bool lone = model.workers && world.size() - team.ranks() == 1;
  if (lone)
    model.network = probe_network(world, large, clock);
  else if (team.worker() == model.workers)
    model.network = probe_network(*team.peers(), large, clock);
  LogGP& n = model.network;
  // Some processes measure these; all get them.
  std::array<double, 6> values{
      n.L.value, n.G.value, n.gamma.value, n.S.value, model.handoff.start.value, model.handoff.all.value};
  if (!lone && team.worker() != model.workers) values[3] = 0;
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), 6, MPI_DOUBLE, MPI_MAX, world.handle()), "MPI_Allreduce");
  n = {Seconds(values[0]), {}, {}, SecondsPerByte(values[1]), SecondsPerByte(values[2]), Bytes(values[3])};
  model.handoff = {Seconds(values[4]), Seconds(values[5])};
  return model;
}

Overlap predict_overlap(const OverlapModel& model, const Algorithm& algorithm, const Call& call) {
  const Schedule schedule = algorithm.schedule(call);
  const Layout sizes = layout(algorithm, call, schedule);
  const UniformNetwork network(model.network, call.ranks);
  return model.workers ? overlap_with_workers(critical_path(schedule, sizes, network).time, model.handoff)
                       : overlap_without_workers(schedule, sizes, network);
}

}  // namespace collcast::mpi

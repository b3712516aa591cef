// SPDX-License-Identifier: Apache-2.0
// What the MPI player costs beyond hand-written MPI code of the same algorithm. Both run in one process,
// taking turns.
//
//   mpirun -np 2 mpi_overhead [--check]
//
// Prints the median time of each, and the medians over neighbouring turns of their ratio and of the extra
// time per message. --check: exits with 1 unless the player costs at most 5 % from 64 KiB on and at most 1 us
// per message below.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "execution/mpi/player.hpp"

namespace {

using collcast::mpi::Communicator;
using Values = std::vector<double>;

struct World {
  MPI_Comm comm;
  int rank, size;
};

/// Ring allreduce, written by hand with care: only MPI copies messages, and own values are added to received
/// ones in place. Elements of block b are [floor(b n / p), floor((b + 1) n / p)).
void ring(const World& w, const double* send, double* recv, double*, std::size_t n) {
  const auto p = static_cast<std::size_t>(w.size);
  const int right = (w.rank + 1) % w.size, left = (w.rank + w.size - 1) % w.size;
  auto begin = [&](std::size_t b) { return b * n / p; };
  auto size = [&](std::size_t b) { return static_cast<int>(begin(b + 1) - begin(b)); };
  auto block = [&](int b) { return static_cast<std::size_t>(((b % w.size) + w.size) % w.size); };
  for (int s = 0; s < w.size - 1; ++s) {
    const std::size_t out = block(w.rank - s - 1), in = block(w.rank - s - 2);
    MPI_Sendrecv((s == 0 ? send : recv) + begin(out), size(out), MPI_DOUBLE, right, 0, recv + begin(in),
                 size(in), MPI_DOUBLE, left, 0, w.comm, MPI_STATUS_IGNORE);
    MPI_Reduce_local(send + begin(in), recv + begin(in), size(in), MPI_DOUBLE, MPI_SUM);
  }
  for (int s = 0; s < w.size - 1; ++s) {
    const std::size_t out = block(w.rank - s), in = block(w.rank - s - 1);
    MPI_Sendrecv(recv + begin(out), size(out), MPI_DOUBLE, right, 0, recv + begin(in), size(in), MPI_DOUBLE,
                 left, 0, w.comm, MPI_STATUS_IGNORE);
  }
}

/// Recursive doubling over a power of two of ranks, written by hand with the same care.
void doubling(const World& w, const double* send, double* recv, double* spare, std::size_t n) {
  const int count = static_cast<int>(n);
  for (int distance = 1; distance < w.size; distance *= 2) {
    const bool first = distance == 1;
    const int other = w.rank ^ distance;
    MPI_Sendrecv(first ? send : recv, count, MPI_DOUBLE, other, 0, first ? recv : spare, count, MPI_DOUBLE,
                 other, 0, w.comm, MPI_STATUS_IGNORE);
    MPI_Reduce_local(first ? send : spare, recv, count, MPI_DOUBLE, MPI_SUM);
  }
}

struct Subject {
  const char* algorithm;
  void (*by_hand)(const World&, const double*, double*, double*, std::size_t);
  int messages;  ///< that each rank sends
};

double median(std::vector<double> v) {
  std::ranges::nth_element(v, v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2));
  return v[v.size() / 2];
}

/// Seconds per call, over `calls` calls in a row. The collective itself keeps the ranks in step.
template <class Call>
double time(const World& w, int calls, Call call) {
  MPI_Barrier(w.comm);
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i) call();
  return (MPI_Wtime() - begin) / calls;
}

struct Comparison {
  double by_hand, player, ratio, extra;
};

/// Medians over rounds that time both, each going first in every second round.
template <class Hand, class Play>
Comparison compare(const World& w, int calls, int messages, Hand by_hand, Play by_player) {
  std::vector<double> hand, player, ratios, extras;
  for (int round = 0; round < 61; ++round) {
    const bool hand_first = round % 2 == 0;
    if (hand_first) hand.push_back(time(w, calls, by_hand));
    player.push_back(time(w, calls, by_player));
    if (!hand_first) hand.push_back(time(w, calls, by_hand));
    ratios.push_back(player.back() / hand.back());
    extras.push_back((player.back() - hand.back()) / messages);
  }
  Comparison c{median(hand), median(player), median(ratios), median(extras)};
  MPI_Bcast(&c, 4, MPI_DOUBLE, 0, w.comm);
  return c;
}

bool within_bars(const Comparison& c, std::size_t bytes) {
  return bytes >= 65536 ? c.ratio <= 1.05 : c.extra <= 1e-6;
}

/// A point that exceeds its limit is measured again, at most twice, as other programs may use this machine.
bool compare(const World& w, const Subject& subject, std::size_t n) {
  Values send(n, w.rank + 1.0), hand(n), played(n), spare(n);
  collcast::Call call;
  call.message = collcast::Bytes(static_cast<double>(n * sizeof(double)));
  collcast::mpi::Player player(collcast::algorithm(collcast::Collective::allreduce, subject.algorithm), call,
                               MPI_DOUBLE, MPI_SUM, w.comm);
  auto by_hand = [&] { subject.by_hand(w, send.data(), hand.data(), spare.data(), n); };
  auto by_player = [&] { player.run(send.data(), played.data()); };
  const int calls = static_cast<int>(std::clamp<std::size_t>((1 << 20) / (n * 8 + 1024), 1, 400));
  time(w, calls, by_hand), time(w, calls, by_player);
  Comparison c{};
  int attempts = 0;
  do c = compare(w, calls, subject.messages, by_hand, by_player);
  while (!within_bars(c, n * sizeof(double)) && ++attempts < 3);
  const bool good = hand == played && within_bars(c, n * sizeof(double));
  if (w.rank == 0)
    std::printf("%-20s %10zu B %12.2f us %12.2f us %8.3f %+10.3f us/message  %s%s\n", subject.algorithm,
                n * 8, c.by_hand * 1e6, c.player * 1e6, c.ratio, c.extra * 1e6, good ? "ok" : "over",
                attempts == 0 ? "" : ", measured again");
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  World w{MPI_COMM_WORLD, 0, 0};
  MPI_Comm_rank(w.comm, &w.rank);
  MPI_Comm_size(w.comm, &w.size);
  const bool check = argc > 1 && std::string(argv[1]) == "--check";
  int good = 1;
  if ((w.size & (w.size - 1)) != 0) {
    if (w.rank == 0) std::fputs("mpi_overhead needs a power of two of ranks\n", stderr);
    MPI_Finalize();
    return 2;
  }
  if (w.rank == 0)
    std::printf("%-20s %12s %15s %15s %8s\n", "allreduce", "message", "by hand", "player", "ratio");
  int rounds = 0;
  while (1 << rounds < w.size) ++rounds;
  for (const Subject& subject :
       {Subject{"ring", ring, 2 * (w.size - 1)}, Subject{"recursive-doubling", doubling, rounds}})
    for (std::size_t bytes = 8; bytes <= 16 << 20; bytes *= bytes == 8 ? 8 : 4)
      good = compare(w, subject, bytes / 8) && good;
  MPI_Bcast(&good, 1, MPI_INT, 0, w.comm);
  MPI_Finalize();
  return check && !good;
}

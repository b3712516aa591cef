// SPDX-License-Identifier: Apache-2.0
//
// Ranks get points as they ask. Rank 0 hands them out, while a thread of it answers points, too.
#include <mpi.h>
#include <unistd.h>

#include <exception>
#include <mutex>
#include <thread>

#include "cli/sweep_mpi/module.hpp"

namespace collcast::cli {
namespace {

constexpr int asking = 1, telling = 2;

int begin() {
  int level = 0, rank = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Sends a finished point: its number, then its text; -1 and no text to ask for the first one.
void tell(std::int64_t number, const std::string& text) {
  std::string message(reinterpret_cast<const char*>(&number), sizeof number);
  message += text;
  MPI_Send(message.data(), static_cast<int>(message.size()), MPI_BYTE, 0, asking, MPI_COMM_WORLD);
}

void work(const std::function<std::string(std::int64_t)>& answer) {
  tell(-1, "");
  for (;;) {
    std::int64_t number = -1;
    MPI_Recv(&number, 1, MPI_INT64_T, 0, telling, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (number < 0) return;
    tell(number, answer(number));
  }
}

/// Receives one message of another rank, if there is one: takes the finished point, and sends another one.
bool serve(const std::function<std::int64_t()>& next,
           const std::function<void(std::int64_t, const std::string&)>& done, int& working) {
  int there = 0, size = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, asking, MPI_COMM_WORLD, &there, &status);
  if (!there) return false;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::string message(static_cast<std::size_t>(size), ' ');
  MPI_Recv(message.data(), size, MPI_BYTE, status.MPI_SOURCE, asking, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::int64_t number = -1;
  message.copy(reinterpret_cast<char*>(&number), sizeof number);
  if (number >= 0) done(number, message.substr(sizeof number));
  const std::int64_t following = next();
  MPI_Send(&following, 1, MPI_INT64_T, status.MPI_SOURCE, telling, MPI_COMM_WORLD);
  if (following < 0) --working;
  return true;
}

void hand_out(const std::function<std::int64_t()>& next,
              const std::function<std::string(std::int64_t)>& answer,
              const std::function<void(std::int64_t, const std::string&)>& done) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::mutex one;
  bool own = true;
  std::exception_ptr failure;  // of either thread; it ends both
  const auto guarded_next = [&] {
    const std::lock_guard lock(one);
    return failure ? -1 : next();
  };
  const auto guarded_done = [&](std::int64_t number, const std::string& text) {
    const std::lock_guard lock(one);
    if (!failure) done(number, text);
  };
  const auto keep_failure = [&](const auto& work) {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(one);
      if (!failure) failure = std::current_exception();
    }
  };
  std::thread mine([&] {
    keep_failure([&] {
      for (std::int64_t n = guarded_next(); n >= 0; n = guarded_next()) guarded_done(n, answer(n));
    });
    const std::lock_guard lock(one);
    own = false;
  });
  int working = ranks - 1;
  const auto is_over = [&] {
    const std::lock_guard lock(one);
    return (!own && working == 0) || failure;
  };
  keep_failure([&] {
    while (!is_over())
      if (working == 0 || !serve(guarded_next, guarded_done, working))
        usleep(200);  // leaves the core to the thread
  });
  mine.join();
  if (failure) std::rethrow_exception(failure);
}

void end() {
  MPI_Finalize();
}

}  // namespace

extern "C" __attribute__((visibility("default")))
const SweepModule collcast_sweep_module = {begin, hand_out, work, end};

}  // namespace collcast::cli

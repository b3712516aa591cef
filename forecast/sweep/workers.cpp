// SPDX-License-Identifier: Apache-2.0
#include "forecast/sweep/workers.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <thread>

#include "support/error.hpp"
#include "support/interrupt.hpp"
#include "support/process/forked.hpp"

namespace collcast::sweep {
namespace {

/// Runs in the worker: answers until nobody asks.
void work(int socket, const Answerer& answer) {
  std::signal(SIGINT, SIG_IGN);  // Ctrl-C is for the parent, with which this process ends
  std::signal(SIGTERM, SIG_DFL);
  for (std::int64_t number = 0; receive_all(socket, &number, sizeof number);) {
    const std::string text = packed(answer(number));
    const std::size_t size = text.size();
    if (!send_all(socket, &size, sizeof size) || !send_all(socket, text.data(), size)) break;
  }
}

class Worker {
 public:
  explicit Worker(const Answerer& answer) : process_([&](int socket) { work(socket, answer); }) {}

  int socket() const { return process_.socket(); }
  void ask(std::int64_t number) {
    busy = number;
    send_all(socket(), &number, sizeof number);
  }
  /// The outcome; `lost` if the worker died.
  Outcome answer() {
    busy.reset();
    std::size_t size = 0;
    std::string text;
    if (receive_all(socket(), &size, sizeof size)) {
      text.resize(size);
      if (receive_all(socket(), text.data(), size)) return unpacked(text);
    }
    return {Outcome::Kind::lost, "its process " + process_.end()};
  }

  std::optional<std::int64_t> busy;  ///< the point that the worker is busy with

 private:
  Forked process_;
};

void hand_out(int count, const Next& next, const Answerer& answer, const Done& done) {
  std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(count));
  const auto begin = [&](std::unique_ptr<Worker>& w) {
    const auto number = next();
    if (number && !w) w = std::make_unique<Worker>(answer);
    if (number) w->ask(*number);
    return number.has_value();
  };
  int busy = 0;
  for (auto& w : workers) busy += begin(w);
  while (busy > 0) {
    std::vector<pollfd> waiting;
    for (const auto& w : workers) waiting.push_back({w && w->busy ? w->socket() : -1, POLLIN, 0});
    const int ready = poll(waiting.data(), waiting.size(), -1);
    if (ready < 0 && errno == EINTR) {
      end_if_interrupted();
      continue;
    }
    if (ready < 0) throw SubstrateError(std::string("poll: ") + std::strerror(errno));
    for (std::size_t i = 0; i < workers.size(); ++i) {
      if (waiting[i].revents == 0) continue;
      auto& w = workers[i];
      const std::int64_t number = *w->busy;
      const Outcome outcome = w->answer();
      if (outcome.kind == Outcome::Kind::lost) w.reset();
      done(number, outcome);
      busy -= !begin(w);
    }
  }
}

}  // namespace

HandOut processes(int count) {
  return [count](const Next& next, const Answerer& answer, const Done& done) {
    hand_out(count, next, answer, done);
  };
}

HandOut here() {
  return [](const Next& next, const Answerer& answer, const Done& done) {
    while (const auto number = next()) done(*number, answer(*number));
  };
}

int processors() {
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::vector<Outcome> outcomes(std::int64_t count, const HandOut& hand_out, const Answerer& answer,
                              const std::function<void(std::int64_t, const Outcome&)>& heard) {
  std::vector<Outcome> all(static_cast<std::size_t>(count));
  std::int64_t at = 0, finished = 0;
  const auto next = [&]() -> std::optional<std::int64_t> {
    if (at == count) return {};
    return at++;
  };
  hand_out(next, answer, [&](std::int64_t number, const Outcome& outcome) {
    all[static_cast<std::size_t>(number)] = outcome;
    heard(++finished, outcome);
  });
  return all;
}

std::string packed(const Outcome& outcome) {
  return static_cast<char>('0' + static_cast<int>(outcome.kind)) + outcome.text;
}

Outcome unpacked(const std::string& text) {
  return {static_cast<Outcome::Kind>(text.at(0) - '0'), text.substr(1)};
}

}  // namespace collcast::sweep

// SPDX-License-Identifier: Apache-2.0
// collcast-switch DESCRIPTION STATISTICS: the network of `scripts/testbed`. Makes an interface eth0 in each
// host's namespace, says "ready", and carries frames between them until SIGTERM or SIGINT. SIGUSR1 writes
// STATISTICS, and so does the end.
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <ctime>
#include <iostream>
#include <random>

#include "support/error.hpp"
#include "support/output_file.hpp"
#include "validation/testbed/switch/description.hpp"
#include "validation/testbed/switch/ethernet.hpp"
#include "validation/testbed/switch/fabric.hpp"
#include "validation/testbed/switch/statistics.hpp"
#include "validation/testbed/switch/tap.hpp"

namespace collcast::testbed {
namespace {

constexpr std::size_t headers = 18;  ///< of Ethernet, with a VLAN's tag
constexpr int frames_at_once = 16;   ///< read from one host before due frames are delivered

Seconds clock_now() {
  timespec t = {};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return Seconds(static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9);
}

class Switch {
 public:
  explicit Switch(const Description& d)
      : fabric_(Layout(static_cast<Host>(d.namespaces.size()), d.rate, d.latency, d.racks, d.uplink),
                d.queue),
        loss_(d.loss),
        multicast_(d.multicast),
        buffer_(d.mtu + headers) {
    for (const std::string& file : d.namespaces) taps_.emplace_back(file, "eth0");
  }

  void serve(const std::string& statistics) {
    const int signals = signal_descriptor();
    const int poll = epoll_create1(EPOLL_CLOEXEC);
    watch(poll, signals, taps_.size());
    for (std::size_t i = 0; i < taps_.size(); ++i) watch(poll, taps_[i].descriptor(), i);
    std::cout << "ready" << std::endl;
    for (bool stopped = false; !stopped;) {
      deliver_due();
      std::array<epoll_event, 64> events;
      const int ready = wait(poll, events);
      for (int i = 0; i < ready; ++i) {
        const std::size_t source = events[static_cast<std::size_t>(i)].data.u64;
        if (source < taps_.size()) {
          read(static_cast<Host>(source));
          deliver_due();
        } else {
          stopped = next_signal(signals) != SIGUSR1;
          write_file(statistics, json(statistics_, fabric_));
        }
      }
    }
  }

 private:
  static int signal_descriptor() {
    sigset_t set;
    sigemptyset(&set);
    for (const int s : {SIGUSR1, SIGTERM, SIGINT}) sigaddset(&set, s);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    return signalfd(-1, &set, SFD_CLOEXEC);
  }

  static int next_signal(int descriptor) {
    signalfd_siginfo info = {};
    return ::read(descriptor, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : SIGTERM;
  }

  static void watch(int poll, int descriptor, std::size_t source) {
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.u64 = source;
    if (epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) != 0) throw SubstrateError("epoll_ctl failed");
  }

  /// Waits until a host sends or a frame is due.
  int wait(int poll, std::array<epoll_event, 64>& events) const {
    const double left = std::clamp(fabric_.next().value - clock_now().value, 0.0, 1.0);
    const timespec timeout = {static_cast<time_t>(left), static_cast<long>((left - std::floor(left)) * 1e9)};
    return epoll_pwait2(poll, events.data(), static_cast<int>(events.size()), &timeout, nullptr);
  }

  void deliver_due() {
    fabric_.advance(clock_now(), [this](const Frame& f, Host to, Seconds due) { deliver(f, to, due); });
  }

  void read(Host source) {
    for (int i = 0; i < frames_at_once; ++i) {
      const auto bytes = taps_[source].read(buffer_);
      if (!bytes) return;
      const auto to = destination(*bytes, fabric_.layout().hosts());
      if (!to || *to == source || (*to == everyone && !multicast_)) {
        ++statistics_.strays;
        continue;
      }
      const Bytes size(static_cast<double>(bytes->size()));
      fabric_.enter(
          {source, *to, size, std::make_shared<std::vector<std::byte>>(bytes->begin(), bytes->end())},
          clock_now());
    }
  }

  void deliver(const Frame& frame, Host to, Seconds due) {
    if (loss_ > 0 && is_datagram(*frame.payload) && chance_(random_) < loss_) {
      ++statistics_.lost;
      return;
    }
    if (!taps_[to].write(*frame.payload)) ++statistics_.refused;
    statistics_.deliver(clock_now() - due);
  }

  Fabric fabric_;
  double loss_;
  bool multicast_;
  std::vector<Tap> taps_;
  Statistics statistics_;
  std::mt19937_64 random_;  // fixed seed: each run of the same traffic loses the same frames
  std::uniform_real_distribution<> chance_;
  std::vector<std::byte> buffer_;
};

int run(int argc, char** argv) {
  if (argc != 3)
    throw InputError("usage: collcast-switch DESCRIPTION STATISTICS (scripts/testbed starts it)");
  Switch network(describe(argv[1]));
  mlockall(MCL_CURRENT | MCL_FUTURE);  // a page fault could delay frames; failing here is not fatal
  network.serve(argv[2]);
  return 0;
}

}  // namespace
}  // namespace collcast::testbed

int main(int argc, char** argv) {
  try {
    return collcast::testbed::run(argc, argv);
  } catch (const collcast::InputError& e) {
    std::cerr << "collcast-switch: " << e.what() << '\n';
    return 2;
  } catch (const std::exception& e) {
    std::cerr << "collcast-switch: " << e.what() << '\n';
    return 3;
  }
}

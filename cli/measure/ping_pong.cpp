// SPDX-License-Identifier: Apache-2.0
#include "cli/measure/ping_pong.hpp"

#include <cmath>
#include <map>

#include "cli/measure/keys.hpp"
#include "execution/mpi/check.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::mpi {
namespace {

/// One rank's side of a pair.
class PairSide {
 public:
  PairSide(const PingPong& p, int other, bool first, MPI_Comm communicator)
      : test_(p.test),
        first_(first),
        other_(other),
        window_(p.window),
        communicator_(communicator),
        send_(static_cast<std::size_t>(std::llround(p.message.value))),
        recv_(send_.size()) {}

  void play() {
    if (test_ == PingPong::Test::latency) return first_ ? there_and_back() : back_and_there();
    const bool sends = first_ || test_ == PingPong::Test::both_ways_bandwidth;
    const bool receives = !first_ || test_ == PingPong::Test::both_ways_bandwidth;
    for (int i = 0; i < window_; ++i) {
      if (receives) requests_.emplace_back(), receive(&requests_.back());
      if (sends) requests_.emplace_back(), send(&requests_.back());
    }
    check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
    requests_.clear();
    confirm();
  }

 private:
  void there_and_back() { send(), receive(); }
  void back_and_there() { receive(), send(); }
  void confirm() {
    char byte = 0;
    if (first_)
      check(MPI_Recv(&byte, 1, MPI_CHAR, other_, 1, communicator_, MPI_STATUS_IGNORE), "MPI_Recv");
    else
      check(MPI_Send(&byte, 1, MPI_CHAR, other_, 1, communicator_), "MPI_Send");
  }
  void send() { check(MPI_Send(send_.data(), size(), MPI_BYTE, other_, 0, communicator_), "MPI_Send"); }
  void receive() {
    check(MPI_Recv(recv_.data(), size(), MPI_BYTE, other_, 0, communicator_, MPI_STATUS_IGNORE), "MPI_Recv");
  }
  void send(MPI_Request* request) {
    check(MPI_Isend(send_.data(), size(), MPI_BYTE, other_, 0, communicator_, request), "MPI_Isend");
  }
  void receive(MPI_Request* request) {
    check(MPI_Irecv(recv_.data(), size(), MPI_BYTE, other_, 0, communicator_, request), "MPI_Irecv");
  }
  int size() const { return static_cast<int>(send_.size()); }

  PingPong::Test test_;
  bool first_;
  int other_, window_;
  MPI_Comm communicator_;
  std::vector<std::byte> send_, recv_;
  std::vector<MPI_Request> requests_;
};

const std::map<std::string, PingPong::Test> tests{
    {"latency", PingPong::Test::latency},
    {"bandwidth", PingPong::Test::bandwidth},
    {"both-ways bandwidth", PingPong::Test::both_ways_bandwidth}};

}  // namespace

bool is_ping_pong(const Json& json) {
  const auto name = json.find("collective");
  return name != json.end() && name->is_string() && tests.contains(name->get<std::string>());
}

PingPong parse_ping_pong(const Json& json, const std::string& where) {
  PingPong p;
  p.test = tests.at(json.at("collective"));
  p.message = Bytes(static_cast<double>(whole_number(json, "message_bytes", 0, 1 << 30, where)));
  p.pairs = static_cast<int>(whole_number(json, "pairs", 1, 1 << 20, where));
  p.window = static_cast<int>(whole_number(json, "window", 1, 1 << 16, where));
  return p;
}

Times measure_ping_pong(const PingPong& p, const Effort& effort, const Communicator& world,
                        const SharedClock& clock) {
  const int half = world.size() / 2, rank = world.rank();
  if (p.pairs > half)
    throw InputError(std::to_string(p.pairs) + " pairs need " + std::to_string(2 * p.pairs) + " ranks, not " +
                     std::to_string(world.size()));
  const bool first = rank < half;
  const bool plays = rank < 2 * half && rank % half < p.pairs;
  PairSide player(p, first ? rank + half : rank - half, first, world.handle());
  const auto play = [&] {
    if (plays) player.play();
  };
  Times times = measure(play, effort, world, clock);
  const double messages = p.test == PingPong::Test::latency ? 2 : p.window;
  for (double& t : times.seconds) t /= messages;
  return times;
}

}  // namespace collcast::mpi

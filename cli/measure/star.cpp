// SPDX-License-Identifier: Apache-2.0
#include "cli/measure/star.hpp"

#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "cli/measure/keys.hpp"
#include "execution/mpi/check.hpp"
#include "support/error.hpp"

namespace collcast::mpi {
namespace {

const std::map<std::string, std::pair<bool, bool>> kinds{// out, in
                                                         {"fan-out", {true, false}},
                                                         {"fan-in", {false, true}},
                                                         {"exchange", {true, true}}};

/// One rank's side of a star. Ranks that are not in the star have nothing to do.
class Side {
 public:
  Side(const Star& star, const Communicator& world)
      : window_(star.window),
        size_(static_cast<std::size_t>(std::llround(star.message.value))),
        communicator_(world.handle()) {
    const bool hub = world.rank() == 0;
    if (hub)
      for (int peer = 1; peer < star.ranks; ++peer) peers_.push_back(peer);
    else if (world.rank() < star.ranks)
      peers_.push_back(0);
    sends_ = hub ? star.out : star.in;
    receives_ = hub ? star.in : star.out;
    const std::size_t messages = peers_.size() * static_cast<std::size_t>(window_);
    if (sends_) send_.resize(size_);
    if (receives_) recv_.resize(size_ * messages);
    requests_.reserve(2 * messages);
  }

  void play() {
    std::byte* into = recv_.data();
    for (int i = 0; receives_ && i < window_; ++i)
      for (const int peer : peers_) {
        check(MPI_Irecv(into, size(), MPI_BYTE, peer, 0, communicator_, next()), "MPI_Irecv");
        into += size_;
      }
    for (int i = 0; sends_ && i < window_; ++i)
      for (const int peer : peers_)
        check(MPI_Isend(send_.data(), size(), MPI_BYTE, peer, 0, communicator_, next()), "MPI_Isend");
    check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
    requests_.clear();
  }

 private:
  int size() const { return static_cast<int>(size_); }
  MPI_Request* next() { return &requests_.emplace_back(); }

  int window_;
  std::size_t size_;
  MPI_Comm communicator_;
  bool sends_ = false, receives_ = false;
  std::vector<int> peers_;
  std::vector<std::byte> send_, recv_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

bool is_star(const Json& json) {
  const auto name = json.find("collective");
  return name != json.end() && name->is_string() && kinds.contains(name->get<std::string>());
}

Star parse_star(const Json& json, const std::string& where) {
  Star star;
  std::tie(star.out, star.in) = kinds.at(json.at("collective"));
  star.message = Bytes(static_cast<double>(whole_number(json, "message_bytes", 0, 1 << 26, where)));
  star.ranks = static_cast<int>(whole_number(json, "ranks", 2, 4096, where));
  star.window = static_cast<int>(whole_number(json, "window", 1, 4096, where));
  return star;
}

Times measure_star(const Star& star, const Effort& effort, const Communicator& world,
                   const SharedClock& clock) {
  if (star.ranks > world.size())
    throw InputError("a star of " + std::to_string(star.ranks) + " ranks needs so many, not " +
                     std::to_string(world.size()));
  Side side(star, world);
  return measure([&] { side.play(); }, effort, world, clock);
}

}  // namespace collcast::mpi

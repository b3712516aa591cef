// SPDX-License-Identifier: Apache-2.0
#include "execution/job/operation.hpp"

#include <cmath>

#include "execution/check/reference.hpp"
#include "execution/check/values.hpp"
#include "execution/check/verify.hpp"
#include "execution/mpi/check.hpp"
#include "execution/mpi/count.hpp"

namespace collcast::mpi {
namespace {

bool of_words(const Call& call) {
  return std::llround(call.message.value) % 4 == 0;
}

}  // namespace

OwnPlay::OwnPlay(const Algorithm& algorithm, const Call& call,
                 const std::shared_ptr<Communicator>& communicator)
    : algorithm_(algorithm),
      call_(call),
      communicator_(communicator),
      player_(algorithm, call, of_words(call) ? MPI_FLOAT : MPI_UINT8_T, MPI_SUM, communicator) {
  const std::size_t size = of_words(call) ? sizeof(float) : 1;
  send_.resize(player_.sent() * size);
  recv_.resize(player_.received() * size);
  player_.bind(send_.data(), recv_.data());
}

std::string OwnPlay::wrong() {
  const auto mismatch = verify(algorithm_, call_, communicator_);
  return mismatch ? full_name(algorithm_) + " is wrong: " + mismatch->words() : "";
}

OffloadedPlay::OffloadedPlay(const Algorithm& algorithm, const Call& call, const Team& team,
                             const Offloaded* beside)
    : ranks_(*team.peers()),
      words_(of_words(call)),
      offloaded_(algorithm, call, words_ ? MPI_INT32_T : MPI_UINT8_T, MPI_SUM, team, beside) {}

std::string OffloadedPlay::wrong() {
  const Player& player = offloaded_.player();
  const std::size_t size = words_ ? sizeof(std::int32_t) : 1;
  fill(offloaded_.send(), player.sent() * size, words_, ranks_.rank(),
       definition(player.part().collective).reduces ? ranks_.size() : 1);
  std::vector<std::byte> wanted(player.received() * size);
  offloaded_.start(), offloaded_.wait();
  reference(player.part(), player.elements(), player.blocks(), offloaded_.send(), wanted.data(),
            words_ ? MPI_INT32_T : MPI_UINT8_T, MPI_SUM, ranks_.handle());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (offloaded_.recv()[i] != wanted[i])
      return "an offloaded collective is wrong at byte " + std::to_string(i) + " of its rank " +
             std::to_string(ranks_.rank());
  return "";
}

/// The byte at a place of a message; it differs from place to place and from message to message.
std::byte MessagePlay::content(std::size_t at) const {
  const std::size_t seed = 31 * static_cast<std::size_t>(what_.from) +
                           17 * static_cast<std::size_t>(what_.to) + 7 * static_cast<std::size_t>(what_.tag) +
                           101 * what_.number;
  return std::byte((seed + at % 251) & 0xff);
}

void MessagePlay::start() {
  const int count = mpi_count(what_.bytes, "a job's message");
  if (inspection_.on)
    for (std::size_t i = 0; i < what_.bytes; ++i) buffer_[i] = what_.send ? content(i) : ~content(i);
  if (what_.send)
    check(MPI_Isend(buffer_.data(), count, MPI_BYTE, what_.to, what_.tag, comm_, &request_), "MPI_Isend");
  else
    check(MPI_Irecv(buffer_.data(), count, MPI_BYTE, what_.from, what_.tag, comm_, &request_), "MPI_Irecv");
}

bool MessagePlay::test() {
  int done = 0;
  check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
  if (done && inspection_.on && !what_.send) inspect();
  return done != 0;
}

void MessagePlay::inspect() {
  for (std::size_t i = 0; i < what_.bytes && inspection_.wrong.empty(); ++i)
    if (buffer_[i] != content(i))
      inspection_.wrong = "message " + std::to_string(what_.number) + " from rank " +
                          std::to_string(what_.from) + " to rank " + std::to_string(what_.to) +
                          " is wrong at byte " + std::to_string(i);
}

}  // namespace collcast::mpi

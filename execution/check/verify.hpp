// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "execution/mpi/communicator.hpp"
#include "execution/mpi/player.hpp"

namespace collcast::mpi {

/// Where a player's result differs from the MPI library's.
struct Mismatch {
  int rank = 0;
  std::size_t element = 0;
  std::string got, wanted, type;
  std::string words() const;
};

/// The answer of the first rank that has one, on all ranks.
std::optional<Mismatch> agree(const std::optional<Mismatch>& mine, const Communicator& communicator);

/// Plays the call on integers, which must come out exactly, and on floating point, which must come out within
/// the rounding bound, with another value in every element of every rank. Elements are 8 bytes wide, or 4 or
/// 1 where the message is no multiple of that. Collective; all ranks get the same answer: the first rank and
/// element that is wrong, changed behind the receive buffer's end (counted from its begin), or changed in the
/// send buffer (so counted as well, with "sent" in its type).
std::optional<Mismatch> verify(const Algorithm& algorithm, const Call& call,
                               const std::shared_ptr<Communicator>& communicator, bool in_place = false);

}  // namespace collcast::mpi

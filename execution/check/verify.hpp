// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "execution/mpi/communicator.hpp"
#include "execution/mpi/player.hpp"

namespace collcast::mpi {

/// An element of a result that differs from the MPI library's.
struct Mismatch {
  int rank = 0;
  std::size_t element = 0;
  std::string got, wanted, type;
  std::string words() const;
};

/// The mismatch of the first rank that has one, returned on all ranks. Collective.
std::optional<Mismatch> agree(const std::optional<Mismatch>& mine, const Communicator& communicator);

/// Plays the call on integers, whose result must be exact, and on floating-point numbers, whose result must
/// be within the rounding bound; all elements of all ranks have different values. Elements have 8 bytes, or 4
/// or 1 if the message is not a multiple of that. Collective: all ranks get the first rank and element that
/// is wrong, that was written beyond the end of the receive buffer (numbered from its begin), or that was
/// changed in the send buffer (with "sent" in its type).
std::optional<Mismatch> verify(const Algorithm& algorithm, const Call& call,
                               const std::shared_ptr<Communicator>& communicator, bool in_place = false);

}  // namespace collcast::mpi

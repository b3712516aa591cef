// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "execution/check/verify.hpp"
#include "execution/cuda/player.hpp"

namespace collcast::cuda {

/// Plays the call once on values that every rank can compute, and compares exactly with the MPI library's
/// result in double precision; the values are such that no reduction rounds. Returns the first mismatch, on
/// all ranks. Collective.
std::optional<mpi::Mismatch> verify(const Algorithm& algorithm, const Call& call, Element element,
                                    Operation op, const std::shared_ptr<mpi::Communicator>& communicator,
                                    Device& device, Transport transport);

}  // namespace collcast::cuda

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "execution/check/verify.hpp"
#include "execution/cuda/player.hpp"

namespace collcast::cuda {

/// Plays the call once on values that all ranks know how to make and compares with the MPI library's result
/// in double precision: exactly where nothing is reduced, within the rounding of the reductions otherwise.
/// The first difference, on all ranks.
std::optional<mpi::Mismatch> verify(const Algorithm& algorithm, const Call& call, Element element,
                                    Operation op, const std::shared_ptr<mpi::Communicator>& communicator,
                                    Device& device, Transport transport);

}  // namespace collcast::cuda

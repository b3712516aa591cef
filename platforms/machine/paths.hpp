// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/machine/machine.hpp"

namespace collcast {

/// The largest alpha (of an empty message), beta (of a large one) and gamma between two ranks of the machine.
AlphaBetaGamma slowest_path(const Machine& machine, Memory memory = Memory::device);

/// The smallest alpha, beta and gamma.
AlphaBetaGamma fastest_path(const Machine& machine, Memory memory = Memory::device);

/// The parameters that affect no message and no reduction, for any number of ranks.
std::vector<Parameter> unused_parameters(const Description& description);

/// What a question depends on besides messages and reductions.
enum class Work : std::uint8_t { none, computation };

/// Notes on parameters that were set and change no answer. There are none on prices and powers, which change
/// plans, nor on NCCL's costs, which change what its policies send. With Work::computation there are none on
/// devices and storage, which may change computations.
std::vector<std::string> notes_on_unused(const Description& description, Work work = Work::none);

/// Notes on parameters that were set: on those that change no answer, and on those with implausible values.
std::vector<std::string> notes_on_settings(const Description& platform, Work work = Work::none);

}  // namespace collcast

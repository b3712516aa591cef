// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/machine/machine.hpp"

namespace collcast {

/// The largest alpha (of an empty message), beta (of a large one) and gamma between two ranks of the machine.
AlphaBetaGamma slowest_path(const Machine& machine, Memory memory = Memory::device);

/// The smallest ones.
AlphaBetaGamma fastest_path(const Machine& machine, Memory memory = Memory::device);

/// Parameters that change no message and no reduction, however many ranks there are.
std::vector<Parameter> unused_parameters(const Description& description);

/// What is to be said of a platform's parameters as they were set: which move no answer, which are odd.
std::vector<std::string> told_of(const Description& platform);

}  // namespace collcast

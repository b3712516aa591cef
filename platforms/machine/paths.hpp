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

/// The parameters that were set and move no answer, in words. Prices and powers move those of plans.
std::vector<std::string> unmoved(const Description& description);

/// What is to be said of a platform's parameters as they were set: which move no answer, which are odd.
std::vector<std::string> told_of(const Description& platform);

}  // namespace collcast

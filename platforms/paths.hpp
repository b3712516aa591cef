// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/machine.hpp"

namespace collcast {

/// The largest alpha, beta and gamma between two ranks of the machine: what `--engine formula` computes with.
/// Alpha is overhead, latency and receive overhead; the handshake of a rendezvous is left out.
AlphaBetaGamma slowest_path(const Machine& machine, Memory memory = Memory::device);

/// The smallest ones: what lower bounds compute with.
AlphaBetaGamma fastest_path(const Machine& machine, Memory memory = Memory::device);

/// Parameters that change no message and no reduction, however many ranks there are.
std::vector<Parameter> unused_parameters(const Description& description);

}  // namespace collcast

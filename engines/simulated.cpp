// SPDX-License-Identifier: Apache-2.0
#include "engines/simulated.hpp"

#if HAS_SIMGRID
#include "engines/simgrid/simulate.hpp"
#else
#include "support/error.hpp"
#endif

namespace collcast {

#if HAS_SIMGRID

bool can_simulate() {
  return true;
}

Result simulate_program(Program& program, const Fabric& fabric, const PlayOptions& options) {
  return simulate(program, fabric, options);
}

#else

bool can_simulate() {
  return false;
}

Result simulate_program(Program&, const Fabric&, const PlayOptions&) {
  throw InputError(
      "this collcast was built without SimGrid; --engine contention models shared links without it");
}

#endif

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "replay/predict/simulated.hpp"

#ifdef COLLCAST_HAS_SIMGRID
#include "replay/simgrid/simulate.hpp"
#else
#include "model/error.hpp"
#endif

namespace collcast {

Result simulate_program(Program& program, const Fabric& fabric, const PlayOptions& options) {
#ifdef COLLCAST_HAS_SIMGRID
  return simulate(program, fabric, options);
#else
  (void)program, (void)fabric, (void)options;
  throw InputError("this collcast was built without SimGrid; --engine path plays without contention");
#endif
}

}  // namespace collcast

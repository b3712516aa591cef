// SPDX-License-Identifier: Apache-2.0
#include "replay/simgrid/simulate.hpp"

#include "replay/simgrid/child.hpp"
#include "replay/simgrid/contended.hpp"

namespace collcast {

Result simulate_here(Program& program, const Fabric& fabric, const SimulateOptions& options) {
  Contended backend(fabric, options.all_to_simgrid);
  return play(program, fabric, backend, options.play);
}

Result simulate(Program& program, const Fabric& fabric, const SimulateOptions& options) {
  return in_child(options.play, [&](const PlayOptions& play) {
    return simulate_here(program, fabric, {play, options.all_to_simgrid});
  });
}

}  // namespace collcast

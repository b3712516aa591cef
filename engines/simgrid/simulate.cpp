// SPDX-License-Identifier: Apache-2.0
#include "engines/simgrid/simulate.hpp"

#include "engines/player/contended.hpp"
#include "engines/simgrid/child.hpp"
#include "engines/simgrid/flows.hpp"

namespace collcast {

Result simulate(Program& program, const Fabric& fabric, const PlayOptions& options, BySimgrid by_simgrid) {
  simgrid_module();  // loads SimGrid once, not in every child
  const auto play_it = [&](const PlayOptions& own) {
    SimgridFlows flows(fabric.links(), by_simgrid == BySimgrid::all);
    Contended backend(fabric, flows);
    return play(program, fabric, backend, own);
  };
  return options.here ? play_it(options) : in_child(options, play_it);
}

}  // namespace collcast

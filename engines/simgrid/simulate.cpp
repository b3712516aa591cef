// SPDX-License-Identifier: Apache-2.0
#include "engines/simgrid/simulate.hpp"

#include "engines/simgrid/child.hpp"
#include "engines/simgrid/contended.hpp"

namespace collcast {

Result simulate_here(Program& program, const Fabric& fabric, const PlayOptions& options, Share share) {
  Contended backend(fabric, share == Share::all);
  return play(program, fabric, backend, options);
}

Result simulate(Program& program, const Fabric& fabric, const PlayOptions& options, Share share) {
  return in_child(options,
                  [&](const PlayOptions& own) { return simulate_here(program, fabric, own, share); });
}

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "engines/simgrid/simulate.hpp"

#include "engines/simgrid/child.hpp"
#include "engines/simgrid/contended.hpp"

namespace collcast {

Result simulate(Program& program, const Fabric& fabric, const PlayOptions& options, Share share) {
  const auto play_it = [&](const PlayOptions& own) {
    Contended backend(fabric, share == Share::all);
    return play(program, fabric, backend, own);
  };
  return options.here ? play_it(options) : in_child(options, play_it);
}

}  // namespace collcast

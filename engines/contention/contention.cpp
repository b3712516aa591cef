// SPDX-License-Identifier: Apache-2.0
#include "engines/contention/contention.hpp"

#include "engines/contention/shared_flows.hpp"
#include "engines/player/contended.hpp"

namespace collcast {

Result contend(Program& program, const Fabric& fabric, const PlayOptions& options) {
  SharedFlows flows(fabric.links(), options.explain);
  Contended backend(fabric, flows);
  return play(program, fabric, backend, options);
}

}  // namespace collcast

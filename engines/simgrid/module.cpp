// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include "engines/simgrid/kernel.hpp"
#include "support/process/module.hpp"

namespace collcast {

const SimgridModule& simgrid_module() {
  static const auto* module = static_cast<const SimgridModule*>(
      load_module("collcast-simgrid.so", "collcast_simgrid_module", RTLD_NOW | RTLD_LOCAL, "SimGrid",
                  "--engine contention models shared links without it"));
  return *module;
}

}  // namespace collcast

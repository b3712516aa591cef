// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engines/contention/contention.hpp"
#ifdef COLLCAST_HAS_SIMGRID
#include "engines/simgrid/simulate.hpp"
#endif

namespace collcast::testing {

/// An engine that knows contention.
struct ContendedEngine {
  std::string name;
  Result (*play)(Program&, const Fabric&);
};

/// Those that this build has.
inline std::vector<ContendedEngine> contended_engines() {
  return {
      {"contention", [](Program& p, const Fabric& f) { return contend(p, f); }},
#ifdef COLLCAST_HAS_SIMGRID
      {"simgrid, meeting flows", [](Program& p, const Fabric& f) { return simulate(p, f); }},
      {"simgrid, all flows", [](Program& p, const Fabric& f) { return simulate(p, f, {}, BySimgrid::all); }},
#endif
  };
}

}  // namespace collcast::testing

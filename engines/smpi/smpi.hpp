// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "model/layout.hpp"

namespace collcast::smpi {

/// A configuration of SMPI.
struct Settings {
  std::string name;
  std::string what;       ///< one line, for users
  bool defaults = false;  ///< SMPI's own parameters instead of the platform's
};

/// "smpi": neutral factors, no TCP window, the platform's eager limit. "smpi-defaults": SMPI's own
/// parameters.
const std::vector<Settings>& settings();

/// Whether smpirun is installed.
bool available();
/// The version as smpirun prints it: "SimGrid version 3.32".
std::string version();

/// The time of a schedule by SMPI. Its input is written to `folder`, which must exist. Throws SubstrateError
/// with SMPI's message, and InputError if the schedule multicasts or reduces in the network.
Seconds simulate(const Schedule& schedule, const Layout& layout, const Fabric& fabric,
                 const Settings& settings, const std::string& folder);

/// The platform file that `simulate` writes.
std::string platform_xml(const Fabric& fabric);
/// The traces that `simulate` writes, by rank.
std::vector<std::string> traces(const Schedule& schedule, const Layout& layout, const Fabric& fabric);

}  // namespace collcast::smpi

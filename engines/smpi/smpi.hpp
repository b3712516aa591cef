// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "model/layout.hpp"

namespace collcast::smpi {

/// How SMPI is asked.
struct Settings {
  std::string name;
  std::string what;       ///< in words
  bool defaults = false;  ///< as SMPI comes, instead of with our parameters
};

/// smpi: neutral factors, no TCP window, our eager limit. smpi-defaults: as it comes.
const std::vector<Settings>& settings();

/// Whether there is an smpirun.
bool available();
/// "SimGrid version 3.32".
std::string version();

/// How long SMPI says that a schedule takes. Writes its input under `folder`, which exists. Throws
/// SubstrateError with SMPI's words, InputError where the schedule multicasts or reduces in the network.
Seconds simulate(const Schedule& schedule, const Layout& layout, const Fabric& fabric,
                 const Settings& settings, const std::string& folder);

/// What `simulate` writes.
std::string platform_xml(const Fabric& fabric);
/// One text per rank.
std::vector<std::string> traces(const Schedule& schedule, const Layout& layout, const Fabric& fabric);

}  // namespace collcast::smpi

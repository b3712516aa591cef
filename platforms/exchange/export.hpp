// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platforms/machine/machine.hpp"

namespace collcast {

/// A SimGrid platform (XML, version 4.1): the machine's ranks as hosts, its links, and the route between any
/// two ranks. A link carries one direction; the latency of a route is an extra link with unlimited bandwidth.
/// The format has no place for software overheads and protocols, so a property of the zone holds the whole
/// platform for `import_platform`. Throws InputError for more than 512 ranks.
std::string simgrid_xml(const Description& platform, Rank ranks);

}  // namespace collcast

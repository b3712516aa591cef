// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platforms/machine/machine.hpp"

namespace collcast {

/// The machine's ranks as hosts of a SimGrid platform (XML, version 4.1), its links, and the route between
/// each two. A link carries one direction; what a message's latency adds up to is a link of its own on the
/// route, without limit of bandwidth. Overheads and protocols of the software have no place there; a property
/// of the zone holds the whole platform, for `import_platform`. Throws InputError above 512 ranks.
std::string simgrid_xml(const Description& platform, Rank ranks);

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platforms/description/schema.hpp"
#include "support/json.hpp"

namespace collcast {

/// A platform, as the JSON of a file, from what another tool wrote of a machine. The format is recognised by
/// the content. What the file does not say is filled with shared parts and guesses, and the notes say so.
///
/// | written by | gives |
/// |---|---|
/// | NCCL, NCCL_TOPO_DUMP_FILE | a node: GPUs, NVLinks, PCIe switches, processors, NICs |
/// | hwloc, `lstopo file.xml` | a node: packages, GPUs and NICs, one rank per core or per GPU |
/// | `ibnetdiscover` | a network: nodes and levels of switches |
/// | SimGrid, a `<cluster>` | hosts and their network |
///
/// Throws InputError, naming the file.
Json import_platform(const std::string& path);

}  // namespace collcast

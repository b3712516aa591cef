// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platforms/description/schema.hpp"
#include "support/json.hpp"

namespace collcast {

/// The JSON of a platform file, made from the output of another tool. The format is recognised by the
/// content. What the content does not say is filled with shared parts and guesses, and notes say so.
///
/// | written by | gives |
/// |---|---|
/// | NCCL and RCCL, NCCL_TOPO_DUMP_FILE | a node: GPUs and their links, PCIe switches, processors, NICs |
/// | hwloc, `lstopo file.xml` | a node: packages, GPUs, links, PCIe switches, NICs; a rank per core or GPU |
/// | `ibnetdiscover` | a network: nodes and levels of switches |
/// | Slurm, topology.conf or `scontrol show topology` | a network: nodes and levels of switches |
/// | SimGrid, a `<cluster>` | hosts and their network |
///
/// Throws InputError, which names the file.
Json import_platform(const std::string& path);

}  // namespace collcast

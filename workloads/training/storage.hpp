// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/units.hpp"

namespace collcast {
class Description;
}

namespace collcast::workloads {

/// A file system, or what stores files on each node. What is 0 is not known, or no limit.
struct Storage {
  std::string name;
  bool shared = true;                    ///< by all nodes; else each node has its own
  BytesPerSecond read = {}, write = {};  ///< of all nodes together, or of a node
  double opens = 0;                      ///< files a second, all nodes together
  BytesPerSecond target = {};            ///< of one of those that a file is striped over
  Bytes capacity = {};                   ///< of a node
  double least = 1, most = 1;  ///< ends of the rates, as far as their stamps leave them open; relative
};

/// What a platform calls so: an entry of its `storage`, `nvme` (the drives of a node), or `ram` (the memory
/// of a node's CPUs, as fast as need be). `who` asks: "input". Throws InputError, which lists what there is.
Storage storage(const Description& platform, const std::string& name, const std::string& who);

}  // namespace collcast::workloads

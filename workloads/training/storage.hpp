// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/units.hpp"

namespace collcast {
class Description;
}

namespace collcast::workloads {

/// A file system, or a store of files on each node. 0 means not known, or no limit.
struct Storage {
  std::string name;
  bool shared = true;                    ///< all nodes share it; else each node has its own
  BytesPerSecond read = {}, write = {};  ///< of all nodes together, or of a node
  double opens = 0;                      ///< files per second, all nodes together
  BytesPerSecond target = {};            ///< of one of the targets that a file is striped over
  Bytes capacity = {};                   ///< of a node
  double least = 1, most = 1;            ///< relative ends of the rates, by their stamps
};

/// The storage of a platform with this name: an entry of its `storage`, `nvme` (the drives of a node), or
/// `ram` (the memory of a node's CPUs, taken to be fast enough). `who` asks for it: "input". Throws
/// InputError that lists the names.
Storage storage(const Description& platform, const std::string& name, const std::string& who);

/// 0 if there is no rate.
inline Seconds over(Bytes bytes, BytesPerSecond rate) {
  return rate.value > 0 ? bytes / rate : Seconds();
}

/// What a node reads, or writes, through all of its network adapters together; 0: no limit is known.
struct Adapters {
  BytesPerSecond rate = {};
  double least = 1, most = 1;  ///< relative ends of the rate
};
Adapters adapters_of_node(const Description& platform);

/// What storage that is outside of a node waits for.
inline constexpr const char* through_adapters = "a node's network adapters";

}  // namespace collcast::workloads

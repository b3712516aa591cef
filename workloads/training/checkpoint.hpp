// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/units.hpp"

namespace collcast {
class Description;
}

namespace collcast::workloads {

struct Training;

/// Parameters and the optimizer's state, written every so many steps: one copy of the model, by the ranks
/// that hold it. A rate of 0 stands for no limit.
struct Checkpoint {
  int every = 0;               ///< steps
  bool background = false;     ///< written while training goes on, from a copy in the hosts' memory
  BytesPerSecond shared;       ///< of the file system, all nodes together
  BytesPerSecond node;         ///< of what a node can write
  BytesPerSecond copy;         ///< from a processor to its host
  BytesPerSecond target;       ///< of one of those that a file is striped over
  int stripes = 1;             ///< of each file, which a rank writes
  double least = 1, most = 1;  ///< the ends of the rates that the platform's storage gives, relative
  std::string to = {};         ///< what of the platform's storage it goes to; empty: the rates say it
};

/// "blocking:every=1000,shared=50", "background:every=100,shared=50,node=2,copy=12"; GB/s. Throws InputError.
Checkpoint parse_checkpoint(const std::string& text);

/// Takes the rates of the platform's storage that `to` names. Throws InputError.
void take_storage(Checkpoint& checkpoint, const Description& platform);

/// Bytes of the whole model's parameters and optimizer state, and of the node that writes most of it.
struct CheckpointBytes {
  Bytes whole, of_node, of_rank;
};
CheckpointBytes checkpoint_bytes(const Training& training);

/// How long training stops for a checkpoint, if a step takes `step`: for the whole write, or in the
/// background for the copy, and for the previous checkpoint if that is still being written.
Seconds checkpoint_stall(const Checkpoint& checkpoint, const Training& training, Seconds step);

}  // namespace collcast::workloads

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/units.hpp"

namespace collcast {
class Description;
}

namespace collcast::workloads {

struct Stage;
struct Training;

/// Checkpoints: every so many steps, the ranks that hold the model write one copy of its parameters and
/// optimizer state. A rate of 0 means no limit.
struct Checkpoint {
  int every = 0;               ///< steps
  bool background = false;     ///< written while training goes on, from a copy in host memory
  BytesPerSecond shared;       ///< of the file system, all nodes together
  BytesPerSecond node;         ///< of what a node can write
  BytesPerSecond copy;         ///< from a processor to its host
  BytesPerSecond target;       ///< of one of the targets that a file is striped over
  int stripes = 1;             ///< targets per file; each rank writes a file
  double least = 1, most = 1;  ///< relative ends of the rates that the platform's storage gives
  std::string to = {};         ///< the platform's storage that it goes to; empty: the rates are stated here
};

/// "blocking:every=1000,shared=50", "background:every=100,shared=50,node=2,copy=12"; GB/s. Throws InputError.
Checkpoint parse_checkpoint(const std::string& text);

/// Sets the rates to those of the platform's storage that `to` names. Throws InputError.
void take_storage(Checkpoint& checkpoint, const Description& platform);

/// Bytes of parameters and optimizer state: of the whole model, of the node that writes most, and of a rank.
struct CheckpointBytes {
  Bytes whole, of_node, of_rank;
};
CheckpointBytes checkpoint_bytes(const Training& training);

/// The part of a checkpoint's way that takes longest to write it, and how long. Parts work side by side.
Stage slowest_write(const Checkpoint& checkpoint, const Training& training);

/// How long training stops for a checkpoint, if a step takes `step`: for the whole write; or in the
/// background, for the copy and for the previous checkpoint if that is still being written.
Seconds checkpoint_stall(const Checkpoint& checkpoint, const Training& training, Seconds step);

}  // namespace collcast::workloads

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/units.hpp"

namespace collcast::workloads {

struct Training;

/// Where samples come from. What is 0 is not on the way; a sample of 0 bytes is stored as the model takes it.
struct Input {
  Bytes sample;           ///< as it is stored
  bool packed = true;     ///< many samples to a file; else a file for each
  BytesPerSecond shared;  ///< of the file system, all nodes together
  double opens = 0;       ///< files a second that the file system opens, all nodes together
  BytesPerSecond local;   ///< of a node's own disk
  Seconds decode;         ///< of a core, for a sample
  int cores = 0;          ///< of a node, that decode; 0: all of its CPUs' (`described`)
  BytesPerSecond copy;    ///< from the host to a processor
};

/// "packed", "packed:sample=110KiB,shared=2500,decode=5ms,cores=42" or "files:...,opens=1e6"; GB/s. Throws
/// InputError.
Input parse_input(const std::string& text);

/// A part of the way, and how long a step's samples keep it busy. Parts work side by side, ahead of the step.
struct Stage {
  std::string name;
  Seconds time;
};
std::vector<Stage> stages(const Input& input, const Training& training);

}  // namespace collcast::workloads

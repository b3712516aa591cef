// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/units.hpp"

namespace collcast {
class Description;
}

namespace collcast::workloads {

struct Training;

/// Where samples come from. A rate of 0 means that this part is not on the way; a sample of 0 bytes is stored
/// as the model takes it.
struct Input {
  Bytes sample;           ///< bytes as stored
  bool packed = true;     ///< many samples in a file; else a file for each
  BytesPerSecond shared;  ///< of the file system, all nodes together
  double opens = 0;       ///< files per second that the file system opens, all nodes together
  BytesPerSecond local;   ///< of a node's own disk
  Seconds decode;         ///< time of a core per sample
  int cores = 0;          ///< cores of a node that decode; 0: all of its CPUs (`described`)
  BytesPerSecond copy;    ///< from the host to a processor
  BytesPerSecond target;  ///< of one of the targets that a file is striped over
  int stripes = 1;        ///< targets per file; a rank reads one file at a time
  std::string from;       ///< the platform's storage that samples are in; empty: the rates are stated here
  std::string stage;      ///< the storage that samples are copied to before the first step; empty: none
  Bytes dataset;          ///< bytes of all samples
  double least = 1, most = 1;  ///< relative ends of the rates that the platform's storage gives
  bool whole = false;          ///< every node gets a copy of all samples; else its part
  // staging, by the platform:
  BytesPerSecond source, into;  ///< rate of the storage copied from; rate of a node's storage copied to
  bool source_shared = true;
  Bytes room;  ///< capacity of a node; 0: not known
};

/// "packed", "packed:sample=110KiB,shared=2500,decode=5ms,cores=42" or "files:...,opens=1e6"; GB/s. Throws
/// InputError.
Input parse_input(const std::string& text);

/// Sets the rates to those of the platform's storage that `from` and `stage` name. Throws InputError.
void take_storage(Input& input, const Description& platform);

/// How long it takes to stage all samples before the first step. Throws InputError if they do not fit.
Seconds staging(const Input& input, const Training& training);

/// A part of the samples' way, and how long a step's samples keep it busy. Parts work side by side, ahead of
/// the step.
struct Stage {
  std::string name;
  Seconds time;
};
std::vector<Stage> stages(const Input& input, const Training& training);

}  // namespace collcast::workloads

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

/// Where samples come from. What is 0 is not on the way; a sample of 0 bytes is stored as the model takes it.
struct Input {
  Bytes sample;                ///< as it is stored
  bool packed = true;          ///< many samples to a file; else a file for each
  BytesPerSecond shared;       ///< of the file system, all nodes together
  double opens = 0;            ///< files a second that the file system opens, all nodes together
  BytesPerSecond local;        ///< of a node's own disk
  Seconds decode;              ///< of a core, for a sample
  int cores = 0;               ///< of a node, that decode; 0: all of its CPUs' (`described`)
  BytesPerSecond copy;         ///< from the host to a processor
  BytesPerSecond target;       ///< of one of those that a file is striped over
  int stripes = 1;             ///< of each file; a rank reads one at a time
  std::string from;            ///< what of the platform's storage samples are in; empty: the rates say it
  std::string stage;           ///< where they are copied to before the first step; empty: nowhere
  Bytes dataset;               ///< all of them
  double least = 1, most = 1;  ///< the ends of the rates that the platform's storage gives, relative
  bool whole = false;          ///< every node has a copy of all of them; else its part
  // of staging, as the platform says
  BytesPerSecond source, into;  ///< what is copied from; a node that is copied to
  bool source_shared = true;
  Bytes room;  ///< of a node; 0: not known
};

/// "packed", "packed:sample=110KiB,shared=2500,decode=5ms,cores=42" or "files:...,opens=1e6"; GB/s. Throws
/// InputError.
Input parse_input(const std::string& text);

/// Takes the rates of the platform's storage that `from` and `stage` name. Throws InputError.
void take_storage(Input& input, const Description& platform);

/// How long it takes to stage all samples, before the first step. Throws InputError where they do not fit.
Seconds staging(const Input& input, const Training& training);

/// A part of the way, and how long a step's samples keep it busy. Parts work side by side, ahead of the step.
struct Stage {
  std::string name;
  Seconds time;
};
std::vector<Stage> stages(const Input& input, const Training& training);

}  // namespace collcast::workloads

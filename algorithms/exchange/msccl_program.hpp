// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/collective.hpp"

namespace collcast::msccl {

/// The position of a chunk in a rank's memory: buffer i (input), o (output) or s (scratch).
struct Position {
  char buffer = 'i';
  Block offset = 0;
};

/// One step of a thread block.
struct Instruction {
  bool receives = false;  ///< takes the next message from the thread block's receive peer,
  bool reduces = false;   ///< adds the data at `source` (a local reduction adds `source` to `target`),
  bool writes = false;    ///< stores the result at `target`
  bool sends = false;     ///< and sends it to the thread block's send peer
  bool reads_target = false;
  Position source, target;
  Position remote;  ///< of a send: its destination
  Block count = 0;
  int after_block = -1, after_step = -1;  ///< the thread block and step of this rank to wait for; -1: none
  int line = 0;

  bool reads_source() const { return reduces || (!receives && (writes || sends)); }
};

/// Instructions one after the other, on one connection in each direction.
struct ThreadBlock {
  int id = 0;
  Rank send = -1, receive = -1;
  int channel = 0;
  std::vector<Instruction> steps;
};

struct Gpu {
  Block input = 0, output = 0, scratch = 0;  ///< chunks of each buffer
  std::vector<ThreadBlock> blocks;
};

/// The content of a file.
struct Program {
  std::string file, name;
  Collective collective = Collective::allreduce;
  Rank root = 0;
  bool in_place = false;
  std::vector<Gpu> gpus;

  Rank ranks() const { return static_cast<Rank>(gpus.size()); }
  /// Throws InputError "file:line: what".
  [[noreturn]] void fail(int line, const std::string& what) const;
};

/// "gpu 0, thread block 2, step 5"
std::string place(Rank rank, int block, std::size_t step);

/// Parses a file and checks everything that does not need an execution.
Program parse(const std::string& text, const std::string& file);

}  // namespace collcast::msccl

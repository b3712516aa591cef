// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/collective.hpp"

namespace collcast::tuner {

constexpr int all_ranks = -1;

/// An algorithm that a library can be told to play, and the catalogue's that plays alike.
struct Entry {
  Collective collective;
  std::string_view theirs;  ///< as the library's file names it
  int number = 0;           ///< or numbers it
  std::string_view ours;
  int radix = 0;          ///< with which the library plays it; 0: it has none; all_ranks: all are the root's
  bool segments = false;  ///< the file can say how long a segment is
  bool started = false;   ///< its sends are started and waited for later, others return when buffers are free
};

constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

/// What a library is told, or does by itself, for messages of from to to bytes, both included, as nccl-tests
/// counts them.
struct Rule {
  Collective collective = Collective::allreduce;
  std::int64_t from = 0, to = no_end;
  bool tuned = false;                     ///< false: what the library does by itself
  const Entry* entry = nullptr;           ///< null where the library's own choice is not in its table
  std::int64_t segment = 0;               ///< 0: the library's
  std::string shape = {}, protocol = {};  ///< of NCCL: Ring, LL128
  int channels = 0;
};

/// Of one number of ranks on so many nodes: each collective's rules, by size, from 0 without a gap.
struct Tuning {
  Rank ranks = 1, nodes = 1;
  std::vector<Rule> rules;
};

/// A library whose selection a file changes.
struct Library {
  std::string_view name;
  std::string_view what;           ///< the file
  std::string_view policy;         ///< what it does without; empty: collcast does not know
  std::span<const Entry> entries;  ///< none of NCCL: its policy has them
  std::string (*write)(const Tuning&);
  std::string_view use;  ///< how the library is told to read FILE
};

std::span<const Library> libraries();
/// Throws InputError with the names that exist.
const Library& library(std::string_view name);
/// Collectives that the library can be told about.
std::vector<Collective> collectives(const Library& library);

}  // namespace collcast::tuner

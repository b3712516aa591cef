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

/// An algorithm that a library can be told to use, and its counterpart in the catalogue.
struct Entry {
  Collective collective;
  std::string_view theirs;  ///< its name in the library's file,
  int number = 0;           ///< or its number there
  std::string_view ours;
  int radix = 0;          ///< radix that the library uses; 0: none; all_ranks: the number of ranks
  bool segments = false;  ///< the file can give a segment size
  bool started = false;   ///< its sends are nonblocking; otherwise they return when their buffers are free
};

constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

/// What a library uses for messages of `from` to `to` bytes, both included, as nccl-tests counts them.
struct Rule {
  Collective collective = Collective::allreduce;
  std::int64_t from = 0, to = no_end;
  bool tuned = false;                     ///< false: the library's own choice
  const Entry* entry = nullptr;           ///< null: the library's own choice is not among its entries
  std::int64_t segment = 0;               ///< 0: the library's default
  std::string shape = {}, protocol = {};  ///< of NCCL: Ring, LL128
  int channels = 0;                       ///< of NCCL, for large messages
  /// Of NCCL: from a size on, this many channels; small messages get fewer. A file that states channels must
  /// state this too, as NCCL then does not reduce them itself.
  struct Step {
    std::int64_t from;
    int channels;
  };
  std::vector<Step> steps = {};  ///< by ascending size; empty: `channels` for all sizes
};

/// The rules for one number of ranks and nodes: for each collective by ascending size, from 0 without a gap.
struct Tuning {
  Rank ranks = 1, nodes = 1;
  std::vector<Rule> rules;
};

/// A library that reads its algorithm selection from a file.
struct Format {
  std::string_view name;
  std::string_view what;           ///< the file, in words
  std::string_view policy;         ///< how the library selects without a file; empty: not known
  std::span<const Entry> entries;  ///< empty for NCCL, whose policy has them
  std::string (*write)(const Tuning&);
  std::string_view use;  ///< how to tell the library to read FILE
  bool covers_all_sizes = false;
};

std::span<const Format> formats();
/// The format of this name. Throws InputError with the names that exist.
const Format& format(std::string_view name);
/// The collectives that the library's file can tune.
std::vector<Collective> collectives(const Format& format);

}  // namespace collcast::tuner

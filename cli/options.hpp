// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/exchange/msccl.hpp"
#include "cli/output.hpp"
#include "model/fabric.hpp"
#include "model/sizes.hpp"
#include "model/units.hpp"
#include "platforms/description.hpp"

namespace collcast::cli {

/// A whole number in [least, most]. Throws InputError that names `what`.
std::int64_t parse_count(const std::string& text, const std::string& what, std::int64_t least,
                         std::int64_t most);

/// Applies `--set` and says on standard error which of the parameters move no answer.
void override_platform(Description& platform, const std::vector<std::string>& assignments);

/// --memory host|device: where ranks keep their data.
void add_memory(CLI::App& verb, Memory& memory);

/// --placement, for parse_placement.
void add_placement(CLI::App& verb, std::string& placement);

/// --format table|json|csv.
void add_format(CLI::App& verb, Format& format);

/// How the command line names one call of an algorithm.
struct CallOptions {
  std::optional<std::int64_t> root;  ///< 0, or the imported file's
  std::int64_t radix = 2;
  std::string segment = "auto";  ///< a size or "auto"
  std::string packet = "4096";
  std::string buffer;               ///< a size; empty: no limit
  std::vector<std::string> counts;  ///< of the v-collectives; empty: equal blocks
  std::int64_t channels = 1;
  std::int64_t ranks_per_node =
      0;  ///< 0: as many as the platform puts on a node, where that divides the ranks
};
void add_call_options(CLI::App& verb, CallOptions& options);

Rank parse_ranks(const std::string& text);

/// What a verb works on: an algorithm of the catalogue by its names, or one from a file.
struct Subject {
  std::string collective, algorithm, import;
  std::vector<std::string> ranks;
};
/// The positional COLLECTIVE, --algorithm, --ranks and --import.
void add_subject(CLI::App& verb, Subject& subject, const std::string& algorithm_help);
/// Reads --import, and takes from the file what was not given; nothing without --import. Throws InputError
/// where something else was given, or too little.
std::optional<ImportedAlgorithm> import(Subject& subject, CallOptions& options);

/// The message that `counts` add up to. Throws InputError if there are none: then the size was forgotten.
Bytes counted_message(const CallOptions& options, Collective collective, Rank ranks);

/// The call without segments: they depend on the algorithm.
/// `node`: how many ranks the platform puts on a node.
Call plain_call(const CallOptions& options, Rank ranks, Bytes message, Rank node = 1);
/// The call with the segments that were asked for, or the best ones on `fabric` (on the textbook's if there
/// is none). Throws InputError unless the algorithm can serve it.
Call make_call(const Algorithm& algorithm, const CallOptions& options, Rank ranks, Bytes message,
               const Fabric* fabric = nullptr, Rank node = 1);

}  // namespace collcast::cli

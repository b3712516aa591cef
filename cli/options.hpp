// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/exchange/msccl.hpp"
#include "cli/output.hpp"
#include "model/fabric.hpp"
#include "model/sizes.hpp"
#include "model/units.hpp"
#include "platforms/description/description.hpp"

namespace collcast::cli {

/// A whole number in [least, most]. Throws InputError that names `what`.
std::int64_t parse_count(const std::string& text, const std::string& what, std::int64_t least,
                         std::int64_t most);

/// Applies `--set` and says on standard error which of the parameters move no answer.
void override_platform(Description& platform, const std::vector<std::string>& assignments);

/// --engine, by its name in the table; those that play programs, if `playing`.
void add_engine(CLI::App& verb, std::string& engine, bool playing = false);

/// --policy: who chooses where no algorithm is named.
void add_policy(CLI::App& verb, std::string& policy, const std::string& what);

/// --memory host|device: where ranks keep their data.
void add_memory(CLI::App& verb, Memory& memory);

/// --placement, for parse_placement.
void add_placement(CLI::App& verb, std::string& placement);

/// --format table|json|csv.
void add_format(CLI::App& verb, Format& format);

/// How the command line names one call of an algorithm.
struct CallOptions {
  std::string root;                 ///< empty: 0, or the imported file's
  std::string radix;                ///< empty: 2
  std::string segment;              ///< a size or "auto"; empty: auto on a platform, 64 KiB without one
  std::string buffer;               ///< a size; empty: no limit
  std::vector<std::string> counts;  ///< of the v-collectives; empty: equal blocks
  std::string channels;             ///< empty: 1
  std::string ranks_per_node;  ///< empty: as many as the platform puts on a node, if that divides the ranks
};
void add_call_options(CLI::App& verb, CallOptions& options);

/// For each parameter that was given and that none of these algorithms of a collective takes, a note.
std::vector<std::string> untaken(const CallOptions& options, Collective collective,
                                 std::span<const Algorithm* const> algorithms);

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

/// The call without segments: they depend on the algorithm. `node`: how many ranks the platform puts on a
/// node. Throws InputError unless it makes sense for the collective.
Call plain_call(const CallOptions& options, Collective collective, Rank ranks, Bytes message, Rank node = 1);
/// The segment of --segment for this message; nothing: the fastest. Throws InputError.
std::optional<Bytes> parse_segment(const CallOptions& options, Bytes message, bool on_platform);
/// A plain call with the segments that were asked for, or the fastest ones on `fabric`. Throws InputError
/// unless the algorithm can serve it.
Call make_call(const Algorithm& algorithm, const CallOptions& options, const Call& call,
               const Fabric* fabric = nullptr);

}  // namespace collcast::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "algorithms/algorithm.hpp"
#include "model/proof.hpp"

namespace collcast {

/// An algorithm read from a file.
struct ImportedAlgorithm {
  Algorithm algorithm;  ///< for the file's number of ranks and root; without a formula
  Rank ranks = 1, root = 0;
  /// Where the schedule differs from its collective's definition; such an algorithm must not be used.
  std::optional<Counterexample> wrong;
  std::int64_t unused_messages = 0;  ///< messages left out of the schedule, as no result needs their data

  /// "allreduce NAME on 8 ranks does not hold: ..."; only if wrong.
  std::string refusal() const;
  /// What was left out, in words; empty if nothing was.
  std::string note() const;
};

/// Reads an algorithm, plain or gzipped: trees or listed messages in JSON (forest_file.hpp, listing_file.hpp)
/// if it begins with a brace, MSCCL's XML otherwise.
ImportedAlgorithm read_algorithm(const std::string& path);
/// Executes an algorithm in MSCCL's XML on symbols and writes it as a schedule. Throws InputError with `file`
/// and line if it is malformed or deadlocks, or if a schedule cannot express it.
ImportedAlgorithm parse_msccl(const std::string& text, const std::string& file);

/// Throws InputError unless the file is for this collective and this root, where they are not empty.
void require(const ImportedAlgorithm& imported, const std::string& collective,
             std::optional<std::int64_t> root);

/// The schedule in MSCCL's XML: a thread block for each peer, direction and channel; messages of scattered
/// blocks are packed into scratch. Throws InputError for what MSCCL cannot express: multicasts and reductions
/// in the network, memories other than the device's, blocks that differ in size. The attribute `root` is not
/// part of MSCCL's format.
std::string write_msccl(const Schedule& schedule, Collective collective, const std::string& name,
                        Rank root = 0);

/// The call, with fewer segments if the file would otherwise have more than some 20,000 messages.
Call in_a_small_file(const Algorithm& algorithm, Call call);

/// What MSCCL's own loader has room for: channels (NCCL's MAXCHANNELS), and steps of a thread block
/// (MSCCL_MAX_NUM_STEPS).
inline constexpr int most_msccl_channels = 32, most_msccl_steps = 256;

/// What the loader would refuse of such a file, in a sentence; empty if nothing.
std::string refused_by_msccl(const std::string& xml);

}  // namespace collcast

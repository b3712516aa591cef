// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "algorithms/algorithm.hpp"
#include "model/proof.hpp"

namespace collcast {

/// An algorithm that came from a file.
struct ImportedAlgorithm {
  Algorithm algorithm;  ///< for the file's number of ranks and root; without a formula
  Rank ranks = 1, root = 0;
  /// Where the file breaks its collective's definition: such an algorithm is not to be used.
  std::optional<Counterexample> wrong;
  std::int64_t unused_messages = 0;  ///< messages whose data no result needs; the schedule leaves them out

  /// "allreduce NAME on 8 ranks does not hold: ..."; only if wrong.
  std::string refusal() const;
};

/// Reads an algorithm, plain or gzipped: trees or listed messages in JSON (forest_file.hpp, listing_file.hpp)
/// if it begins with a brace, MSCCL's XML otherwise.
ImportedAlgorithm read_algorithm(const std::string& path);
/// Executes an algorithm in MSCCL's XML on symbols and writes it as a schedule; `file` is what error messages
/// call it. Throws InputError with file and line if it is malformed or deadlocks, or if a schedule cannot say
/// it.
ImportedAlgorithm parse_msccl(const std::string& text, const std::string& file);

/// Throws InputError unless the file holds this collective, and this root. Empty ones are not asked for.
void require(const ImportedAlgorithm& imported, const std::string& collective,
             std::optional<std::int64_t> root);

/// The schedule in MSCCL's XML: a thread block for each peer, direction and channel; messages of scattered
/// blocks are packed into scratch. Throws InputError where MSCCL has no words: multicasts and reductions in
/// the network, memories other than the device's, blocks that differ in size. A `root` attribute, which MSCCL
/// does not know, names the root.
std::string write_msccl(const Schedule& schedule, Collective collective, const std::string& name,
                        Rank root = 0);

}  // namespace collcast

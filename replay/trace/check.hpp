// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "replay/trace/reader.hpp"

namespace collcast::trace {

/// Contradictions in a trace, one per line; the first thousand of each kind.
struct Contradictions {
  std::vector<std::string> errors;  ///< a replay cannot reach its end, or has no answer
  std::vector<std::string> notes;   ///< a replay goes on, and its answer covers what is left
};

/// Errors: messages received and never sent; collectives or roots that differ among the members of a
/// communicator; requests that complete or begin without reason. Notes: messages sent and never received,
/// receives that found nothing, requests never completed, sizes of a collective that differ. In an incomplete
/// trace, only contradictions within one rank count. Reads all events; throws as its cursors do.
Contradictions check(const Reader& reader);

}  // namespace collcast::trace

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "replay/trace/reader.hpp"

namespace collcast::trace {

/// Contradictions in a trace, a line each; the first thousand of each sort.
struct Contradictions {
  std::vector<std::string> errors;  ///< no replay comes to its end, or to an answer
  std::vector<std::string> notes;   ///< a replay goes on, and answers for what is left
};

/// Errors: messages received and never sent; collectives or roots that differ among the members of a
/// communicator; requests that complete or begin without reason. Notes: messages sent and never received,
/// receives that found nothing, requests never completed, sizes of a collective that differ. Of an incomplete
/// trace only what one rank contradicts itself in counts. Reads all events; throws as its cursors do.
Contradictions check(const Reader& reader);

}  // namespace collcast::trace

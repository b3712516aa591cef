// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "replay/trace/reader.hpp"

namespace collcast::trace {

/// One line per contradiction between the ranks of a trace: messages sent and never received, or the reverse;
/// collectives that differ among the members of a communicator; ranks outside a communicator; requests that
/// complete and never began. Empty for a trace that a replay can play to its end.
std::vector<std::string> check(const Reader& reader);

}  // namespace collcast::trace

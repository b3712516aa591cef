// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "replay/source/recorded.hpp"

namespace collcast {

/// What a profile says of a call: how often and how long, not when.
struct ProfiledCall {
  std::string name;  ///< as MPI calls it, or without "MPI_"
  std::int64_t count = 0;
  Seconds total = Seconds(-1);                            ///< of all calls; negative: not said
  double bytes = -1;                                      ///< mean of what one call sends; -1: not said
  Seconds shortest = Seconds(-1), longest = Seconds(-1);  ///< negative: not said
};

/// Puts the calls of one rank, or of all ranks that it stands for, into a source without order; lists calls
/// that lack a size or a time.
void add_profile(RecordedSource& source, Rank rank, const std::vector<ProfiledCall>& calls);

/// What no profile says, in words.
std::vector<std::string> unknown_to_profiles();

}  // namespace collcast

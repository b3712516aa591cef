// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <string>

#include "support/error.hpp"

namespace collcast::mpi {

/// The number of hosts; `hosts` are the names of all ranks' hosts.
inline int count(std::span<const std::string> hosts) {
  return static_cast<int>(std::set<std::string>(hosts.begin(), hosts.end()).size());
}

/// The number of hosts of the pairs of ranks i and i + p/2, for i < pairs; `hosts` are those of all p ranks.
/// Throws InputError unless the pairs are all within one host, or all between hosts.
inline int count_of_pairs(std::span<const std::string> hosts, int pairs) {
  const std::size_t half = hosts.size() / 2;
  std::set<std::string> used;
  int apart = 0;
  for (std::size_t i = 0; i < half && i < static_cast<std::size_t>(pairs); ++i) {
    used.insert({hosts[i], hosts[i + half]});
    apart += hosts[i] != hosts[i + half];
  }
  if (apart == 0 ? used.size() > 1 : apart != pairs)
    throw InputError(std::to_string(apart) + " of " + std::to_string(pairs) + " pairs of ranks (i and i + " +
                     std::to_string(half) + ") are between hosts, on " + std::to_string(used.size()) +
                     " hosts; place them all within one, or all between");
  return static_cast<int>(used.size());
}

}  // namespace collcast::mpi

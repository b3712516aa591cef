// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "replay/source/source.hpp"

namespace collcast::nccl {

/// How NCCL set a communicator up, by the GRAPH and INIT lines of a log.
class Graph {
 public:
  /// Takes in a line of NCCL's; other lines are ignored.
  void read(std::string_view text);
  /// Takes in what another rank says of the same communicator.
  void add(const Graph& other);
  /// A row for each pattern of channels, for the channels in use, and for the connections between ranks.
  std::vector<SetUp> rows(const std::string& communicator) const;

 private:
  void channel(std::string_view text);
  void pattern(std::string_view text);
  void channels_in_use(std::string_view text);

  std::map<std::int64_t, SetUp> patterns_;            ///< by NCCL's number of the pattern
  std::map<std::int64_t, std::string> rings_;         ///< the ranks of each channel's ring, in order
  std::map<std::string, std::int64_t> in_use_;        ///< channels by their use: "collectives"
  std::map<std::string, std::int64_t> by_transport_;  ///< connections, each by the rank that reports it
};

}  // namespace collcast::nccl

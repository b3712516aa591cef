// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "platforms/machine/machine.hpp"

namespace collcast {

class SharedCutGraphs;

/// What no schedule beats, and what forbids it, in words.
struct Bound {
  Seconds time;
  std::string cut;
  Seconds least = {}, most = {};  ///< at the fast and the slow end of the platform's uncertainty
};

/// Lower bounds of the collectives on one machine: by the links that data have to cross, by the latency of
/// messages, and by what is reduced. Cuts are found once for calls that differ in size alone.
class Bounds {
 public:
  /// `home`: where ranks keep what the algorithm calls device. `graphs`: those of other machines, too.
  Bounds(const Machine& machine, Memory home, std::shared_ptr<SharedCutGraphs> graphs)
      : machine_(machine), fabric_(machine, home), graphs_(std::move(graphs)) {}

  /// messages: sent and reduced as the machine describes. links: by a library with costs of its own, of which
  /// nothing is known but that its bytes cross the links; asked of a machine without software.
  enum class Of : std::uint8_t { messages, links };
  Bound operator()(const Algorithm& algorithm, const Call& call, Of of = Of::messages) const;

 private:
  /// Of calls that differ in size alone; but for counted ones what is carried is one byte.
  struct Found {
    Bound carrying, hearing;
    Seconds one_message;
  };
  Found of_one_byte(Collective collective, const Call& call, const Demands& demands,
                    const std::vector<Memory>& memories) const;

  const Machine& machine_;
  HomeFabric fabric_;
  std::shared_ptr<SharedCutGraphs> graphs_;
  mutable std::mutex found_mutex_;
  mutable std::map<std::vector<std::int64_t>, Found> found_;
};

}  // namespace collcast

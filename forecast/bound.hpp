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

/// A time that no schedule beats, and why.
struct Bound {
  Seconds time;     ///< on the platform as it is described
  std::string cut;  ///< in words: what limits it
  /// The bound where all bandwidths and times of the platform are at the fast ends of their uncertainty, and
  /// at the slow ones (docs/platforms.md).
  Seconds least = {}, most = {};
};

/// Lower bounds of collectives on one machine, by the links that data have to cross, by the latency of
/// messages, and by what is reduced. The worst cut is searched once for calls that differ in size alone.
class Bounds {
 public:
  /// `home`: the memory that algorithms call device. `graphs`: shared with the bounds of other machines.
  Bounds(const Machine& machine, Memory home, std::shared_ptr<SharedCutGraphs> graphs)
      : machine_(machine), fabric_(machine, home), graphs_(std::move(graphs)) {}

  /// messages: they are sent and reduced as the machine describes. links: a library sends them at costs of
  /// its own, so that only the links which its bytes cross are a bound; for a machine without software.
  enum class Of : std::uint8_t { messages, links };
  Bound operator()(const Algorithm& algorithm, const Call& call, Of of = Of::messages) const;

 private:
  /// The bounds of calls that differ in size alone, for a message of one byte unless blocks have counts.
  struct Found {
    Bound bandwidth, latency;
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

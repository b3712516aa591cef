// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engines/player/event.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// SimGrid's clock and flows, which share links max-min. Only one may exist at a time.
class Kernel {
 public:
  explicit Kernel(const std::vector<Link>& links);
  ~Kernel();

  Seconds now() const;
  /// Starts flow `id` now over at least one link, at a rate of at most `cap`.
  void start(Index id, std::span<const LinkId> route, Bytes bytes, BytesPerSecond cap);
  /// Runs until flows end, or until `limit`, which may be infinite. Returns the flows that ended; valid until
  /// the next call.
  std::span<const Index> advance(Seconds limit);
  std::size_t running() const { return running_; }

 private:
  struct Simulation;
  std::unique_ptr<Simulation> simulation_;
  std::size_t running_ = 0;
};

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engines/player/event.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// SimGrid: a clock and flows that share links max-min fairly. One at a time.
class Kernel {
 public:
  explicit Kernel(const std::vector<Link>& links);
  ~Kernel();

  Seconds now() const;
  /// Starts flow `id` at this moment over at least one link; `cap`: it never runs faster.
  void start(Index id, std::span<const LinkId> route, Bytes bytes, BytesPerSecond cap);
  /// Runs to the first moment when flows end, but not beyond `limit` (which may be infinite), and says which
  /// flows ended: until the next call.
  std::span<const Index> advance(Seconds limit);
  std::size_t running() const { return running_; }

 private:
  struct Simulation;
  std::unique_ptr<Simulation> simulation_;
  std::size_t running_ = 0;
};

}  // namespace collcast

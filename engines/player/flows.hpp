// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engines/player/event.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// Flows over the links of a fabric, and how they share them.
class Flows {
 public:
  virtual ~Flows() = default;
  virtual Seconds now() const = 0;
  virtual bool any() const = 0;
  /// Starts flow `id` now, no faster than `cap` (which may be infinite). Over no links: at `cap`.
  virtual void start(Index id, std::span<const LinkId> route, Bytes bytes, BytesPerSecond cap) = 0;
  /// Runs to the first moment when flows end, but not beyond `limit` (which may be infinite), and says which
  /// flows ended: until the next call.
  virtual std::span<const Index> advance(Seconds limit) = 0;
};

}  // namespace collcast

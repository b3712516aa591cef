// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engines/player/event.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// Flows over the links of a fabric, which share the bandwidth of the links.
class Flows {
 public:
  virtual ~Flows() = default;
  virtual Seconds now() const = 0;
  virtual bool any() const = 0;
  /// Starts flow `id` now, at a rate of at most `cap`, which may be infinite. Without links its rate is
  /// `cap`.
  virtual void start(Index id, std::span<const LinkId> route, Bytes bytes, BytesPerSecond cap) = 0;
  /// Runs until flows end, or until `limit`, which may be infinite. Returns the flows that ended; valid until
  /// the next call.
  virtual std::span<const Index> advance(Seconds limit) = 0;
  /// The link that cost a flow, which has just ended, most of the time that it lost by sharing. `no_link` if
  /// it lost none, or if that is not known.
  virtual LinkId held_by(Index) const { return no_link; }
};

}  // namespace collcast

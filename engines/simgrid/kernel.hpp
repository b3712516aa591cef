// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engines/player/event.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// SimGrid's clock and flows, which share links max-min. Only one may exist at a time.
class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual Seconds now() const = 0;
  /// Starts flow `id` now over at least one link, at a rate of at most `cap`. Throws InputError for 1 TiB or
  /// more.
  virtual void start(Index id, std::span<const LinkId> route, Bytes bytes, BytesPerSecond cap) = 0;
  /// Runs until flows end, or until `limit`, which may be infinite. Returns the flows that ended; valid until
  /// the next call.
  virtual std::span<const Index> advance(Seconds limit) = 0;
  virtual std::size_t running() const = 0;
};

/// The functions of the module that is linked with SimGrid (`collcast_simgrid_module`, kernel.cpp).
struct SimgridModule {
  std::unique_ptr<Kernel> (*kernel)(const std::vector<Link>& links);
  std::string (*version)();  ///< the release of SimGrid in use, such as "3.32"
};

/// The module, loaded at the first call. SimGrid and the 20 libraries behind it take 70 ms to load, which
/// forecasts without SimGrid should not pay. Throws InputError if it is not installed, SubstrateError if it
/// does not load.
const SimgridModule& simgrid_module();

}  // namespace collcast

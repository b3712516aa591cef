// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engines/player/flows.hpp"
#include "engines/player/timers.hpp"
#include "engines/simgrid/kernel.hpp"

namespace collcast {

/// SimGrid shares the links that several flows cross; while a flow is alone on all of its links it takes its
/// bytes' time, which needs no SimGrid.
class SimgridFlows : public Flows {
 public:
  /// `all_to_simgrid`: lone flows too.
  SimgridFlows(const std::vector<Link>& links, bool all_to_simgrid);

  Seconds now() const override { return now_; }
  bool any() const override { return running_ > 0; }
  void start(Index id, std::span<const LinkId> route, Bytes bytes, BytesPerSecond cap) override;
  std::span<const Index> advance(Seconds limit) override;

 private:
  struct Flow {
    std::vector<LinkId> route;
    Bytes bytes;
    BytesPerSecond rate, cap;  ///< when alone; what it may not exceed although its links could
    Seconds began, ends;
    bool alone = false;
  };
  struct Users {
    std::uint32_t count = 0;
    Index last = no_index;  ///< the one that is there, if there is one
  };

  void start_alone(Index id);
  void share(Index id);
  void finish(Index id);
  bool occupied(const Flow& flow) const;

  const std::vector<Link>& links_;
  const bool all_to_simgrid_;
  const std::unique_ptr<Kernel> kernel_;
  Seconds now_;
  std::size_t running_ = 0;
  std::vector<Flow> flows_;   ///< per message
  std::vector<Users> users_;  ///< per link
  Timers ends_;               ///< of lone flows; those of flows that are alone no longer are void
  std::vector<Index> ended_;
};

}  // namespace collcast

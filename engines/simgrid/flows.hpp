// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engines/player/flows.hpp"
#include "engines/player/timers.hpp"
#include "engines/simgrid/kernel.hpp"

namespace collcast {

/// Flows that SimGrid lets share links. A flow that is alone on all its links takes its bytes' time, which is
/// computed here without SimGrid.
class SimgridFlows : public Flows {
 public:
  /// `all_to_simgrid`: SimGrid computes lone flows too.
  SimgridFlows(const std::vector<Link>& links, bool all_to_simgrid);

  Seconds now() const override { return now_; }
  bool any() const override { return running_ > 0; }
  void start(Index id, std::span<const LinkId> route, Bytes bytes, BytesPerSecond cap) override;
  std::span<const Index> advance(Seconds limit) override;

 private:
  struct Flow {
    std::vector<LinkId> route;
    Bytes bytes;
    BytesPerSecond rate, cap;  ///< rate: when alone; cap: its own limit
    Seconds began, ends;
    bool alone = false;
  };
  struct Users {
    std::uint32_t count = 0;
    Index last = no_index;  ///< the index of the flow, if there is just one
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
  std::vector<Flow> flows_;   ///< by message
  std::vector<Users> users_;  ///< by link
  Timers ends_;               ///< of lone flows; an entry is void if its flow is no longer alone
  std::vector<Index> ended_;
};

}  // namespace collcast

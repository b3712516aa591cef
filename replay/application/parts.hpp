// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engines/player/player.hpp"
#include "model/fabric.hpp"
#include "replay/application/application.hpp"
#include "replay/application/moments.hpp"

namespace collcast {

/// What the time of each rank of an application goes to. Of messages each is under way from its software on
/// either side to its end; a collective with a price once all have come.
class Parts : public Observer {
 public:
  Parts(const Application& application, const Fabric& fabric)
      : application_(application), fabric_(fabric), ranks_(static_cast<std::size_t>(application.ranks())) {}
  void done(const Interval& interval) override;
  void delivered(const Delivery& delivery) override;

  struct OfRank {
    Seconds compute;
    Seconds communication;  ///< some of it is under way
    Seconds hidden;         ///< of that, while the rank computes
    Seconds waiting;        ///< nothing of it is under way
  };
  /// Of a run that took `time`.
  std::vector<OfRank> of_ranks(Seconds time) const;

 private:
  struct Rank {
    Moments compute, communication, either, all;
  };
  void communicates(collcast::Rank rank, Seconds begin, Seconds end);

  const Application& application_;
  const Fabric& fabric_;
  std::vector<Rank> ranks_;
};

}  // namespace collcast

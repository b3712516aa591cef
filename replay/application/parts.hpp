// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engines/player/player.hpp"
#include "model/fabric.hpp"
#include "replay/application/application.hpp"
#include "replay/application/moments.hpp"

namespace collcast {

/// What each rank's time goes to. A message is under way from the start of its software until it is done at
/// the rank's end. A collective with a price is under way once all its ranks have come.
class Parts : public Observer {
 public:
  Parts(const Application& application, const Fabric& fabric)
      : application_(application), fabric_(fabric), ranks_(static_cast<std::size_t>(application.ranks())) {}
  void done(const Interval& interval) override;
  void delivered(const Delivery& delivery) override;

  struct OfRank {
    Seconds compute;
    Seconds communication;  ///< time with some communication under way
    Seconds hidden;         ///< the part of that in which the rank computes
    Seconds waiting;        ///< time with nothing under way
  };
  /// For a run that took `time`.
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

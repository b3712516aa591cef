// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/contention/sharing.hpp"
#include "engines/player/flows.hpp"

namespace collcast {

/// Flows that share links max-min (sharing.hpp). The flows that start or end at one instant are solved
/// together.
class SharedFlows : public Flows {
 public:
  explicit SharedFlows(const std::vector<Link>& links) : sharing_(links) {}

  Seconds now() const override { return now_; }
  bool any() const override { return running_ > 0; }
  void start(Index id, std::span<const LinkId> route, Bytes bytes, BytesPerSecond cap) override;
  std::span<const Index> advance(Seconds limit) override;

 private:
  struct Flow {
    Bytes left;  ///< at `since`
    Seconds since, ends;
    BytesPerSecond pace;
  };
  void pace();
  bool is_void() const;
  void drop_void();
  void compact();

  Sharing sharing_;
  Seconds now_;
  std::size_t running_ = 0;
  std::vector<Flow> flows_;
  Agenda<Index> ends_;  ///< an entry is void if the flow's rate has changed since
  std::vector<Index> ended_;
};

}  // namespace collcast

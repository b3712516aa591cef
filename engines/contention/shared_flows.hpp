// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/contention/sharing.hpp"
#include "engines/player/flows.hpp"

namespace collcast {

/// Flows that share links max-min (sharing.hpp). The flows that start or end at one instant are solved
/// together.
class SharedFlows : public Flows {
 public:
  /// `explained`: `held_by` is known. The links outlive this.
  explicit SharedFlows(const std::vector<Link>& links, bool explained = false)
      : links_(links), explained_(explained), sharing_(links) {}

  Seconds now() const override { return now_; }
  bool any() const override { return running_ > 0; }
  void start(Index id, std::span<const LinkId> route, Bytes bytes, BytesPerSecond cap) override;
  std::span<const Index> advance(Seconds limit) override;
  LinkId held_by(Index id) const override { return explained_ ? losses_[id].most : no_link; }

 private:
  struct Flow {
    Bytes left;  ///< at `since`
    Seconds since, ends;
    BytesPerSecond pace;
  };
  /// The link that has cost a flow most of the time that it lost by sharing.
  struct Loss {
    BytesPerSecond alone;      ///< its rate without others
    LinkId current = no_link;  ///< the link that has slowed it since its rate last changed
    LinkId most = no_link;     ///< the link that has cost most
    Seconds lead;              ///< by how much more than the other links
  };
  void count_loss(Index id);
  void find_loss(Index id);
  void pace();
  bool is_void() const;
  void drop_void();
  void compact();

  const std::vector<Link>& links_;
  const bool explained_;
  Sharing sharing_;
  Seconds now_;
  std::size_t running_ = 0;
  std::vector<Flow> flows_;
  Agenda<Index> ends_;  ///< an entry is void if the flow's rate has changed since
  std::vector<Index> ended_;
  std::vector<Loss> losses_;  ///< by flow; kept if explained
};

}  // namespace collcast

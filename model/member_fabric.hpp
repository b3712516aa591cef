// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/fabric.hpp"

namespace collcast {

/// Some ranks of a fabric as a fabric: rank i is `members[i]` of it, and each has its own processor.
class MemberFabric : public Fabric {
 public:
  /// Both arguments outlive this.
  MemberFabric(const Fabric& fabric, std::span<const Rank> members) : fabric_(fabric), members_(members) {}

  Rank ranks() const override { return static_cast<Rank>(members_.size()); }
  Wire wire(Place from, Place to, Bytes bytes) const override {
    return fabric_.wire(world(from), world(to), bytes);
  }
  Switched switched(Switching what, Place from, Place to, Bytes bytes) const override {
    return fabric_.switched(what, world(from), world(to), bytes);
  }
  std::vector<Bytes> sizes() const override { return fabric_.sizes(); }
  SecondsPerByte gamma(Place place) const override { return fabric_.gamma(world(place)); }
  const MessageProtocol& protocol() const override { return fabric_.protocol(); }
  std::optional<AlphaBetaGamma> hockney() const override { return fabric_.hockney(); }
  Port ports() const override { return fabric_.ports(); }
  Port queues() const override { return fabric_.queues(); }
  std::string port_name(Port port) const override { return fabric_.port_name(port); }
  const std::vector<Link>& links() const override { return fabric_.links(); }
  double framing() const override { return fabric_.framing(); }
  void route(Place from, Place to, std::vector<LinkId>& links) const override {
    fabric_.route(world(from), world(to), links);
  }

 private:
  Place world(Place p) const { return {members_[static_cast<std::size_t>(p.rank)], p.memory}; }
  const Fabric& fabric_;
  std::span<const Rank> members_;
};

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "model/fabric.hpp"

namespace collcast::testing {

/// Ranks behind links of 1 byte per second each way, all of whose messages cross one trunk.
class SharedFabric : public Fabric {
 public:
  /// `per_byte`: of a lone message; slower than its links if above 1.
  SharedFabric(Rank ranks, double trunk, MessageProtocol::Hold hold, double latency = 0, double per_byte = 1)
      : ranks_(ranks),
        latency_(latency),
        per_byte_(std::max(per_byte, 1 / trunk)),
        protocol_{hold, Bytes(1e30), {}} {
    links_.resize(2 * static_cast<std::size_t>(ranks), {BytesPerSecond(1)});
    links_.push_back({BytesPerSecond(trunk)});
  }
  Rank ranks() const override { return ranks_; }
  Wire wire(Place from, Place to, Bytes) const override {
    const auto out = static_cast<Port>(from.rank), in = static_cast<Port>(to.rank + ranks_);
    if (from.rank == to.rank) return {{}, {}, {}, {}, {}, out, in};
    return {Seconds(latency_), {}, {}, {}, SecondsPerByte(per_byte_), out, in};
  }
  SecondsPerByte gamma(Place) const override { return {}; }
  const MessageProtocol& protocol() const override { return protocol_; }
  Port ports() const override { return static_cast<Port>(2 * ranks_); }
  std::string port_name(Port port) const override {
    const auto ranks = static_cast<Port>(ranks_);
    return (port < ranks ? "out " : "in ") + std::to_string(port % ranks);
  }
  const std::vector<Link>& links() const override { return links_; }
  std::string link_name(LinkId link) const override { return link < ports() ? port_name(link) : "trunk"; }
  void route(Place from, Place to, std::vector<LinkId>& links) const override {
    if (from.rank == to.rank) return;
    links.push_back(static_cast<LinkId>(from.rank));
    links.push_back(static_cast<LinkId>(2 * ranks_));
    links.push_back(static_cast<LinkId>(to.rank + ranks_));
  }

 private:
  Rank ranks_;
  double latency_, per_byte_;
  MessageProtocol protocol_;
  std::vector<Link> links_;
};

/// Two racks of ranks, the first half and the second: messages between them cross an uplink, one each way.
class RackFabric : public SharedFabric {
 public:
  RackFabric(Rank ranks, double uplink, MessageProtocol::Hold hold = MessageProtocol::Hold::injection)
      : SharedFabric(ranks, uplink, hold), links_(SharedFabric::links()) {
    links_.push_back({BytesPerSecond(uplink)});
  }
  Wire wire(Place from, Place to, Bytes bytes) const override {
    Wire w = SharedFabric::wire(from, to, bytes);
    if (rack(from.rank) == rack(to.rank)) w.per_byte = SecondsPerByte(1);
    return w;
  }
  const std::vector<Link>& links() const override { return links_; }
  std::string link_name(LinkId link) const override {
    return link < ports() ? port_name(link) : link == ports() ? "rack 0 to 1" : "rack 1 to 0";
  }
  void route(Place from, Place to, std::vector<LinkId>& links) const override {
    links.push_back(static_cast<LinkId>(from.rank));
    const int a = rack(from.rank), b = rack(to.rank);
    if (a != b) links.push_back(static_cast<LinkId>(2 * ranks() + a));
    links.push_back(static_cast<LinkId>(to.rank + ranks()));
  }

 private:
  int rack(Rank r) const { return r >= ranks() / 2; }
  std::vector<Link> links_;
};

}  // namespace collcast::testing

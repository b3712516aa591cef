// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/units.hpp"

namespace collcast::testbed {

using Host = std::uint16_t;
using LinkId = std::size_t;

/// As a destination: all hosts but the sender.
inline constexpr Host everyone = 0xffff;

/// One direction of a cable.
struct Link {
  std::string name;
  BytesPerSecond rate;
  Seconds latency;
};

/// A star of hosts; or racks of neighbouring hosts, whose switches are joined to a spine by an uplink and a
/// downlink each. The latency between any two hosts is the same, and all of it is on the link to the
/// receiver: what frames do to each other before that link is known that much ahead of time.
class Layout {
 public:
  /// `racks` divides `hosts`; 1 is a star and has no uplinks.
  Layout(Host hosts, BytesPerSecond rate, Seconds latency, Host racks = 1, BytesPerSecond uplink = {});

  Host hosts() const { return hosts_; }
  Seconds latency() const { return latency_; }
  const std::vector<Link>& links() const { return links_; }
  /// The link by which a host's frames come in.
  LinkId from(Host host) const { return host; }
  /// The host at the end of a link; `everyone` if it ends at a switch.
  Host end(LinkId link) const;
  /// The links that a frame takes after `link`: more than one where a frame for everyone is replicated.
  std::vector<LinkId> onward(LinkId link, Host source, Host destination) const;

 private:
  Host rack(Host host) const { return static_cast<Host>(host / (hosts_ / racks_)); }
  LinkId to(Host host) const { return hosts_ + LinkId{host}; }
  LinkId up(Host rack) const { return 2 * LinkId{hosts_} + rack; }
  LinkId down(Host rack) const { return 2 * LinkId{hosts_} + racks_ + rack; }
  void to_rack(Host rack, Host source, std::vector<LinkId>& links) const;

  Host hosts_, racks_;
  Seconds latency_;
  std::vector<Link> links_;
};

}  // namespace collcast::testbed

// SPDX-License-Identifier: Apache-2.0
#include "validation/testbed/switch/layout.hpp"

#include <cassert>

namespace collcast::testbed {

Layout::Layout(Host hosts, BytesPerSecond rate, Seconds latency, Host racks, BytesPerSecond uplink)
    : hosts_(hosts), racks_(racks), latency_(latency) {
  assert(racks > 0 && hosts % racks == 0);
  for (Host h = 0; h < hosts; ++h) links_.push_back({"h" + std::to_string(h) + " out", rate, {}});
  for (Host h = 0; h < hosts; ++h) links_.push_back({"h" + std::to_string(h) + " in", rate, latency});
  if (racks == 1) return;
  for (const char* direction : {" up", " down"})
    for (Host r = 0; r < racks; ++r) links_.push_back({"rack " + std::to_string(r) + direction, uplink, {}});
}

Host Layout::end(LinkId link) const {
  return link >= hosts_ && link < 2 * LinkId{hosts_} ? static_cast<Host>(link - hosts_) : everyone;
}

void Layout::to_rack(Host r, Host source, std::vector<LinkId>& links) const {
  const Host size = static_cast<Host>(hosts_ / racks_);
  for (Host i = 0; i < size; ++i)
    if (const Host h = static_cast<Host>(r * size + i); h != source) links.push_back(to(h));
}

std::vector<LinkId> Layout::onward(LinkId link, Host source, Host destination) const {
  std::vector<LinkId> links;
  const Host home = rack(source);
  const bool all = destination == everyone;
  if (link == from(source)) {
    if (all)
      to_rack(home, source, links);
    else if (rack(destination) == home)
      links.push_back(to(destination));
    if (racks_ > 1 && (all || links.empty())) links.push_back(up(home));
  } else if (link == up(home)) {
    for (Host r = 0; r < racks_; ++r)
      if (r != home && (all || r == rack(destination))) links.push_back(down(r));
  } else if (link >= down(0)) {
    if (all)
      to_rack(static_cast<Host>(link - down(0)), source, links);
    else
      links.push_back(to(destination));
  }
  return links;
}

}  // namespace collcast::testbed

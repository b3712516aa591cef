// SPDX-License-Identifier: Apache-2.0
#include "validation/testbed/switch/fabric.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace collcast::testbed {

Fabric::Fabric(Layout layout, Discipline discipline)
    : layout_(std::move(layout)),
      ports_(layout_.links().size(), Port{FrameQueue(discipline)}),
      traffic_(layout_.links().size()) {}

void Fabric::enter(Frame frame, Seconds time) {
  const LinkId link = layout_.from(frame.source);
  moves_.push({time, scheduled_++, Kind::arrival, link, std::move(frame)});
}

Seconds Fabric::next() const {
  const Seconds never(std::numeric_limits<double>::infinity());
  return std::min(deliveries_.empty() ? never : deliveries_.top().time,
                  moves_.empty() ? never : moves_.top().time + layout_.latency());
}

void Fabric::advance(Seconds now, const Deliver& deliver) {
  while (!moves_.empty() && moves_.top().time <= now) {
    const Event event = moves_.top();
    moves_.pop();
    move(event);
  }
  while (!deliveries_.empty() && deliveries_.top().time <= now) {
    const Event event = deliveries_.top();
    deliveries_.pop();
    deliver(event.frame, layout_.end(event.link), event.time);
  }
}

void Fabric::move(const Event& event) {
  Port& port = ports_[event.link];
  if (event.kind == Kind::idle)
    port.busy = false;
  else
    port.waiting.push(event.frame);
  if (!port.busy && !port.waiting.empty()) send(event.link, event.time);
}

void Fabric::send(LinkId id, Seconds start) {
  const Link& link = layout_.links()[id];
  const Frame frame = ports_[id].waiting.pop();
  const Seconds sent = start + frame.size / link.rate;
  const Seconds arrived = sent + link.latency;
  ports_[id].busy = true;
  ++traffic_[id].frames;
  traffic_[id].bytes += frame.size;
  moves_.push({sent, scheduled_++, Kind::idle, id, {}});
  if (layout_.end(id) != everyone) return deliveries_.push({arrived, scheduled_++, Kind::arrival, id, frame});
  for (const LinkId onward : layout_.onward(id, frame.source, frame.destination)) {
    // A faster link waits for as much of the frame as it would otherwise run out of.
    const Seconds ready = std::max(start + link.latency, arrived - frame.size / layout_.links()[onward].rate);
    moves_.push({ready, scheduled_++, Kind::arrival, onward, frame});
  }
}

}  // namespace collcast::testbed

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
  schedule(time, Kind::arrival, link, std::move(frame));
}

Seconds Fabric::next() const {
  return events_.empty() ? Seconds(std::numeric_limits<double>::infinity()) : events_.top().time;
}

void Fabric::advance(Seconds now, const Deliver& deliver) {
  while (!events_.empty() && events_.top().time <= now) {
    const Event event = events_.top();
    events_.pop();
    handle(event, deliver);
  }
}

void Fabric::schedule(Seconds time, Kind kind, LinkId link, Frame frame) {
  events_.push({time, scheduled_++, kind, link, std::move(frame)});
}

void Fabric::handle(const Event& event, const Deliver& deliver) {
  Port& port = ports_[event.link];
  switch (event.kind) {
    case Kind::arrival:
      port.waiting.push(event.frame);
      if (!port.busy) send(event.link, event.time);
      break;
    case Kind::idle:
      port.busy = false;
      if (!port.waiting.empty()) send(event.link, event.time);
      break;
    case Kind::delivery:
      deliver(event.frame, layout_.end(event.link), event.time);
      break;
  }
}

void Fabric::send(LinkId id, Seconds start) {
  const Link& link = layout_.links()[id];
  const Frame frame = ports_[id].waiting.pop();
  const Seconds sent = start + frame.size / link.rate;
  const Seconds arrived = sent + link.latency;
  ports_[id].busy = true;
  ++traffic_[id].frames;
  traffic_[id].bytes += frame.size;
  schedule(sent, Kind::idle, id, {});
  if (layout_.end(id) != everyone) return schedule(arrived, Kind::delivery, id, frame);
  for (const LinkId onward : layout_.onward(id, frame.source, frame.destination)) {
    // A faster link waits for as much of the frame as it would else run out of.
    const Seconds ready = std::max(start + link.latency, arrived - frame.size / layout_.links()[onward].rate);
    schedule(ready, Kind::arrival, onward, frame);
  }
}

}  // namespace collcast::testbed

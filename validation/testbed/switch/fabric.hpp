// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "validation/testbed/switch/frame_queue.hpp"
#include "validation/testbed/switch/layout.hpp"

namespace collcast::testbed {

struct Traffic {
  std::uint64_t frames = 0;
  Bytes bytes;
};

/// A network of ideal links in virtual time, which tells when each frame's last byte reaches its host. A link
/// sends one frame at a time, at its rate, and keeps the others waiting without bound. Switches cut through:
/// a frame leaves while it still comes in, as soon as it can leave without a gap. So a message takes latency
/// + bytes / rate over any number of links of one rate. The program that drives the network may be late, but
/// virtual times are not, so that lateness does not add up.
class Fabric {
 public:
  using Deliver = std::function<void(const Frame&, Host, Seconds due)>;

  Fabric(Layout layout, Discipline discipline);

  /// Hands in a frame that the source's link may begin to send at `time`, which is not before the last
  /// `advance`.
  void enter(Frame frame, Seconds time);
  /// When the next frame is delivered; infinity if nothing is under way.
  Seconds next() const;
  /// Plays everything up to `now`, and delivers what has arrived, in the order of arrival.
  void advance(Seconds now, const Deliver& deliver);

  const Layout& layout() const { return layout_; }
  /// What each link has sent.
  const std::vector<Traffic>& traffic() const { return traffic_; }

 private:
  enum class Kind : std::uint8_t { arrival, idle };
  struct Event {
    Seconds time;
    std::uint64_t order;  ///< order of events at the same time
    Kind kind;
    LinkId link;
    Frame frame;
    bool operator>(const Event& o) const { return time != o.time ? time > o.time : order > o.order; }
  };
  struct Port {
    FrameQueue waiting;
    bool busy = false;
  };

  using Events = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

  void move(const Event& event);
  void send(LinkId link, Seconds start);

  Layout layout_;
  std::vector<Port> ports_;  ///< by link
  std::vector<Traffic> traffic_;
  Events moves_, deliveries_;
  std::uint64_t scheduled_ = 0;
};

}  // namespace collcast::testbed

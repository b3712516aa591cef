// SPDX-License-Identifier: Apache-2.0
#include "validation/testbed/switch/frame_queue.hpp"

#include <cassert>
#include <utility>

namespace collcast::testbed {

void FrameQueue::push(Frame frame) {
  const Host lane = discipline_ == Discipline::fifo ? Host{0} : frame.source;
  std::deque<Frame>& frames = lanes_[lane];
  if (frames.empty()) turns_.push_back(lane);
  frames.push_back(std::move(frame));
}

Frame FrameQueue::pop() {
  assert(!empty());
  const Host lane = turns_.front();
  turns_.pop_front();
  std::deque<Frame>& frames = lanes_[lane];
  Frame frame = std::move(frames.front());
  frames.pop_front();
  if (!frames.empty()) turns_.push_back(lane);
  return frame;
}

}  // namespace collcast::testbed

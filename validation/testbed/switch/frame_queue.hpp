// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "validation/testbed/switch/layout.hpp"

namespace collcast::testbed {

/// A frame of Ethernet. Copies share the payload.
struct Frame {
  Host source, destination;
  Bytes size;
  std::shared_ptr<const std::vector<std::byte>> payload;
};

/// The order in which a link sends waiting frames: that of arrival, or one frame of each source in turn.
enum class Discipline : std::uint8_t { fifo, round_robin };

class FrameQueue {
 public:
  explicit FrameQueue(Discipline discipline) : discipline_(discipline) {}

  bool empty() const { return turns_.empty(); }
  void push(Frame frame);
  Frame pop();

 private:
  Discipline discipline_;
  std::map<Host, std::deque<Frame>> lanes_;  ///< by source; a single one for fifo
  std::deque<Host> turns_;                   ///< lanes with frames, the next one first
};

}  // namespace collcast::testbed

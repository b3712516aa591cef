// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "replay/trace/container.hpp"
#include "replay/trace/tail.hpp"

namespace collcast::recorder {

/// The file that holds what is not yet written into a recording (replay/trace/tail.hpp), in our memory. Where
/// it cannot be made there is none: what is not written is lost if the process is killed.
class Tail {
 public:
  void open(const std::string& recording, int rank);
  /// Nothing is in it: the recording has all, in `size` bytes.
  void begin(std::int64_t size);
  /// What it holds comes behind `size` bytes of the recording now.
  void follow(std::int64_t size);
  /// It holds these bytes, which begin with those that it held before, of `count` events in `wall_ns`.
  void hold(trace::ByteSpan events, std::uint32_t count, std::int64_t wall_ns);
  void remove();

 private:
  std::string path_;
  trace::TailHeader* header_ = nullptr;
  std::size_t held_ = 0;
};

}  // namespace collcast::recorder

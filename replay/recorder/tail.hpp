// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "replay/trace/container.hpp"
#include "replay/trace/tail.hpp"

namespace collcast::recorder {

/// The file that holds what is not yet written into a recording (replay/trace/tail.hpp), mapped into our
/// memory. If it cannot be made, there is none, and what is not written is lost if the process is killed.
class Tail {
 public:
  void open(const std::string& recording, int rank);
  /// Empties the tail: the recording has everything, in `size` bytes.
  void begin(std::int64_t size);
  /// From now on the tail follows `size` bytes of the recording.
  void follow(std::int64_t size);
  /// Stores these bytes of `count` events up to `wall_ns`; they begin with the bytes that it held before.
  void hold(trace::ByteSpan events, std::uint32_t count, std::int64_t wall_ns);
  void remove();

 private:
  std::string path_;
  trace::TailHeader* header_ = nullptr;
  std::size_t held_ = 0;
};

}  // namespace collcast::recorder

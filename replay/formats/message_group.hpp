// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "replay/source/recorded.hpp"

namespace collcast {

/// Messages that begin one after another and are then waited for together, as NCCL plays a group. Their
/// requests count up from `first`.
class MessageGroup {
 public:
  explicit MessageGroup(RecordedSource::Stream& stream, std::int64_t first = 0)
      : stream_(stream), next_(first) {}

  void add(Activity message) {
    if (message.kind != Activity::Kind::skipped) open_.push_back(message.request = next_++);
    stream_.push_back(std::move(message));
  }

  /// Waits for the messages that were begun; returns how many these were.
  std::int64_t finish() {
    const std::int64_t messages = std::ssize(open_);
    if (messages == 0) return 0;
    Activity& wait = stream_.emplace_back(wait_activity(std::exchange(open_, {})));
    wait.operation = wait.call = "group";
    return messages;
  }

 private:
  RecordedSource::Stream& stream_;
  std::vector<std::int64_t> open_;
  std::int64_t next_;
};

}  // namespace collcast

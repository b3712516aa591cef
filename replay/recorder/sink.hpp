// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/recorder/tail.hpp"
#include "replay/trace/codec.hpp"
#include "replay/trace/container.hpp"
#include "support/loss.hpp"

namespace collcast::recorder {

/// One rank's recording file. It has whole pieces only; events that do not yet make a piece are in a tail
/// file, so that a killed run loses nothing that was recorded.
class Sink {
 public:
  /// Opens `directory`/rank-NNNNNN.cctr. If that fails, says so on stderr and stays closed.
  void open(const std::string& directory, int rank, const std::string& metadata);
  bool is_open() const { return descriptor_ >= 0; }

  /// Appends an event at `now_ns`; writes a piece when enough events have gathered or a second has passed.
  /// The recording then spans `recorded_ns` of wall-clock time.
  void put(const trace::Event& event, std::int64_t now_ns, std::int64_t recorded_ns);
  /// Adds the world ranks of the next communicator; written before the events that follow.
  void define(std::vector<int> members) { groups_.push_back(std::move(members)); }
  /// Counts a call that a replay cannot play.
  void lose(const char* operation, const char* reason) { losses_.add(operation, reason); }

  /// Notes how many collectives the rank has called on the world.
  void reach(std::int64_t collectives) { collectives_ = collectives; }

  /// Writes what is buffered, and how far the recording has come.
  void flush(std::int64_t now_ns, std::int64_t recorded_ns, bool finished);

 private:
  void write_groups();
  void write_piece(trace::PieceKind kind, std::uint32_t count, trace::ByteSpan raw);
  void write(trace::ByteSpan bytes);
  void give_up(int reason);
  std::string status(std::int64_t recorded_ns, bool finished) const;

  std::string directory_, path_;
  int descriptor_ = -1;
  int rank_ = 0;
  std::int64_t size_ = 0;
  std::int64_t flushed_ns_ = 0;
  std::int64_t collectives_ = 0;
  trace::Encoder encoder_;
  Tail tail_;
  std::vector<std::vector<int>> groups_;
  LossSums losses_;
};

}  // namespace collcast::recorder

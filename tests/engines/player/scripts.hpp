// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "model/program.hpp"

namespace collcast::testing {

struct Line;
/// What a strand does: batches of operations.
using Script = std::vector<std::vector<Line>>;
struct Line {
  Op op;
  Script started = {};
};

inline Line compute(double seconds, std::int32_t request = 0) {
  Op op;
  op.time = Seconds(seconds);
  op.request = request;
  return {op};
}
inline Line message(Op::Kind kind, Rank peer, double bytes, std::uint64_t tag, std::int32_t request) {
  Op op;
  op.kind = kind;
  op.peer = peer;
  op.bytes = Bytes(bytes);
  op.tag = tag;
  op.request = request;
  return {op};
}
inline Line send(Rank to, double bytes, std::uint64_t tag = 0, std::int32_t request = 0) {
  return message(Op::Kind::send, to, bytes, tag, request);
}
inline Line receive(Rank from, double bytes, std::uint64_t tag = 0, std::int32_t request = 0) {
  return message(Op::Kind::receive, from, bytes, tag, request);
}
inline Line reduce(Rank from, double bytes) {
  Line line = receive(from, bytes);
  line.op.combine = Combine::reduce;
  return line;
}
inline Line multicast(Ranks to, double bytes) {
  Line line = message(Op::Kind::multicast, 0, bytes, 0, 0);
  line.op.group = to;
  return line;
}
inline Line wait(std::int32_t request) {
  return message(Op::Kind::wait, 0, 0, 0, request);
}
inline Line join(std::int32_t count, std::uint64_t tag) {
  Line line = message(Op::Kind::join, 0, 0, tag, 0);
  line.op.count = count;
  return line;
}
inline Line meet(std::int32_t count, std::uint64_t tag, double seconds) {
  Line line = message(Op::Kind::meet, 0, 0, tag, 0);
  line.op.count = count;
  line.op.time = Seconds(seconds);
  return line;
}
inline Line start(Script what, std::uint64_t tag, std::int32_t request = 0) {
  Line line = message(Op::Kind::start, 0, 0, tag, request);
  line.started = std::move(what);
  return line;
}

class ScriptStrand : public Strand {
 public:
  explicit ScriptStrand(const Script& script) : script_(script) {}
  bool next(Batch& batch) override {
    if (at_ == script_.size()) return false;
    for (const Line& line : script_[at_]) {
      batch.ops.push_back(line.op);
      if (line.op.kind != Op::Kind::start) continue;
      batch.ops.back().strand = static_cast<std::uint32_t>(batch.strands.size());
      batch.strands.push_back(std::make_unique<ScriptStrand>(line.started));
    }
    ++at_;
    return true;
  }

 private:
  const Script& script_;
  std::size_t at_ = 0;
};

/// A program written out: one script per rank.
class Written : public Program {
 public:
  explicit Written(std::vector<Script> scripts) : scripts_(std::move(scripts)) {}
  Rank ranks() const override { return static_cast<Rank>(scripts_.size()); }
  std::unique_ptr<Strand> main(Rank rank) override {
    return std::make_unique<ScriptStrand>(scripts_[static_cast<std::size_t>(rank)]);
  }

 private:
  std::vector<Script> scripts_;
};

}  // namespace collcast::testing

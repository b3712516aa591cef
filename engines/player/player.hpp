// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engines/player/result.hpp"
#include "model/fabric.hpp"
#include "model/program.hpp"

namespace collcast {

class Backend;

/// Thrown when the user has stopped a run.
struct Interrupted : std::runtime_error {
  Interrupted() : runtime_error("interrupted") {}
};

/// Receives what happens while a program is played, each thing as it ends.
class Observer {
 public:
  struct Interval {
    Rank rank;
    /// compute, pause, wait, or start, which stands for a whole strand. Blocking send, receive, copy and
    /// multicast are reported of main strands and of strands whose start has no tag.
    Op::Kind kind;
    std::uint64_t tag;  ///< the operation's; of a wait, the request
    Seconds begin, end;
    std::int32_t track = 0;  ///< the rank's track on which the strand plays
    Rank peer = -1;          ///< of a message; -1: none or several
    Bytes bytes = {};        ///< of a message, or as the `start` of a strand says
  };
  /// A batch that is a step of a schedule.
  struct Step {
    Rank rank;
    std::int32_t track;
    std::int64_t number;
    Seconds begin, end;
  };
  /// A message, or one copy of a multicast.
  struct Delivery {
    Place from, to;
    Bytes bytes;
    Combine combine;
    Seconds posted;   ///< when it reaches its port
    Seconds left;     ///< when its first byte leaves
    Seconds first;    ///< the earliest arrival of its first byte
    Seconds arrived;  ///< when its last byte arrives
    Seconds done;     ///< when it is received, and reduced
  };
  /// A message's use of a port or a link.
  struct Use {
    bool link;  ///< false: a port
    std::uint32_t which;
    Bytes bytes;
    Seconds begin, end;
    Seconds busy;  ///< a port: end - begin; a link: the time of the bytes at full bandwidth
  };
  virtual ~Observer() = default;
  virtual void done(const Interval& interval) = 0;
  virtual void stepped(const Step&) {}
  virtual void delivered(const Delivery&) {}
  virtual void used(const Use&) {}
};

/// Several observers as one.
class Observers : public Observer {
 public:
  explicit Observers(std::vector<Observer*> all) : all_(std::move(all)) {}
  void done(const Interval& interval) override {
    for (Observer* one : all_) one->done(interval);
  }
  void stepped(const Step& step) override {
    for (Observer* one : all_) one->stepped(step);
  }
  void delivered(const Delivery& delivery) override {
    for (Observer* one : all_) one->delivered(delivery);
  }
  void used(const Use& use) override {
    for (Observer* one : all_) one->used(use);
  }

 private:
  std::vector<Observer*> all_;
};

/// Names the operation of an interval; empty: it is not shown.
using NameOf = std::function<std::string(const Observer::Interval&)>;
/// Makes the observer of a run on a fabric; the observer outlives the run.
using Watched = std::function<Observer*(const Fabric& fabric, const NameOf& name)>;

struct PlayOptions {
  Observer* observer = nullptr;
  /// Called from time to time with the simulated time and the number of messages begun so far.
  std::function<void(Seconds, std::int64_t)> progress = nullptr;
  /// Read from time to time; once true, playing throws Interrupted.
  const std::atomic<bool>* interrupt = nullptr;
  /// A deadlock ends the run, and Result::stopped_short says what ranks wait for; otherwise it is an error.
  bool may_stop_short = false;
  /// Play in this process even if the engine would use a child process, so that what the program learns while
  /// it is played is kept; see engines/simgrid/simulate.hpp for what is lost.
  bool here = false;
  bool explain = false;  ///< Result::chain is filled
};

/// Plays a program on `fabric`; `backend` carries its messages. Deterministic. Throws InputError at a
/// deadlock.
Result play(Program& program, const Fabric& fabric, Backend& backend, const PlayOptions& options = {});

/// The same without contention beyond ports: the critical path of the program.
Result play(Program& program, const Fabric& fabric, const PlayOptions& options = {});

}  // namespace collcast

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

/// The user stopped a run.
struct Interrupted : std::runtime_error {
  Interrupted() : runtime_error("interrupted") {}
};

/// Told what happens while a program is played, each as it ends.
class Observer {
 public:
  struct Interval {
    Rank rank;
    Op::Kind kind;  ///< compute, pause; start: whole strand; wait; of a main strand, or one whose start has
                    ///< no tag, without request: send, receive, copy, multicast
    std::uint64_t tag;  ///< the operation's; of a wait its request
    Seconds begin, end;
    std::int32_t track = 0;  ///< of the rank: that of the strand which did it
    Rank peer = -1;          ///< of a message, the other end; -1: none, or several
    Bytes bytes = {};        ///< of a message; of a strand what its `start` says
  };
  /// A batch that is a step of a collective's schedule.
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
    Seconds posted;   ///< it comes to its port
    Seconds left;     ///< its first byte leaves
    Seconds first;    ///< the earliest that its first byte can be there
    Seconds arrived;  ///< its last byte is there
    Seconds done;     ///< received, and reduced
  };
  /// What kept a port or a link busy.
  struct Use {
    bool link;  ///< else a port
    std::uint32_t which;
    Bytes bytes;
    Seconds begin, end;
    Seconds busy;  ///< of that: ports all of it, links what the bytes take at full bandwidth
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

/// What the operation of an interval is called; empty: nothing that a reader wants to see.
using NameOf = std::function<std::string(const Observer::Interval&)>;
/// Makes who observes a run on this fabric; it outlives the run.
using Watched = std::function<Observer*(const Fabric& fabric, const NameOf& name)>;

struct PlayOptions {
  Observer* observer = nullptr;
  /// Called now and then with the simulated time and the number of messages begun so far.
  std::function<void(Seconds, std::int64_t)> progress = nullptr;
  /// Looked at now and then; once true, playing throws Interrupted.
  const std::atomic<bool>* interrupt = nullptr;
  /// Ranks that wait for what never comes end the run, and the result says so, instead of an error.
  bool may_stop_short = false;
  /// In this process, so that what the program learns while it is played stays known; engines that play in a
  /// child process by themselves then lose what that is good for (engines/simgrid/simulate.hpp).
  bool here = false;
  bool explain = false;  ///< the result has the chain of causes
};

/// Plays a program on `fabric`, whose messages `backend` carries; deterministic. Throws InputError if ranks
/// wait for what never comes.
Result play(Program& program, const Fabric& fabric, Backend& backend, const PlayOptions& options = {});

/// The same on a network without contention beyond its ports: the critical path of the program.
Result play(Program& program, const Fabric& fabric, const PlayOptions& options = {});

}  // namespace collcast

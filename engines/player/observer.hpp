// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/fabric.hpp"
#include "model/program.hpp"

namespace collcast {

/// Receives what happens while a program is played, each thing as it ends.
class Observer {
 public:
  struct Interval {
    Rank rank;
    /// compute, pause, wait, or start, which stands for a whole strand. Blocking send, receive, copy and
    /// multicast are reported only for main strands and for strands whose start has no tag.
    Op::Kind kind;
    std::uint64_t tag;  ///< the operation's; of a wait, the request
    Seconds begin, end;
    std::int32_t track = 0;  ///< the rank's track on which the strand plays
    Rank peer = -1;          ///< of a message; -1: none or several
    Bytes bytes = {};        ///< of a message, or as the `start` of a strand says
    Seconds met =
        Seconds(-1);  ///< of a start: when all had come to the strand's last meeting; -1: it had none
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
    Seconds posted;           ///< when it reaches its port
    Seconds left;             ///< when its first byte leaves
    Seconds first;            ///< the earliest arrival of its first byte
    Seconds arrived;          ///< when its last byte arrives
    Seconds done;             ///< when it is received, and reduced
    std::uint64_t order = 0;  ///< Op::order
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

}  // namespace collcast

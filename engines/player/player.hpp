// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>

#include "engines/player/result.hpp"
#include "model/fabric.hpp"
#include "model/program.hpp"

namespace collcast {

class Backend;

/// The user stopped a run.
struct Interrupted : std::runtime_error {
  Interrupted() : runtime_error("interrupted") {}
};

/// Told when operations end that an account of a rank's time wants to know of.
class Observer {
 public:
  struct Interval {
    Rank rank;
    Op::Kind kind;      ///< start: whole strand; wait; of a main strand without request: send, receive, copy,
                        ///< multicast
    std::uint64_t tag;  ///< the operation's; of a wait its request
    Seconds begin, end;
  };
  virtual ~Observer() = default;
  virtual void done(const Interval& interval) = 0;
};

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

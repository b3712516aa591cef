// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "engines/player/observer.hpp"
#include "engines/player/result.hpp"

namespace collcast {

class Backend;

/// How a program is played.
struct PlayOptions {
  Observer* observer = nullptr;
  /// Called from time to time with the simulated time and the number of messages begun so far.
  std::function<void(Seconds, std::int64_t)> progress = nullptr;
  /// If true, a deadlock ends the run, and Result::stopped_short says what ranks wait for. Otherwise it is an
  /// error.
  bool may_stop_short = false;
  /// Play in this process even if the engine would use a child process. Changes that the program makes to
  /// itself while it is played are then kept; see engines/simgrid/simulate.hpp for what is lost.
  bool here = false;
  bool explain = false;  ///< Result::chain is filled
};

/// Plays a program on `fabric`; `backend` carries its messages. Deterministic. Throws InputError at a
/// deadlock, and Interrupted (support/interrupt.hpp).
Result play(Program& program, const Fabric& fabric, Backend& backend, const PlayOptions& options = {});

/// The same, without contention except at ports: the critical path of the program.
Result play(Program& program, const Fabric& fabric, const PlayOptions& options = {});

}  // namespace collcast

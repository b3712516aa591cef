// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "replay/trace/recording.hpp"

namespace collcast::recorder {

struct RecordOptions {
  std::string folder = "collcast-recording";  ///< for trace.cct, and for the ranks' files while recording
  std::vector<std::string> command;           ///< mpirun ... application ...
  std::string window;  ///< part of the run, as Window reads it; empty: COLLCAST_RECORD_WINDOW, or all
};

struct Recorded {
  /// Exit code of the command; 128 + signal if a signal ended it, or came to us while it ran.
  int application_status = 0;
  trace::Merged trace;
  std::vector<std::string> notes;    ///< why the trace is incomplete; empty if it is complete
  std::vector<std::string> remarks;  ///< on what else is unusual in the trace
};

/// Runs the command with the recorder in front of its MPI library, then merges what the ranks wrote into one
/// trace, even if the application failed. Throws InputError if the command cannot be run or records nothing.
Recorded record_run(const RecordOptions& options);

/// The same for the command line: prints one short summary, returns the application's exit code.
int record(const RecordOptions& options);

/// Makes the trace of an interrupted recording from what its ranks left in `folder`. Throws as trace::merge
/// does.
trace::Merged merge_interrupted(const std::string& folder);

/// The command with the launcher's options that give the recorder's environment to every rank on every host.
/// `launcher_version` is what `mpirun --version` prints.
std::vector<std::string> with_recorder(const std::vector<std::string>& command,
                                       const std::string& launcher_version,
                                       const std::vector<std::pair<std::string, std::string>>& environment);

}  // namespace collcast::recorder

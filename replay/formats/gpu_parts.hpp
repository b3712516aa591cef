// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replay/formats/gpu_time.hpp"
#include "replay/formats/one_job.hpp"

/// The parts that gpu_time.cpp makes a source of.
namespace collcast::gpu {

/// No host call says which collective the kernel plays.
bool lacks_host_call(const Comm& comm);

bool is_message(const Comm& comm);

/// Finds for each communication kernel the host call that launched it, and drops the waits that are part of
/// such calls.
void join_host(RankTrace& trace);

/// The kernels of one stream, and what each of them waits for in others.
struct GpuStream {
  std::vector<const Kernel*> kernels;
  std::vector<double> launched, done;  ///< when this kernel and all before it were; no launch: before all
  std::vector<std::vector<std::pair<int, std::size_t>>> awaits;  ///< per kernel: stream, kernel
  std::vector<bool> recorded;                                    ///< some kernel awaits this one
};

/// Streams in the order of their compute time, the busiest first.
std::vector<GpuStream> streams_of(const RankTrace& trace);

/// Finds the part of the run that is asked for, and keeps only its kernels, in the order in which they began.
/// Adds a note if the trace lacks some of the steps.
Span select(RankTrace& trace, const OpenOptions& options, std::vector<std::string>& notes);

/// Which ranks call each group.
class Callers {
 public:
  Callers(const std::vector<RankTrace>& traces, Rank world);

  /// All callers of a group, in the order of their ranks in it if these are said; empty: not all were
  /// recorded. `size`: 0: unknown.
  std::vector<Rank> of(const std::string& group, Rank size) const;

  /// Whether each caller of a group has the place in it that it would have at that distance.
  bool fit(const std::string& group, Rank size, Rank stride) const;

 private:
  void add(const RankTrace& trace, const Comm& comm);

  std::map<std::string, std::map<Rank, int>> all_;  ///< by group: callers with their places; -1: not said
  bool whole_;
};

/// An activity that is played at another time than it was recorded at.
struct Retimed {
  Rank rank;
  int stream;
  std::size_t activity;
  Span recorded;  ///< times since the begin of the window
};

/// Lowers a rank's kernels in the window to the activities of its streams.
std::vector<Retimed> add_activities(RecordedSource& source, const RankTrace& trace, const Callers& callers,
                                    Span window);

/// The number of ranks in the largest group that a trace names.
Rank largest_group(const RankTrace& trace);

/// Throws InputError if files say that they are of different jobs; notes signs that they may be.
void refuse_several_jobs(const std::vector<RankTrace>& traces, std::vector<std::string>& notes);

/// When the kernels in the window ran, by a wall clock; none if nothing tells.
std::optional<WallTime> by_wall_clock(const RankTrace& trace, Span window);

/// Takes the ranks from the names of the files if no file says its rank and each name has a different one
/// below `world`.
void name_ranks(std::vector<RankTrace>& traces, Rank world);

/// Finds which file is which rank: as all files of a job say, else in the order of the files.
Rank assign_ranks(std::vector<RankTrace>& traces, Rank world);

}  // namespace collcast::gpu

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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

/// The number of ranks in the largest group that a trace names.
Rank largest_group(const RankTrace& trace);

/// Throws InputError if files say that they are of different jobs; notes signs that they may be.
void refuse_several_jobs(const std::vector<RankTrace>& traces, std::vector<std::string>& notes);

/// When the kernels in the window ran, by a wall clock; none if nothing tells.
std::optional<Period> by_wall_clock(const RankTrace& trace, Span window);

/// Takes the ranks from the names of the files if no file says its rank and each name has a different one
/// below `world`.
void name_ranks(std::vector<RankTrace>& traces, Rank world);

/// Finds which file is which rank: as all files of a job say, else in the order of the files.
Rank assign_ranks(std::vector<RankTrace>& traces, Rank world);

}  // namespace collcast::gpu

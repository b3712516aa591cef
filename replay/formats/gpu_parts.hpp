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

/// A kernel whose collective no host call says.
bool is_apart(const Comm& comm);

bool is_message(const Comm& comm);

/// Finds for each communication kernel the host call that launched it, and forgets the waits that belong to
/// calls.
void join_host(RankTrace& trace);

/// The kernels of one stream, and what each of them waits for in others.
struct GpuStream {
  std::vector<const Kernel*> kernels;
  std::vector<double> launched, done;  ///< when this kernel and all before it were; no launch: before all
  std::vector<std::vector<std::pair<int, std::size_t>>> awaits;  ///< per kernel: stream, kernel
  std::vector<bool> recorded;                                    ///< somebody awaits it
};

/// Streams in the order of their compute time, the busiest first.
std::vector<GpuStream> streams_of(const RankTrace& trace);

/// The ranks of the largest group that a trace tells of.
Rank largest_group(const RankTrace& trace);

/// Throws InputError if files say that they are of different jobs; notes what only may say so.
void refuse_several_jobs(const std::vector<RankTrace>& traces, std::vector<std::string>& notes);

/// When the kernels that are looked at ran, by a wall clock; none if nothing tells.
std::optional<Period> by_wall_clock(const RankTrace& trace, Span window);

/// Takes ranks that no file says from the names of the files, where each has another one below `world`.
void name_ranks(std::vector<RankTrace>& traces, Rank world);

/// Who is which rank: the files say so, all of one job, or the order of the files does.
Rank assign_ranks(std::vector<RankTrace>& traces, Rank world);

}  // namespace collcast::gpu

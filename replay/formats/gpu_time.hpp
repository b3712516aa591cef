// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "replay/formats/formats.hpp"
#include "replay/source/recorded.hpp"

/// What profilers record of a GPU and its host, and how a replay is made of it; the rules are in
/// docs/traces.md. Times are in us.
namespace collcast::gpu {

/// What a host call or a kernel says of a communication.
struct Comm {
  std::string name, group, type;
  double input = -1, output = -1;  ///< elements; -1: not said
  double bytes = -1;               ///< instead of elements: NCCL's count, in bytes
  int size = 0, start = -1, stride = 0, peer = -1;
  int root = -1;  ///< of a broadcast, reduction, gather or scatter, by its place in the group; -1: not said
  int own = -1;   ///< which of the group the calling rank is; -1: not said
  std::vector<int> ranks;  ///< of the group; empty: not said
  std::vector<int> sent,
      received;                ///< of an all-to-all: proportions to and from each member; empty: equal
  std::vector<Comm> messages;  ///< of a group that one kernel plays
  bool known() const;          ///< the name is that of a collective or message
  bool sized() const;
};

struct Span {
  double begin, end;
};
struct HostCall : Span {
  Comm comm;
  bool launched = false;       ///< whether it launched a kernel
  std::int64_t external = -1;  ///< torch's number of the call, which the call's kernels name; -1: not said
};
struct Kernel : Span {
  std::int64_t correlation;
  std::pair<std::int64_t, std::int64_t> stream;  ///< device, stream
  bool communicates, copies;
  std::int64_t call = -1;  ///< index into RankTrace::comms
  double launch = -1;
  std::int64_t external = -1;         ///< HostCall::external of the call that launched it
  bool called = false;                ///< whether a known host call launched it
  std::optional<Span> recorded = {};  ///< its recorded time, if it is played at another one
};
struct Launch {
  double at;
  std::int64_t thread;
  bool of_graph;
};
struct Step : Span {
  std::int64_t number;
};

/// What a file says of its job; all files of a job say the same. Empty: not said.
struct JobMetadata {
  std::string backend, library;  ///< of torch's default group, and NCCL's version
  std::vector<Rank> world;       ///< the default group
};

/// One rank, as far as a replay needs it.
struct RankTrace {
  std::string path;
  Rank rank = -1, world = -1;
  std::int64_t base_ns = 0;  ///< begin of the file's clock: times are since then
  JobMetadata job;
  std::string gpu;  ///< the name of the rank's first GPU; empty: not said
  std::map<std::string, std::vector<Rank>> groups;
  std::map<std::string, std::string> descriptions;  ///< of groups
  bool nccl_ids = false;  ///< groups are NCCL's communicators, with ids of their own; peers are ranks of them
  std::vector<Kernel> kernels;
  std::vector<Comm> comms;
  std::unordered_map<std::int64_t, Launch> launches;
  std::map<std::int64_t, std::vector<HostCall>> calls;  ///< by thread
  std::vector<std::pair<std::int64_t, double>> waits;   ///< stream waits: thread, when
  std::vector<Step> steps;
  std::vector<HostCall> played_by_hosts;  ///< calls of gloo, MPI or UCC, which hosts play
  std::int64_t damaged = 0, impossible = 0, outside = 0;
  double outside_us = 0,
         whole_us = 0;        ///< of the kernels outside the steps; from the file's first kernel to its last
  std::int64_t lost = 0;      ///< events that the profiler says it lost
  std::int64_t peerless = 0;  ///< messages of hosts that do not say their other end
  std::vector<double> unplayed;  ///< when calls were made that no kernel plays, if others have kernels

  /// Adds a kernel. Counts it as impossible if it has no begin, or a duration that is not above 0 and below
  /// 30 years. `comm` counts only if the kernel communicates.
  void add(Kernel kernel, Comm comm);
  /// Adds a call of the CUDA or HIP runtime: a launch, or that a stream waits.
  void runtime(std::string_view name, double at, std::int64_t thread, std::int64_t correlation);
};

/// Merges several calls into one. Collectives of one kind and group are added up, messages become a group of
/// messages; else the result is a call of unknown size.
Comm merged(const std::vector<Comm>& calls);

/// The name, without arguments, of a kernel that communicates (NCCL, RCCL, oneCCL or another library); empty
/// for other kernels.
std::string communicating(std::string_view kernel);

/// The ranks as one job. `sizes`: for the note on kernels without a size, why they have none and what to do.
/// Throws InputError if two files claim one rank, there are no kernels, or the steps asked for are missing.
std::unique_ptr<RecordedSource> source_of(std::vector<RankTrace>& traces, const OpenOptions& options,
                                          const std::string& sizes);

}  // namespace collcast::gpu

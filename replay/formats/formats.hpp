// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "replay/source/source.hpp"

namespace collcast {

/// No reader takes a job of more.
inline constexpr Rank most_recorded_ranks = 1 << 20;

/// Which part of a recording is asked for, and what is to be otherwise in it.
struct OpenOptions {
  std::int64_t first_step = std::numeric_limits<std::int64_t>::min();
  std::int64_t last_step = std::numeric_limits<std::int64_t>::max();
  Bytes fusion =
      Bytes(-1);       ///< of Horovod: tensors are fused anew, up to so many bytes; negative: as recorded
  Seconds cycle = {};  ///< the same in rounds of so long; 0: as recorded
  Bytes bucket = {};   ///< gradients beside the computation are put into buckets of this; 0: as recorded
  std::vector<Collective> nonblocking = {};  ///< those that hold up computation are started instead
  std::vector<Collective> offloaded = {};    ///< the same of those that DPUs can play of these
  bool fuses_anew() const { return fusion >= Bytes(0) || cycle > Seconds(); }
  bool some_steps() const { return first_step != std::numeric_limits<std::int64_t>::min(); }
};

/// A file format that sources are read from; told by what is in a file, never by its name.
struct TraceFormat {
  std::string_view name;
  std::string_view what;  ///< "PyTorch profiler (Kineto) JSON"
  bool (*detect)(std::string_view head);
  std::unique_ptr<Source> (*open)(const std::vector<std::string>& files, const OpenOptions& options);
  Memory memory = Memory::host;  ///< where such applications keep their data; host: or as the file says
  bool steps = false;            ///< it marks steps, so that some can be chosen
  bool rounds = false;           ///< it has each tensor's readiness, so that they can be fused anew
  bool log = false;              ///< its lines stand between what else a job prints
};

/// All that are known, in the order in which they are tried.
const std::vector<TraceFormat>& formats();

/// Whether a file is of one of them. Throws InputError where it cannot be read.
bool is_trace(const std::string& file);

/// The files as ranks of one job. Throws InputError if no format is theirs, or not the same.
std::unique_ptr<Source> open_source(const std::vector<std::string>& files, const OpenOptions& options = {});

/// Files as ranks of one job, and what is played of it.
struct Trace {
  std::vector<std::unique_ptr<Source>> layers;  ///< as recorded, and each change on top of the one before
  const Source& source() const { return *layers.back(); }
};

/// On `ranks` ranks, its own if 0. Where the files hold fewer ranks than that, each stands for others like
/// it.
Trace open_trace(const std::vector<std::string>& files, const OpenOptions& options = {}, Rank ranks = 0);

}  // namespace collcast

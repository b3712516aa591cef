// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "replay/source/source.hpp"

namespace collcast {

/// The most ranks of a job that readers take.
inline constexpr Rank most_recorded_ranks = 1 << 20;

/// Which part of a recording to open, and what to change in it.
struct OpenOptions {
  std::int64_t first_step = std::numeric_limits<std::int64_t>::min();
  std::int64_t last_step = std::numeric_limits<std::int64_t>::max();
  Bytes fusion = Bytes(-1);  ///< Horovod's tensors are fused anew, up to so many bytes; negative: as recorded
  Seconds cycle = {};        ///< Horovod's rounds take so long; 0: as recorded
  Bytes bucket = {};         ///< gradients are put into buckets of this size (`rebucketed`); 0: as recorded
  std::vector<Collective> nonblocking = {};  ///< blocking collectives to make nonblocking (`nonblocking`)
  std::vector<Collective> offloaded = {};    ///< the same, but only calls that DPUs can play
  bool fuses_anew() const { return fusion >= Bytes(0) || cycle > Seconds(); }
  bool some_steps() const { return first_step != std::numeric_limits<std::int64_t>::min(); }
};

/// A file format that sources are read from; recognized by a file's content, never by its name.
struct TraceFormat {
  std::string_view name;
  std::string_view what;  ///< "PyTorch profiler (Kineto) JSON"
  bool (*detect)(std::string_view head);
  std::unique_ptr<Source> (*open)(const std::vector<std::string>& files, const OpenOptions& options);
  Memory memory = Memory::host;  ///< where such applications keep their data, unless the file says otherwise
  bool steps = false;            ///< the format marks steps, so that some can be chosen
  bool rounds = false;  ///< the format says when each tensor is ready, so that tensors can be fused anew
  bool log = false;     ///< the format's lines are mixed with other output of a job
};

/// All formats, in the order in which they are tried.
const std::vector<TraceFormat>& formats();

/// Whether a file has one of these formats. Throws InputError if it cannot be read.
bool is_trace(const std::string& file);

/// The files as one job. Throws InputError if their format is unknown, or not the same.
std::unique_ptr<Source> open_source(const std::vector<std::string>& files, const OpenOptions& options = {});

/// A job read from files, with the changes that were asked for.
struct Trace {
  std::vector<std::unique_ptr<Source>> layers;  ///< as recorded, then after each change
  const Source& source() const { return *layers.back(); }
};

/// Opens a job on `ranks` ranks; 0: on its own number. If the files hold fewer ranks than the job has, each
/// stands for others like it.
Trace open_trace(const std::vector<std::string>& files, const OpenOptions& options = {}, Rank ranks = 0);

}  // namespace collcast

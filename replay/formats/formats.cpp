// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/formats.hpp"

#include <set>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/allprof.hpp"
#include "replay/formats/cct.hpp"
#include "replay/formats/chakra.hpp"
#include "replay/formats/cube.hpp"
#include "replay/formats/darshan.hpp"
#include "replay/formats/deepintrospect.hpp"
#include "replay/formats/deepspeed.hpp"
#include "replay/formats/dumpi.hpp"
#include "replay/formats/flight_recorder.hpp"
#include "replay/formats/goal_text.hpp"
#include "replay/formats/horovod.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/ipm.hpp"
#include "replay/formats/kineto.hpp"
#include "replay/formats/mpip.hpp"
#include "replay/formats/nccl_inspector.hpp"
#include "replay/formats/nccl_log.hpp"
#include "replay/formats/nsys.hpp"
#include "replay/formats/otf2.hpp"
#include "replay/formats/plausible.hpp"
#include "replay/formats/pytorch_et.hpp"
#include "replay/formats/rccl_replay.hpp"
#include "replay/formats/tar.hpp"
#include "replay/formats/tau.hpp"
#include "replay/formats/time_independent.hpp"
#include "replay/formats/unread.hpp"
#include "replay/source/nonblocking.hpp"
#include "replay/source/rebucketed.hpp"
#include "replay/source/recorded.hpp"
#include "replay/source/scaled.hpp"
#include "support/error.hpp"
#include "support/file_kind.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

bool is_cct(std::string_view head) {
  return head.starts_with("CCTRACE");
}

std::unique_ptr<Source> open_one_cct(const std::vector<std::string>& files, const OpenOptions&) {
  require_one(files, "a .cct trace has all ranks in one file");
  return open_cct(files[0]);
}

/// The format of a file that begins with `head`. Logs may be mixed with other output, so they are looked for
/// further on in the file as well.
const TraceFormat* detected(const std::string& path, std::string_view head) {
  constexpr std::size_t far = std::size_t{1} << 27;
  for (const TraceFormat& f : formats())
    if (f.detect(head)) return &f;
  if (kind_of_file(head) == "binary") return nullptr;
  const std::string more = head_of(path, far);
  for (const TraceFormat& f : formats())
    if (f.log && f.detect(more)) return &f;
  return nullptr;
}

const TraceFormat* format_of(const std::string& path) {
  const std::string head = head_of(path);
  // An archive's head also holds the beginning of its first file.
  if (!is_tar(head) || is_cube(head))
    if (const TraceFormat* format = detected(path, head)) return format;
  if (const std::string_view what = unread(head); !what.empty())
    throw InputError(path + ": is " + std::string(what));
  if (kind_of_file(head) != "binary") refuse_other_kinds(path, head, "a trace, as docs/traces.md lists");
  throw InputError(path +
                   ": is of no format that is known: " + text::join(formats(), ", ", &TraceFormat::what));
}

/// Opens files; says which ones if they are too large.
std::unique_ptr<Source> open_by(const TraceFormat& format, const std::vector<std::string>& files,
                                const OpenOptions& options, const std::string& name) try {
  return format.open(files, options);
} catch (const std::exception& e) {
  if (!lacks_memory(e)) throw;
  throw SubstrateError("there is not enough memory to read " + name);
}

}  // namespace

const std::vector<TraceFormat>& formats() {
  static const std::vector<TraceFormat> all = {
      {"cct", "own recordings (.cct)", is_cct, open_one_cct},
      {"kineto", "PyTorch profiler (Kineto) JSON", is_kineto, open_kineto, Memory::host, true},
      {"nsys", "Nsight Systems exports (SQLite)", is_nsys, open_nsys, Memory::device, true},
      {"pytorch-et", "PyTorch execution traces", is_pytorch_et, open_pytorch_et, Memory::device},
      {"nccl-inspector", "NCCL Inspector JSON lines", is_nccl_inspector, open_nccl_inspector, Memory::device},
      {"flight-recorder", "PyTorch Flight Recorder dumps", is_flight_recorder, open_flight_recorder},
      {"deepintrospect", "DeepIntrospect dumps", is_deepintrospect, open_deepintrospect},
      {"horovod", "Horovod timelines", is_horovod, open_horovod, Memory::host, false, true},
      {"nccl-log", "NCCL_DEBUG logs", is_nccl_log, open_nccl_log, Memory::device, false, false, true},
      {"deepspeed", "DeepSpeed communication logs", is_deepspeed, open_deepspeed, Memory::device, false,
       false, true},
      {"dumpi", "DUMPI traces", is_dumpi, open_dumpi},
      {"liballprof", "liballprof traces", is_allprof, open_dumpi},
#ifdef COLLCAST_OTF2
      {"otf2", "OTF2 archives", is_otf2, open_otf2},
#endif
      {"rccl-replay", "RCCL Replayer logs", is_rccl_replay, open_rccl_replay, Memory::device},
      {"mpip", "mpiP reports", is_mpip, open_mpip},
      {"ipm", "IPM banners", is_ipm, open_ipm},
      {"tau", "TAU profiles", is_tau, open_tau},
      {"cube", "CUBE profiles (.cubex)", is_cube, open_cube},
      {"darshan", "Darshan logs", is_darshan, open_darshan},
      {"goal", "GOAL text", is_goal_text, open_goal_text},
      {"ti", "SMPI time-independent traces", is_time_independent, open_time_independent},
      {"chakra", "Chakra execution traces (.et, JSON)", is_chakra, open_chakra},
  };
  return all;
}

bool is_trace(const std::string& file) {
  return detected(file, head_of(file)) != nullptr;
}

std::unique_ptr<Source> open_source(const std::vector<std::string>& files, const OpenOptions& options) {
  if (files.empty()) throw InputError("no trace is named");
  std::set<std::string_view> named;
  for (const std::string& file : files)
    if (!named.insert(file).second)
      throw InputError(file + ": is named twice; the files are those of different ranks");
  const TraceFormat* format = format_of(files[0]);
  std::string name = files[0];
  for (std::size_t i = 1; i < files.size(); ++i)
    if (const TraceFormat* other = format_of(files[i]); other != format)
      throw InputError(files[i] + " is one of the " + std::string(other->what) + ", " + files[0] +
                       " one of the " + std::string(format->what) +
                       "; the files of one job are of one format");
  if (files.size() > 1) name += " and " + std::to_string(files.size() - 1) + " more";
  if (options.some_steps() && !format->steps)
    throw InputError(files[0] + ": " + std::string(format->what) +
                     " mark no steps; --steps needs a trace of the PyTorch profiler or of Nsight Systems");
  if (options.fuses_anew() && !format->rounds)
    throw InputError(files[0] + ": " + std::string(format->what) +
                     " do not say when each tensor was ready; --fusion and --cycle need a Horovod timeline");
  if (options.bucket > Bytes() && format->rounds)
    throw InputError(files[0] + ": " + std::string(format->what) +
                     " have tensors, which --fusion puts into buffers; --bucket is for DDP's gradients");
  auto source = open_by(*format, files, options, name);
  if (auto* recorded = dynamic_cast<RecordedSource*>(source.get())) {
    recorded->info().name = name;
    recorded->info().format = format->name;
    if (format->memory == Memory::device) recorded->info().memory = Memory::device;
    recorded->info().by_mpi &= format->memory == Memory::host || format->rounds;
    forget_impossible(*recorded);
    note_contradictions(*recorded);
  }
  return source;
}

Trace open_trace(const std::vector<std::string>& files, const OpenOptions& options, Rank ranks) {
  Trace trace;
  trace.layers.push_back(open_source(files, options));
  const auto change = [&](std::unique_ptr<Source> changed) { trace.layers.push_back(std::move(changed)); };
  if (options.bucket > Bytes()) change(rebucketed(trace.source(), options.bucket));
  const Rank all = trace.source().ranks();
  const auto held = trace.source().info().recorded_ranks.size();
  if (ranks == 0) ranks = all;
  if (ranks != all || (held != 0 && held != static_cast<std::size_t>(all)))
    change(scaled(trace.source(), ranks));
  if (!options.nonblocking.empty()) {
    auto started = nonblocking(trace.source(), options.nonblocking);
    if (!started)
      throw InputError(trace.source().info().name + ": no " + names(options.nonblocking) +
                       " holds up computation, so --nonblocking starts none");
    change(std::move(started));
  }
  if (!options.offloaded.empty())
    if (auto started = nonblocking(trace.source(), options.offloaded, true)) change(std::move(started));
  return trace;
}

}  // namespace collcast

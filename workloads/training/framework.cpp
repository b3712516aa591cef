// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/framework.hpp"

#include <cmath>
#include <functional>
#include <sstream>

#include "model/collective.hpp"
#include "support/error.hpp"
#include "support/suggest.hpp"
#include "support/text.hpp"
#include "workloads/settings.hpp"

namespace collcast::workloads {
namespace {

using Reduction = Framework::Reduction;
constexpr Bytes mib(1048576);

/// The defaults of a release of Horovod, by its sources v0.15 to v0.28.1.
struct Release {
  const char* version;
  Bytes fusion;
  Seconds cycle;
  int cache;
};
constexpr Release releases[] = {
    {"0.15", 64.0 * mib, Seconds(5e-3), 0},     {"0.16", 64.0 * mib, Seconds(5e-3), 1024},
    {"0.17", 64.0 * mib, Seconds(5e-3), 1024},  {"0.18", 64.0 * mib, Seconds(5e-3), 1024},
    {"0.19", 64.0 * mib, Seconds(5e-3), 1024},  {"0.20", 64.0 * mib, Seconds(5e-3), 1024},
    {"0.21", 128.0 * mib, Seconds(1e-3), 1024}, {"0.22", 128.0 * mib, Seconds(1e-3), 1024},
    {"0.23", 128.0 * mib, Seconds(1e-3), 1024}, {"0.24", 128.0 * mib, Seconds(1e-3), 1024},
    {"0.25", 128.0 * mib, Seconds(1e-3), 1024}, {"0.26", 128.0 * mib, Seconds(1e-3), 1024},
    {"0.27", 128.0 * mib, Seconds(1e-3), 1024}, {"0.28", 128.0 * mib, Seconds(1e-3), 1024}};

const Release& release(const std::string& version) {
  std::string known;
  for (const Release& r : releases) {
    if (version == r.version || version.starts_with(std::string(r.version) + ".")) return r;
    known += (known.empty() ? "" : ", ") + std::string(r.version);
  }
  throw InputError("framework horovod: unknown version '" + version + "'; known: " + known);
}

bool compression(Settings& s) {
  const std::string how = s.word("compression", "none");
  if (how != "none" && how != "fp16")
    throw InputError("framework " + s.name() + ": compression takes none or fp16, got '" + how + "'");
  return how == "fp16";
}

/// The size of a buffer that tensors are gathered in. Refuses tiny ones: PyTorch's bucket_cap_mb=25 is not 25
/// bytes.
Bytes buffer(Settings& s, const std::string& key, Bytes otherwise) {
  const Bytes size = s.size(key, otherwise);
  if (size > Bytes() && size < Bytes(1024))
    throw InputError("framework " + s.name() + ": " + key +
                     " takes 0 or a size of 1 KiB or more, as in 25MiB, got " +
                     std::to_string(std::llround(size.value)) + " B");
  return size;
}

void horovod(Settings& s, Framework& f) {
  const Release& r = release(s.word("version", "0.28"));
  f.reduction = Reduction::coordinator;
  f.fusion = buffer(s, "fusion", r.fusion);
  f.cycle = s.time("cycle", r.cycle);
  f.cache = s.count("cache", r.cache, 0);
  const bool grouped = s.flag("grouped", false);
  f.groups = s.count("groups", grouped ? 1 : 0, 0);
  if (grouped && f.groups != 1)
    throw InputError("framework " + s.name() +
                     ": grouped=1 is one group, not groups=" + std::to_string(f.groups));
  f.request = s.time("request", Seconds(0.5e-6)), f.says_request = s.has("request");
  f.autotune = s.flag("autotune", false);
  f.keeps_fusion = s.has("fusion"), f.keeps_cycle = s.has("cycle"), f.keeps_levels = s.has("hierarchical");
  f.copies = true;
}

void ddp(Settings& s, Framework& f) {
  f.reduction = Reduction::buckets;
  f.first_bucket = buffer(s, "first", mib);
  f.bucket = buffer(s, "bucket", 25.0 * mib);
  f.copies = !s.flag("view", false);
}

/// The size of pieces. Refuses tiny ones, of which there would be millions.
Bytes pieces(Settings& s, const std::string& key, Bytes otherwise) {
  return s.size(key, otherwise, Bytes(65536));
}

void one_allreduce(Settings& s, Framework& f) {
  f.reduction = Reduction::buckets;
  f.overlap = false;
  f.first_bucket = f.bucket = pieces(s, "bucket", Bytes(1e18));
  f.copies = true;
}

/// All packs are reduced after the backward pass (tensorflow/python/distribute/cross_device_ops.py).
void tf_distribute(Settings& s, Framework& f) {
  one_allreduce(s, f);
  f.first_bucket = f.bucket = pieces(s, "pack", f.bucket);
}

/// Cho et al. 2017: reduces level by level of the machine.
void ddl(Settings& s, Framework& f) {
  one_allreduce(s, f);
  f.hierarchical = true;
}

/// Jain et al., SC'20: all forward passes of a replica come before its backward passes.
void gems(Settings& s, Framework& f) {
  one_allreduce(s, f);
  f.replicas = s.count("replicas", 2);
  f.stages_together = true;  // MPI4DL comm.py: rank % mp_size
  f.one_forward_one_backward = false;
}

void each(Settings&, Framework& f) {
  f.reduction = Reduction::each;
}

/// One rank that all wait for, or servers on other nodes: BytePS and ps-lite (BYTEPS_PARTITION_BYTES 4096000;
/// ranks of a node add up theirs first).
void server(Settings& s, Framework& f) {
  f.reduction = Reduction::server;
  f.servers = s.count("servers", 0);
  for (const char* of_servers : {"partition", "bucket", "overlap", "beside"})
    if (f.servers == 0 && s.has(of_servers))
      throw InputError("framework " + s.name() + ": " + of_servers + " needs servers=N");
  f.hierarchical = f.servers > 0;
  f.partition = pieces(s, "partition", Bytes(4096000));
  f.first_bucket = f.bucket = pieces(s, "bucket", {});
  f.beside = s.flag("beside", false);
  const std::string overlap = s.word("overlap", "backward");
  if (overlap != "none" && overlap != "backward" && overlap != "forward")
    throw InputError("framework " + s.name() + ": overlap takes none, backward or forward, got '" + overlap +
                     "'");
  f.overlap = overlap != "none";
  f.next_forward = overlap == "forward";
}

/// Ranks hold parameters in 16 bits under amp. They add up gradients in 16 bits, too, unless the setting says
/// otherwise.
void hold_halves(Settings& s, Framework& f) {
  f.half_storage = true;
  const std::string size = s.word("gradients", "");
  if (size == "fp32")
    f.gradient = Bytes(4);
  else if (size == "16bit")
    f.gradient = Bytes(2);
  else if (s.has("gradients"))
    throw InputError("framework " + s.name() + ": gradients takes 16bit or fp32, got '" + size + "'");
}

void sharded(Settings& s, Framework& f, int stage) {
  hold_halves(s, f);
  f.reduction = Reduction::sharded;
  f.stage = stage;
}

/// ZeRO-1 and 2 reduce in buckets; if parameters are sharded, too, units take the place of buckets.
void in_buckets(Settings& s, Framework& f, int stage) {
  sharded(s, f, stage);
  f.bucket_elements = 5e8;
  f.overlap = s.flag("overlap", false);
  f.first_bucket = f.bucket = pieces(s, "bucket", {});
}

/// distributed=1: the distributed optimizer (--use-distributed-optimizer), with overlap=1 also
/// --overlap-param-gather.
void megatron(Settings& s, Framework& f) {
  hold_halves(s, f);
  const bool distributed = s.flag("distributed", false);
  f.reduction = distributed ? Reduction::sharded : Reduction::buckets;
  f.stage = distributed ? 1 : 0;
  f.overlap = s.flag("overlap", false);
  f.gathers_ahead = distributed && f.overlap;
  f.first_bucket = f.bucket = pieces(s, "bucket", f.overlap ? Bytes() : Bytes(1e18));
  f.bucket_elements = 4e7, f.elements_of_rank = 1e6;
}

/// Zhao et al., VLDB 2023; HYBRID_SHARD, if the ranks of a shard are stated.
void fsdp(Settings& s, Framework& f) {
  sharded(s, f, 3);
  f.shard = s.count("shard", 0, 2);
}

struct FrameworkEntry {
  FrameworkName about;
  std::function<void(Settings&, Framework&)> read;
};

const std::vector<FrameworkEntry>& framework_entries() {
  static const std::vector<FrameworkEntry> all = {
      {{"horovod", "version=0.28, fusion, cycle, cache, groups or grouped=1, request=0.5us, autotune=1"},
       horovod},
      {{"ddp", "PyTorch DistributedDataParallel: first=1MiB, bucket=25MiB, view=1"}, ddp},
      {{"fsdp", "PyTorch FSDP: shard=RANKS that share parameters, all by default; gradients=16bit|fp32"},
       fsdp},
      {{"zero1", "DeepSpeed ZeRO-1: bucket, overlap, gradients"},
       [](Settings& s, Framework& f) { in_buckets(s, f, 1); }},
      {{"zero2", "DeepSpeed ZeRO-2: bucket, overlap, gradients"},
       [](Settings& s, Framework& f) { in_buckets(s, f, 2); }},
      {{"zero3", "DeepSpeed ZeRO-3: gradients"}, [](Settings& s, Framework& f) { sharded(s, f, 3); }},
      {{"megatron", "Megatron-LM: bucket, overlap, distributed=1, gradients"}, megatron},
      {{"per-tensor", "an allreduce for each tensor (torch.distributed as in 2018)"}, each},
      {{"one", "one allreduce after the backward pass: bucket"}, one_allreduce},
      {{"tf-distribute", "TensorFlow's Mirrored and MultiWorkerMirrored strategies: pack"}, tf_distribute},
      {{"ddl", "IBM DDL: one allreduce, level by level: bucket"}, ddl},
      {{"gems", "GEMS: replicas=2 of a pipeline (pp) in turn, every second one mirrored: MAST, more: MASTER"},
       gems},
      {{"parameter-server",
        "all send to one rank and fetch from it; servers=N: to servers on other nodes, "
        "overlap=none|backward|forward, beside=1, partition=4096000, bucket"},
       server},
  };
  return all;
}

/// Reads "104/137": layers or blocks of each part, first to last.
std::vector<std::size_t> balance(Settings& s, int parts) {
  const std::string text = s.word("balance", "");
  std::vector<std::size_t> sizes;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, '/');) {
    const bool number =
        !part.empty() && part.size() < 10 && part.find_first_not_of("0123456789") == part.npos;
    const int size = number ? std::stoi(part) : 0;
    if (size < 1)
      throw InputError("framework " + s.name() +
                       ": balance takes blocks or layers of each part as in 34/37, got '" + text + "'");
    sizes.push_back(static_cast<std::size_t>(size));
  }
  if (!sizes.empty() && sizes.size() != static_cast<std::size_t>(parts))
    throw InputError("framework " + s.name() + ": balance=" + text + " is of " +
                     std::to_string(sizes.size()) + " parts, pp x interleave of " + std::to_string(parts));
  return sizes;
}

Framework::Recompute recompute(Settings& s) {
  const std::string which = s.word("recompute", "0");
  if (which == "0") return Framework::Recompute::no;
  if (which == "1") return Framework::Recompute::all;
  if (which == "except-last") return Framework::Recompute::except_last;
  if (which == "selective") return Framework::Recompute::selective;
  throw InputError("framework " + s.name() + ": recompute takes 0, 1, selective or except-last, got '" +
                   which + "'");
}

/// Megatron-LM 3.0 and later run collectives beside the gradients of weights; DeepSpeed trains its models.
Framework::TensorOverlap tensor_overlap(Settings& s, const Framework& f) {
  using enum Framework::TensorOverlap;
  const std::string which =
      s.word("tp-overlap", f.half_storage && f.stage < 3 && f.tensor > 1 ? "backward" : "none");
  if (which == "none") return none;
  if (which == "backward") return backward;
  if (which == "all") return all;
  throw InputError("framework " + s.name() + ": tp-overlap takes none, backward or all, got '" + which + "'");
}

constexpr int most_ranks = 1 << 20;
constexpr int most_processes = 64;  ///< of a GPU; MPS serves 48

/// The value of a setting of how many ranks, or processes, share something; not all frameworks know it.
int sharers(Settings& s, const char* key, bool known, const std::string& where, int most = most_ranks) {
  if (!known && !s.has(key)) return 1;
  const int count = s.count(key, 1, 1, most);
  if (!known && count > 1) throw InputError("framework " + s.name() + ": " + where);
  return count;
}

/// Reads the settings of shared work that frameworks have in common.
void share_work(Settings& s, Framework& f) {
  const bool in_buckets = f.reduction == Reduction::buckets, pipelines = f.stage < 3;
  f.compressed = compression(s);
  if (f.reduction == Reduction::coordinator || f.reduction == Reduction::buckets ||
      f.reduction == Reduction::each)
    f.hierarchical = s.flag("hierarchical", f.hierarchical);
  f.tensor = s.count("tp", 1, 1, most_ranks);
  f.pipeline = sharers(s, "pp", pipelines, "sharded parameters (fsdp, zero3) go without pp");
  if (pipelines) f.interleave = s.count("interleave", 1, 1, most_ranks);
  f.expert_parallel = sharers(
      s, "ep", may_share_experts(f),
      "experts are shared out (ep) under ddp, megatron, zero1, zero2, per-tensor, one, tf-distribute, ddl "
      "and gems");
  if (may_share_experts(f)) f.imbalance = s.real("imbalance", 1);
  f.spatial = s.count("sp", 1, 1, most_ranks);
  f.context = s.count("cp", 1, 1, most_ranks);
  const double parts = 1.0 * f.tensor * f.pipeline * f.interleave * f.spatial * f.context;
  if (parts > most_ranks)
    throw InputError("framework " + f.name + ": tp, pp, interleave, sp and cp make " + text::number(parts) +
                     " parts of a model; at most " + std::to_string(most_ranks) + " are known");
  f.micro_batches = s.count("micro-batches", f.stages_together ? f.replicas
                                             : f.pipeline > 1  ? 4 * f.pipeline
                                                               : 1);
  f.says_micro_batches = s.has("micro-batches");
  f.processes_per_gpu = sharers(
      s, "per-gpu", in_buckets || f.reduction == Reduction::coordinator,
      "processes share a GPU (per-gpu) under horovod, ddp, megatron, one, tf-distribute, ddl and gems",
      most_processes);
  if (f.next_forward && f.micro_batches > 1)
    throw InputError("framework " + f.name + ": overlap=forward goes with one micro-batch");
  f.sequence_parallel = s.flag("sequence", false);
  f.tensor_overlap = tensor_overlap(s, f);
  if (pipelines) f.scattered = s.flag("scatter", false);
  f.recompute = recompute(s);
  if (pipelines) f.balance = balance(s, f.pipeline * f.interleave);
  const std::string schedule = s.word("schedule", f.one_forward_one_backward ? "1f1b" : "gpipe");
  if (schedule != "1f1b" && schedule != "gpipe")
    throw InputError("framework " + f.name + ": schedule takes 1f1b or gpipe, got '" + schedule + "'");
  f.one_forward_one_backward = schedule == "1f1b";
}

/// Throws InputError if settings of shared work do not go together.
void check_shared_work(const Settings& s, const Framework& f) {
  const struct {
    bool wrong;
    std::string why;
  } conflicts[] = {
      {s.has("schedule") && f.pipeline == 1 && f.micro_batches == 1,
       "schedule needs a pipeline (pp=2 and more) or several micro-batches"},
      {f.imbalance > 1 && f.expert_parallel == 1,
       "imbalance needs experts that are shared out (ep=2 and more)"},
      {f.imbalance < 1 || f.imbalance > f.expert_parallel,
       "imbalance is words of the fullest rank's experts, of the mean: 1 to ep=" +
           std::to_string(f.expert_parallel)},
      {f.sequence_parallel && f.tensor == 1, "sequence needs tensor parallelism (tp=2 and more)"},
      {f.tensor_overlap != Framework::TensorOverlap::none && f.tensor == 1,
       "tp-overlap needs tensor parallelism (tp=2 and more)"},
      {f.tensor_overlap == Framework::TensorOverlap::all && !f.sequence_parallel,
       "tp-overlap=all needs sequence=1"},
      {f.scattered && (f.tensor == 1 || f.pipeline == 1 || f.sequence_parallel),
       "scatter needs tensor parallelism and a pipeline (tp=2 and pp=2 and more), without sequence=1"},
      {f.replicas > 1 && (f.one_forward_one_backward || f.pipeline == 1 || f.micro_batches % f.replicas != 0),
       "replicas=" + std::to_string(f.replicas) +
           " need a gpipe pipeline (pp=2 and more) and micro-batches that they divide"},
      {f.interleave > 1 && (f.pipeline == 1 || !f.one_forward_one_backward),
       "interleave needs a 1f1b pipeline (pp=2 and more)"},
      {f.interleave > 1 && f.micro_batches % f.pipeline != 0,
       "interleaved pipelines need micro-batches that divide by pp=" + std::to_string(f.pipeline) + ", got " +
           std::to_string(f.micro_batches)},
  };
  for (const auto& [wrong, why] : conflicts)
    if (wrong) throw InputError("framework " + f.name + ": " + why);
}

}  // namespace

const std::vector<FrameworkName>& framework_names() {
  static const std::vector<FrameworkName> names = [] {
    std::vector<FrameworkName> all;
    for (const FrameworkEntry& e : framework_entries()) all.push_back(e.about);
    return all;
  }();
  return names;
}

bool may_share_experts(const Framework& f) {
  return f.reduction == Reduction::buckets || f.reduction == Reduction::each || f.stage == 1 || f.stage == 2;
}

Framework parse_framework(const std::string& text) {
  Settings settings(text, "framework");
  std::vector<std::string> known;
  for (const FrameworkEntry& e : framework_entries()) {
    known.emplace_back(e.about.name);
    if (e.about.name != settings.name()) continue;
    Framework f;
    f.name = text;
    e.read(settings, f);
    share_work(settings, f);
    check_shared_work(settings, f);
    settings.finish();
    return f;
  }
  std::vector<std::string> meant;  // the description of ZeRO's stages contains "deepspeed"
  for (const FrameworkName& f : framework_names())
    if (!settings.name().empty() &&
        text::lower(f.description).find(text::lower(settings.name())) != std::string::npos)
      meant.emplace_back(f.name);
  if (meant.empty()) meant = alike(settings.name(), known);
  const std::string list = "known: " + join(known);
  throw InputError(
      "unknown framework '" + settings.name() + "'" +
      (meant.empty() ? "; " + list : "; did you mean " + join(meant, " or ") + "? (" + list + ")") +
      ", with settings KEY=VALUE after a colon");
}

}  // namespace collcast::workloads

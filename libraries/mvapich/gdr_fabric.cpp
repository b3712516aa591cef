// SPDX-License-Identifier: Apache-2.0
#include "libraries/mvapich/gdr_fabric.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::mvapich {
namespace {

/// The costs of a processor that copies to GPU memory through GDRCopy, or from it: the line through the times
/// of 4 and 8 KiB in its README (NVIDIA/gdrcopy, copylat) on a V100 with x86. Measured there, a guess
/// elsewhere.
struct ByProcessor {
  Seconds start;
  BytesPerSecond pace;
};
constexpr ByProcessor writing{Seconds(0.06e-6), BytesPerSecond(10.85e9)};
constexpr ByProcessor reading{Seconds(1.04e-6), BytesPerSecond(0.59e9)};

/// A stage of the pipeline: its time for each block, and for each byte of the block.
struct Part {
  Seconds each;
  SecondsPerByte per_byte;
  Seconds of(Bytes block) const { return each + block * per_byte; }
};

/// The time of `count` blocks through the pipeline. The last block is the smallest. It goes through the first
/// stages at the pace of the others, and through the rest at its own.
Seconds through(std::span<const Part> parts, double count, Bytes block, Bytes last) {
  Seconds rest;
  for (const Part& p : parts) rest += p.of(last);
  if (count == 1) return rest;
  Seconds before, slowest, most;
  for (const Part& p : parts) {
    before += p.of(block), slowest = std::max(slowest, p.of(block));
    most = std::max(most, before + (count - 2) * slowest + rest);
    rest = rest - p.of(last);
  }
  return most;
}

/// Replaces the costs of device buffers in a section of the software by `costs`, if there are any.
void replace_device(Json& software, const char* name, const Json& costs) {
  Json section = software.value(name, Json::object());
  for (const char* key : {"device", "device_to_host", "host_to_device"}) section.erase(key);
  if (!costs.is_null()) section["device"] = costs;
  software.erase(name);
  if (!section.empty()) software[name] = section;
}

}  // namespace

void check(const Settings& settings, const Description& platform) {
  const Blueprint b = read_blueprint(platform);
  for (const int v : b.ranks_on)
    if (const Blueprint::Vertex& vertex = b.vertices[static_cast<std::size_t>(v)];
        vertex.kind != Blueprint::Vertex::Kind::gpu)
      throw InputError(text(settings) + " needs GPUs, and the ranks of " + b.name + " sit on " + vertex.name +
                       "; mvapich2-2.3 does not");
  if (b.of_kind(Blueprint::Vertex::Kind::cpu).empty())
    throw InputError(text(settings) + " stages messages in host memory, which " + b.name + " does not have");
}

Description beneath_gdr(const Description& platform) {
  if (!platform.json().contains("software")) return platform;
  Json json = platform.json();
  Json& software = json["software"];
  const Json copy = software.value("copy", Json());
  replace_device(software, "in_node", copy);
  if (software.contains("across_sockets")) replace_device(software, "across_sockets", copy);
  replace_device(software, "between_nodes",
                 software.value("between_nodes", Json::object()).value("host", Json()));
  return {platform.name(), platform.file(), std::move(json)};
}

GdrFabric::Copy GdrFabric::copy(Rank rank, Memory from, Bytes bytes, double limit) const {
  if (bytes <= Bytes(limit)) {
    const ByProcessor& p = from == Memory::device ? reading : writing;
    return {stretch_ * (p.start + bytes / p.pace), {}, {}};
  }
  const Memory to = from == Memory::device ? Memory::host : Memory::device;
  const Wire w = machine_.wire({rank, from}, {rank, to}, bytes);
  return {w.overhead, w.latency, w.per_byte};
}

bool GdrFabric::straight(bool same_node, Bytes bytes) const {
  return same_node ? settings_.cuda_ipc > 0 && bytes > Bytes(settings_.cuda_ipc_threshold)
                   : settings_.use_gpudirect_rdma > 0 && bytes <= Bytes(settings_.gpudirect_limit);
}

Wire GdrFabric::wire(Place from, Place to, Bytes bytes) const {
  const Wire w = machine_.wire(from, to, bytes);
  const auto is = [&](Memory a, Memory b) { return from.memory == a && to.memory == b; };
  if (from.rank == to.rank)
    return is(Memory::device, Memory::host) || is(Memory::host, Memory::device) ? copied(w, from, bytes) : w;
  const bool by_gpu = from.memory == Memory::device || to.memory == Memory::device;
  const bool same_node = machine_.node(from.rank) == machine_.node(to.rank);
  return by_gpu && !straight(same_node, bytes) ? staged(w, from, to, bytes, same_node) : w;
}

/// A copy by the processor: bytes cross the links at the rate of the links, and what the processor takes
/// longer is overhead.
Wire GdrFabric::copied(Wire w, Place from, Bytes bytes) const {
  if (bytes > Bytes(settings_.gdrcopy_naive_limit)) return w;
  const Seconds all = copy(from.rank, from.memory, bytes, settings_.gdrcopy_naive_limit).overhead;
  w.overhead = std::max(Seconds(0), all - bytes * w.per_byte), w.latency = {};
  return w;
}

/// A pipeline of the sender's copies, its messages, and the receiver's copies, each one block at a time; the
/// slowest stage determines the rate. Processors pay for the first block; the posts of the others are hidden.
Wire GdrFabric::staged(Wire w, Place from, Place to, Bytes bytes, bool same_node) const {
  const bool gpu_sends = from.memory == Memory::device;
  const bool written =
      !same_node && settings_.use_gpudirect_rdma > 0 && bytes <= Bytes(settings_.use_gpudirect_receive_limit);
  const bool gpu_takes = to.memory == Memory::device && !written;
  if (gpu_sends) from.memory = Memory::host;
  if (gpu_takes) to.memory = Memory::host;
  const Bytes block = std::min(bytes, Bytes(settings_.cuda_block_size));
  const double count = std::max(1.0, std::ceil(bytes / Bytes(settings_.cuda_block_size)));
  const Wire whole = machine_.wire(from, to, bytes), message = machine_.wire(from, to, block);
  const Copy out = gpu_sends ? copy(from.rank, Memory::device, block, settings_.gdrcopy_limit) : Copy{};
  const Copy in = gpu_takes ? copy(to.rank, Memory::host, block, settings_.gdrcopy_limit) : Copy{};
  const Part parts[] = {{out.overhead, {}},
                        {{}, out.per_byte},
                        {message.overhead, {}},
                        {{}, message.per_byte},
                        {message.receive_overhead, {}},
                        {in.overhead, {}},
                        {{}, in.per_byte}};
  const Bytes last = bytes - (count - 1) * block;
  const Seconds all = out.latency + message.latency + in.latency + through(parts, count, block, last);
  const SecondsPerByte links = same_node ? w.per_byte - w.software : message.per_byte - message.software;
  w.per_byte = std::max({links, out.per_byte, message.per_byte, in.per_byte});
  w.software = w.per_byte - links;
  w.spare_in = same_node ? w.spare_in : message.spare_in;
  w.overhead = out.overhead + message.overhead;
  w.receive_overhead = message.receive_overhead + in.overhead;
  w.gap = count * message.gap;
  w.latency = std::max(Seconds(0), all - w.overhead - w.receive_overhead - bytes * w.per_byte);
  w.eager = whole.eager, w.handshake = whole.handshake;
  return w;
}

/// A multicast ends in host memory, from where the receiver copies it; or in the memory of the GPU
/// (gpudirect_mcast_recv_type 2).
Switched GdrFabric::switched(Switching what, Place from, Place to, Bytes bytes) const {
  const bool by_host = what == Switching::multicast && to.memory == Memory::device && from.rank != to.rank &&
                       settings_.gpudirect_mcast_recv_type < 2;
  Switched message = machine_.switched(what, from, by_host ? Place{to.rank, Memory::host} : to, bytes);
  if (!by_host) return message;
  const Wire own = machine_.wire(from, to, bytes);
  const Copy in = copy(to.rank, Memory::host, bytes, settings_.gdrcopy_naive_limit);
  message.wire.in = own.in, message.wire.in_queue = own.in_queue;
  message.wire.receive_overhead += in.overhead;
  message.wire.latency += in.latency + bytes * in.per_byte;
  return message;
}

std::vector<Bytes> GdrFabric::sizes() const {
  const std::vector<Bytes> own = machine_.sizes();
  std::set<Bytes> all(own.begin(), own.end());
  for (const double limit :
       {settings_.gpudirect_limit, settings_.use_gpudirect_receive_limit, settings_.cuda_block_size,
        settings_.cuda_ipc_threshold, settings_.gdrcopy_limit, settings_.gdrcopy_naive_limit})
    all.insert(just_above(Bytes(limit)));
  return {all.begin(), all.end()};
}

}  // namespace collcast::mvapich

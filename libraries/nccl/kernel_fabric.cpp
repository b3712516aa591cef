// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/kernel_fabric.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "libraries/nccl/rccl.hpp"
#include "support/error.hpp"

namespace collcast::nccl {

namespace {

/// One message over two wires, one after the other.
Wire joined(Wire first, const Wire& second) {
  const SecondsPerByte slowest = std::max(first.per_byte, second.per_byte);
  first.latency = first.latency + second.latency;
  first.spare_in = slowest - second.per_byte + second.spare_in;
  first.per_byte = slowest;
  first.in = second.in, first.in_queue = second.in_queue;
  return first;
}

constexpr int first_nvb = 8;   // ncclSend goes by way of another GPU of the node from 2.8 on
constexpr int first_pxn = 12;  // ncclSend goes by another GPU's card from 2.12 on

}  // namespace

void check(const KernelSettings& t, const Machine& machine, const Situation& s) {
  const std::string asked = t.release.text() + ":" + std::string(name(t.protocol));
  if (!machine.has_gpus())
    throw InputError("--transport " + asked + " needs GPUs, which " + machine.platform() + " does not have");
  check_gpu(t.release, s.gpu);
  if (t.protocol == Protocol::ll128 && !s.nvlink_only())
    throw InputError("--transport " + asked + " needs NVLink between the GPUs of a node, which " +
                     machine.platform() + " does not have");
  if (t.protocol == Protocol::ll128 && of_amd(s.gpu) && !rccl_has_ll128(s.rccl_tuning))
    throw InputError("--transport " + asked + ": RCCL's tuner has no LL128 on nodes like those of " +
                     machine.platform() + "; LL and Simple are there");
}

KernelFabric::KernelFabric(const Machine& machine, const KernelSettings& t, const Situation& s,
                           const Software& software, const Carriers& carriers)
    : MachineFabric(machine),
      kernel_(kernel(t.protocol, s.gpu)),
      chunk_(carriers.chunk),
      slices_(t.shape == Shape::tree ? 1 : kernel_.messages),
      flags_(t.protocol == Protocol::ll),
      streams_(t.protocol == Protocol::ll128 && s.nodes > 1 && !t.by_turns),
      simple_(t.protocol == Protocol::simple),
      heads_(t.shape == Shape::nvls_tree ? s.switch_channels : 0),
      staged_(s.staged),
      by_turns_(t.by_turns && s.on_a_node > 1),
      fans_out_(t.shape == Shape::tree && s.on_a_node > 1),
      by_others_(s.link == NodeLink::nvlink && t.peers > 0 && t.release >= first_nvb),
      by_rail_(s.link == NodeLink::nvlink && (t.peers == 0 || t.release >= first_pxn)),
      pairs_(t.peers > 0) {
  const auto p = static_cast<std::size_t>(t.protocol);
  const auto us = [p](const PerProtocol& times) { return Seconds(times[p] * 1e-6); };
  const bool tree = t.shape == Shape::tree;
  launch_ = us(tree ? software.tree_launch : software.ring_launch);
  channel_ = us(software.channel);
  step_ = us(tree ? software.tree_step : software.ring_step);
  if (flags_) step_ = ll_slowdown(t.release, s) * step_;
  hop_ = us(tree ? software.tree_hop : software.ring_hop) + s.network_latency;
  if (t.shape == Shape::nvls || t.shape == Shape::nvls_tree) {
    const Seconds published =
        us(base_latency(t.release, Shape::nvls)) + us(step_latency(t.release, Hardware::nvlink, Shape::nvls));
    launch_ += std::max(Seconds(0), published - 2 * step_);  // a step to reduce and one to multicast
  }
  if (t.shape == Shape::ring) proxy_ = us(software.proxy);
  const auto limit = [&](Collective c) {
    return channel_limit(t.release, t.shape, t.protocol, c, s, t.in_use);
  };
  double GBps = limit(Collective::allreduce);
  const int threads = t.threads > 0 ? t.threads : kernel_.threads;
  const Ways both = tree ? ways(t.release, t.protocol, s.gpu, threads) : Ways{};
  if (t.peers == 0 && t.channels) GBps = std::min(GBps, share_of_links(t.release, s, *t.channels));
  if (both.at_once)  // the slower of the two, which share channels and links
    GBps = std::min(
        {GBps / 2, both.up.rate * limit(Collective::reduce), both.down.rate * limit(Collective::broadcast)});
  const int limited = heads_ > 0 ? 1 : carriers.channels;
  if (GBps < unlimited) threads_ = 1.0 / BytesPerSecond(limited * GBps * 1e9);
  if (carriers.most.value > 0) threads_ = std::max(threads_, 1.0 / carriers.most);
  handing_ = flags_ && of_amd(s.gpu) ? 1.0 / BytesPerSecond(limited * rccl_ll_alone(s.gpu) * 1e9) : threads_;
  turn_ = Bytes(carriers.channels * threads * kernel_.bytes_a_thread * (flags_ ? both.down.threads : 1));
  if (t.peers > 1) ways_ = std::min(static_cast<int>(t.peers), ways_to_peers());
}

/// How many links out of rank 0 lead to other ranks of its node.
int KernelFabric::ways_to_peers() const {
  std::set<Port> out;
  for (Rank r = 1; r < machine_.ranks(); ++r)
    if (machine_.node(r) == machine_.node(0)) out.insert(wire({0}, {r}, Bytes(1)).out);
  return std::max(1, static_cast<int>(out.size()));
}

Wire KernelFabric::wire(Place from, Place to, Bytes bytes) const {
  Wire links = machine_.wire(from, to, bytes);
  if (from.rank == to.rank) return links;
  if (const std::optional<Place> other = between(from, to))
    links = joined(machine_.wire(from, *other, bytes), machine_.wire(*other, to, bytes));
  links.eager = true;
  links.framing = framing();
  if (machine_.node(from.rank) == machine_.node(to.rank)) return in_node(links, bytes);
  return across(links, from, to, bytes);
}

/// The GPU through whose memory a message of ncclSend goes within a node, if no NVLink joins the two GPUs:
/// one that NVLinks join to both; the fastest, and of these the first.
std::optional<Place> KernelFabric::between(Place from, Place to) const {
  if (!by_others_ || from.rank == to.rank || machine_.node(from.rank) != machine_.node(to.rank)) return {};
  const auto direct = [&](Place a, Place b) {
    std::vector<LinkId> links;
    machine_.route(a, b, links);
    return links.size() == 1;
  };
  if (direct(from, to)) return {};
  std::optional<Place> best;
  SecondsPerByte least = machine_.wire(from, to, Bytes(1)).per_byte;
  for (Rank r = 0; r < machine_.ranks(); ++r) {
    const Place other{r, from.memory};
    if (r == from.rank || r == to.rank || machine_.node(r) != machine_.node(from.rank)) continue;
    if (!direct(from, other) || !direct(other, to)) continue;
    const SecondsPerByte slower =
        std::max(machine_.wire(from, other, Bytes(1)).per_byte, machine_.wire(other, to, Bytes(1)).per_byte);
    if (slower < least) best = other, least = slower;
  }
  return best;
}

/// The place by whose network card a message between nodes leaves.
Place KernelFabric::leaving(Place from, Place to) const {
  if (!by_rail_ || machine_.node(from.rank) == machine_.node(to.rank)) return from;
  if (!pairs_) return {machine_.slot_peer(from.rank, to.rank), from.memory};
  return {machine_.next_to_card(from.rank, to.rank).value_or(from.rank), from.memory};
}

/// A message that switches replicate or reduce. It costs what it does on the machine, but takes at least a
/// step of the kernel, and at least the time of the threads of its head. A GPU has messages for all heads,
/// one after the other.
Switched KernelFabric::switched(Switching what, Place from, Place to, Bytes bytes) const {
  Switched message = machine_.switched(what, from, to, bytes);
  if (from.rank == to.rank) return message;
  Wire& w = message.wire;
  w.latency = std::max(w.latency, step_);
  const SecondsPerByte slowest = std::max(w.per_byte, heads_ > 0 ? threads_ / heads_ : SecondsPerByte(0));
  w.software += slowest - w.per_byte, w.per_byte = slowest;
  return message;
}

/// How long an LL message waits for flags: a step less the time of its bytes, in each iteration after the
/// first.
Seconds KernelFabric::waiting(Bytes bytes, SecondsPerByte threads) const {
  if (!flags_) return {};
  const double more = std::max(0.0, std::ceil(bytes / turn_) - 1);
  return more * std::max(Seconds(0), step_ - turn_ * threads);
}

/// The part of the threads' time that NCCL's latencies already include: with LL128 between nodes, all of it
/// if the message is shorter than one iteration.
Seconds KernelFabric::contained(Bytes bytes) const {
  return streams_ && bytes < turn_ ? bytes * threads_ : Seconds(0);
}

/// The latency of the links in a node that NCCL's step latencies include.
constexpr Seconds of_a_step(1e-6);

Wire KernelFabric::in_node(Wire w, Bytes bytes) const {
  const SecondsPerByte links = w.framing * w.per_byte;
  w.per_byte = std::max(links, ways_ * threads_);
  w.software = w.per_byte - links;
  w.spare_in = w.framing * w.spare_in;
  w.streamed = ways_ == 1;
  const Seconds idle =  // of the threads, until the flags of a turn have arrived
      flags_ ? std::max(Seconds(0), step_ - std::min(bytes, turn_) * threads_) : Seconds(0);
  w.latency =
      std::max(Seconds(0), step_ - contained(bytes) - idle) + std::max(Seconds(0), w.latency - of_a_step);
  w.overhead = waiting(bytes, threads_) + idle;
  return w;
}

/// The time of a byte on the cards by which a message leaves and arrives, and on the rail between them:
/// without the links of GPUs that are farther from a card than others.
SecondsPerByte KernelFabric::cards(Place from, Place to, Bytes bytes) const {
  const auto next_to_card = [this](Place p) {
    return Place{machine_.next_to_card(p.rank, p.rank).value_or(p.rank), p.memory};
  };
  return machine_.wire(next_to_card(from), next_to_card(to), bytes).per_byte;
}

/// The wire between nodes. A message occupies its card for the time of its bytes on the rail, and in addition
/// for the longer of two times: that of the proxy's messages, and the extra time of a card that accesses GPU
/// memory more slowly than the rail. Chunks overlap: only the first one's time in the threads is overhead.
Wire KernelFabric::across(Wire w, Place from, Place to, Bytes bytes) const {
  const Place card = leaving(from, to);
  const Wire there = machine_.wire(card, to, bytes);
  w.per_byte = there.per_byte, w.out = there.out;
  w.out_queue = machine_.queue_by(from.rank, card.rank, there);
  SecondsPerByte rail = w.per_byte;
  if (staged_)
    rail = std::min(rail, machine_.wire({card.rank, Memory::host}, {to.rank, Memory::host}, bytes).per_byte);
  const Seconds gpudirect = bytes * (w.framing * (w.per_byte - rail));
  w.spare_in =
      w.framing * std::max(SecondsPerByte(0), rail - (there.per_byte - there.software - there.spare_in));
  w.per_byte = w.framing * rail;
  w.gap = std::max(kernel_.messages * proxy_, gpudirect);
  if (simple_)
    w.next = pairs_ ? Wire::Next::when_due : w.gap > Seconds(0) ? Wire::Next::when_left : Wire::Next::at_once;
  if (pairs_) w.spare_out = w.framing * std::max(SecondsPerByte(0), rail - cards(card, to, bytes));
  Seconds ahead;  // part of the first chunk's time that is in `software` already
  if (chunk_ > Bytes(0) && bytes > chunk_) {
    w.software = std::max(SecondsPerByte(0), threads_ - w.per_byte);
    w.per_byte += w.software;
    bytes = chunk_, ahead = chunk_ * w.software;
  }
  if (by_turns_) bytes = std::min(bytes, turn_);  // the turns before came before
  const Seconds in_threads = std::max(
      Seconds(0), (bytes * handing_ - contained(bytes)) / slices_ + waiting(bytes, handing_) - ahead);
  w.overhead = fans_out_ ? Seconds(0) : in_threads;
  w.latency = hop_ + (fans_out_ ? in_threads : Seconds(0));
  return w;
}

}  // namespace collcast::nccl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "libraries/machine_fabric.hpp"
#include "libraries/nccl/kernel.hpp"

namespace collcast::nccl {

/// Which kernels run, and of which release.
struct KernelSettings {
  Release release = usual_minor;
  Shape shape = Shape::ring;  ///< ring or tree, whose latencies differ
  Protocol protocol = Protocol::simple;
  bool by_turns = false;  ///< chunks for another node come turn by turn from a GPU of the node
  Rank peers = 0;         ///< how many peers a GPU sends to at once by ncclSend; 0: a message has one channel
  std::optional<int> channels = {};  ///< sharing a node's links; for ncclSend, as NCCL was told
  std::int16_t in_use = 1;           ///< channels of the kernel, which share what a GPU moves
  std::int16_t threads = 0;          ///< of a channel; 0: all that the protocol has
};

/// The channels of a kernel that carry one message within a node.
struct Carriers {
  int channels = 1;
  BytesPerSecond most = {};  ///< limit of all channels together; 0: none
  Bytes chunk = {};          ///< in which proxies pipeline a message between nodes; 0: no chunks
};

/// Throws InputError if NCCL does not run on the machine, or does not run this protocol there.
void check(const KernelSettings& transport, const Machine& machine, const Situation& s);

/// A machine's links as NCCL's kernels and proxies use them. Within a node, the threads of a channel move a
/// message at their own rate or that of the links, whichever is lower. Between nodes, they hand it to a
/// proxy, which sends it through a network card. A message arrives by the receiver's own card. Data are
/// reduced as they pass.
///
/// On nodes with NVLinks (PXN), a message leaves by the card of the receiver's rail: the card that has the
/// position on the sender's node that the receiver's card has on its own. The way there over NVLinks costs
/// nothing here. ncclSend uses PXN only if a GPU is next to that card (NVIDIA/nccl, src/graph/search.cc,
/// ncclTopoGetNetDev).
class KernelFabric final : public MachineFabric {
 public:
  /// `machine`: with bare links (`beneath`).
  KernelFabric(const Machine& machine, const KernelSettings& transport, const Situation& s,
               const Software& software, const Carriers& carriers = {});

  Wire wire(Place from, Place to, Bytes bytes) const override;
  Switched switched(Switching what, Place from, Place to, Bytes bytes) const override;
  SecondsPerByte gamma(Place) const override { return {}; }
  const MessageProtocol& protocol() const override { return protocol_; }
  void route(Place from, Place to, std::vector<LinkId>& links) const override {
    const std::optional<Place> other = between(from, to);
    if (other) machine_.route(from, *other, links);
    machine_.route(other ? *other : leaving(from, to), to, links);
  }
  double framing() const override { return kernel_.bytes_on_wire; }
  Seconds launch(int channels) const override { return launch_ + (channels - 1) * channel_; }

 private:
  Place leaving(Place from, Place to) const;
  int ways_to_peers() const;
  std::optional<Place> between(Place from, Place to) const;
  Seconds waiting(Bytes bytes, SecondsPerByte threads) const;
  Seconds contained(Bytes bytes) const;
  Wire in_node(Wire links, Bytes bytes) const;
  SecondsPerByte cards(Place from, Place to, Bytes bytes) const;
  Wire across(Wire links, Place from, Place to, Bytes bytes) const;

  const Kernel& kernel_;
  MessageProtocol protocol_{.channels_pay = true};
  Seconds launch_, channel_, step_, hop_, proxy_;
  Bytes chunk_;
  Bytes turn_;              ///< what the threads of a message's channels move in one iteration
  SecondsPerByte threads_;  ///< the rate of these threads
  double slices_;           ///< in so many parts they hand a chunk to a proxy
  SecondsPerByte handing_;  ///< the rate at which they hand a message to a proxy, without links of the node
  bool flags_;              ///< LL: an iteration waits for its flags to arrive
  bool streams_;            ///< LL128 between nodes: less than one iteration is passed on as it comes
  bool simple_;             ///< Simple: chunks pass a card side by side, on a connection per channel
  double heads_;            ///< NVLSTree: GPUs of a node that each take a share of the sum; else 0
  bool staged_;             ///< messages between nodes may be staged in host memory
  bool by_turns_;           ///< a chunk for another node is handed to its proxy while it comes
  bool fans_out_;   ///< a tree: the threads that send to another node send to a GPU of their own at once
  bool by_others_;  ///< messages may go through the memory of another GPU of the node (NVB)
  bool by_rail_;    ///< messages may leave through the card of another GPU
  bool pairs_;      ///< ncclSend chooses that card by PXN; a ring or tree has chosen its cards
  int ways_ = 1;  ///< ncclSend: links out of a GPU to its peers that carry messages side by side, each by its
                  ///< share of the channels; with 1 messages go one after the other
};

}  // namespace collcast::nccl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "libraries/machine_fabric.hpp"
#include "libraries/nccl/kernel.hpp"

namespace collcast::nccl {

/// One protocol of one release.
struct Transport {
  int minor = usual_minor;
  Shape shape = Shape::ring;  ///< whose published latencies hold: those of rings or of trees
  Protocol protocol = Protocol::simple;
  Rank peers = 0;  ///< to which a GPU sends at once by ncclSend; 0: a message is one channel's
  std::optional<int> channels = {};  ///< what NCCL was told to take for these
};

/// What carries a message within a node: channels of a kernel, which together reach no more than `most` (0:
/// they may).
struct Carriers {
  int channels = 1;
  BytesPerSecond most = {};
  Bytes chunk = {};  ///< of a message between nodes, which proxies send while more follow; 0: it is one
};

/// Throws InputError, in one line, where NCCL does not run the protocol, or at all.
void check(const Transport& transport, const Machine& machine, const Situation& s);

/// A machine's links as NCCL's kernels and proxies use them. Within a node a channel's threads move a message
/// at the pace of the links or their own; between nodes they hand it to a proxy, for which it is a message of
/// its network card: of the card that is on the sender's node what the receiver's is on its own, if NVLinks
/// lead to its GPU, so that messages stay on a rail. (What the NVLinks take is not counted.) Data are reduced
/// as they pass.
class KernelFabric final : public MachineFabric {
 public:
  /// `machine`: its links alone.
  KernelFabric(const Machine& machine, const Transport& transport, const Situation& s,
               const Software& software, const Carriers& carriers = {});

  collcast::Wire wire(Place from, Place to, Bytes bytes) const override;
  Switched switched(Switching what, Place from, Place to, Bytes bytes) const override;
  SecondsPerByte gamma(Place) const override { return {}; }
  const collcast::Protocol& protocol() const override { return protocol_; }
  void route(Place from, Place to, std::vector<LinkId>& links) const override {
    machine_.route(leaving(from, to), to, links);
  }
  Seconds launch(int channels) const override { return launch_ + (channels - 1) * channel_; }

 private:
  Place leaving(Place from, Place to) const;
  Seconds waiting(Bytes bytes) const;
  Seconds contained(Bytes bytes) const;
  collcast::Wire in_node(collcast::Wire links, Bytes bytes) const;
  collcast::Wire across(collcast::Wire links, Place from, Place to, Bytes bytes) const;

  const Kernel& kernel_;
  collcast::Protocol protocol_;
  Seconds launch_, channel_, step_, hop_, proxy_;
  Bytes chunk_;
  Bytes turn_;              ///< what the threads of a message's channels take at a time
  SecondsPerByte threads_;  ///< what they take
  bool flags_;              ///< LL: a turn takes as long as its flags take to arrive
  bool streams_;            ///< LL128 between nodes: less than a turn is passed on as it comes
  bool staged_;             ///< network cards may use the memory of the host
  bool by_rail_;            ///< a message may leave by another GPU's card
};

}  // namespace collcast::nccl

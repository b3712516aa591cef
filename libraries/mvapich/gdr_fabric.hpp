// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libraries/mvapich/settings.hpp"
#include "platforms/machine/machine.hpp"

namespace collcast::mvapich {

/// Throws InputError, in one line, where MVAPICH2-GDR has no GPUs to send from, or no host memory to stage
/// in.
void check(const Settings& settings, const Description& platform);

/// The platform whose software carries the parts of its messages: network cards are told to send GPU memory
/// as they are told to send the host's, and a copy between GPUs of a node is a copy.
Description carrying(const Description& platform);

/// A machine's links as MVAPICH2-GDR moves GPU memory, by size: between nodes straight from card to card,
/// then staged in the sender's host memory, then in both; within a node through the processors, then from GPU
/// to GPU. What is staged goes in blocks, of which one is copied while another is on its way.
class GdrFabric final : public Fabric {
 public:
  /// `machine`: of the platform that `carrying` makes. `stretch`: of GDRCopy's costs, which were published of
  /// another machine.
  GdrFabric(const Machine& machine, const Settings& settings, double stretch = 1)
      : machine_(machine), settings_(settings), stretch_(stretch) {}

  Rank ranks() const override { return machine_.ranks(); }
  Wire wire(Place from, Place to, Bytes bytes) const override;
  Switched switched(Switching what, Place from, Place to, Bytes bytes) const override;
  std::vector<Bytes> sizes() const override;
  SecondsPerByte gamma(Place place) const override { return machine_.gamma(place); }
  const Protocol& protocol() const override { return machine_.protocol(); }
  Port ports() const override { return machine_.ports(); }
  Port queues() const override { return machine_.queues(); }
  std::string port_name(Port port) const override { return machine_.port_name(port); }
  const std::vector<Link>& links() const override { return machine_.links(); }
  /// The way of GPU memory, whatever the size: what is staged takes much the same links.
  void route(Place from, Place to, std::vector<LinkId>& links) const override {
    machine_.route(from, to, links);
  }

 private:
  /// A copy between a rank's two memories: what it keeps the processor from, the rest of it.
  struct Copy {
    Seconds overhead, latency;
    SecondsPerByte per_byte;
  };
  /// `limit`: up to which the processor does it.
  Copy copy(Rank rank, Memory from, Bytes bytes, double limit) const;
  bool straight(bool same_node, Bytes bytes) const;
  Wire copied(Wire straight, Place from, Bytes bytes) const;
  Wire staged(Wire straight, Place from, Place to, Bytes bytes, bool same_node) const;

  const Machine& machine_;
  Settings settings_;
  double stretch_;
};

}  // namespace collcast::mvapich

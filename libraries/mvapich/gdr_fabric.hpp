// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libraries/machine_fabric.hpp"
#include "libraries/mvapich/settings.hpp"

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
/// What is staged is said to take the way of GPU memory: it takes much the same links.
class GdrFabric final : public MachineFabric {
 public:
  /// `machine`: of the platform that `carrying` makes. `stretch`: of GDRCopy's costs, which were published of
  /// another machine.
  GdrFabric(const Machine& machine, const Settings& settings, double stretch = 1)
      : MachineFabric(machine), settings_(settings), stretch_(stretch) {}

  Wire wire(Place from, Place to, Bytes bytes) const override;
  Switched switched(Switching what, Place from, Place to, Bytes bytes) const override;
  std::vector<Bytes> sizes() const override;

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

  Settings settings_;
  double stretch_;
};

}  // namespace collcast::mvapich

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libraries/machine_fabric.hpp"
#include "libraries/mvapich/settings.hpp"

namespace collcast::mvapich {

/// Throws InputError if the platform has no GPUs to send from, or no host memory to stage in.
void check(const Settings& settings, const Description& platform);

/// The platform with the software that MVAPICH2-GDR uses: network cards send GPU memory at the cost of host
/// memory, and a message between GPUs of a node is a copy.
Description beneath_gdr(const Description& platform);

/// A machine's links as MVAPICH2-GDR uses them for GPU memory. Between nodes, by growing size, a message goes
/// by GPUDirect at both ends, then staged in the sender's host memory, then in that of both. Within a node
/// small messages are copied by the processor, larger ones from GPU to GPU. Staged messages go in blocks; one
/// block is copied while another is sent. `route` gives staged messages the links of a GPUDirect message,
/// which are almost the same.
class GdrFabric final : public MachineFabric {
 public:
  /// `machine`: made from the platform that `beneath_gdr` returns. `stretch`: a factor on the costs of
  /// GDRCopy, which were published for another machine.
  GdrFabric(const Machine& machine, const Settings& settings, double stretch = 1)
      : MachineFabric(machine), settings_(settings), stretch_(stretch) {}

  Wire wire(Place from, Place to, Bytes bytes) const override;
  Switched switched(Switching what, Place from, Place to, Bytes bytes) const override;
  std::vector<Bytes> sizes() const override;

 private:
  /// A copy between a rank's two memories.
  struct Copy {
    Seconds overhead, latency;  ///< overhead: how long the processor is busy
    SecondsPerByte per_byte;
  };
  /// `limit`: the largest size that the processor copies itself.
  Copy copy(Rank rank, Memory from, Bytes bytes, double limit) const;
  bool straight(bool same_node, Bytes bytes) const;
  Wire copied(Wire straight, Place from, Bytes bytes) const;
  Wire staged(Wire straight, Place from, Place to, Bytes bytes, bool same_node) const;

  Settings settings_;
  double stretch_;
};

}  // namespace collcast::mvapich

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

/// The machine that the formulas of the ICPP 2017 study of GPU broadcasts assume (Chu et al., "Efficient and
/// scalable multi-source streaming broadcast on GPU clusters for deep learning"):
/// - a message takes `setup` and its bytes' time at the rate at which the adapter reads the sender's memory;
/// - a rank sends to all children of a round at once, in the time of one message;
/// - copies from device to host go at `copy`; copies from host to device are not counted.
struct GpuMachine {
  Seconds setup;               ///< t_s
  Seconds packet_overhead;     ///< t_o: of each multicast packet
  Bytes packet;                ///< U: the bytes that a packet carries
  BytesPerSecond read_host;    ///< B_H
  BytesPerSecond read_device;  ///< B_G: by GPUDirect RDMA
  BytesPerSecond copy;         ///< B_PCIe: between device and host
  /// Adapters of a rank, which receive concurrently: data of source s arrive through adapter s mod
  /// `adapters`. The study has one.
  Rank adapters = 1;
};

/// GpuMachine as a Network of CriticalPath. A multicast pays set-up and overhead for each packet.
class GpuNetwork {
 public:
  GpuNetwork(const GpuMachine& machine, Rank ranks) : machine_(machine), ranks_(ranks) {}

  Wire wire(Place from, Place to, Bytes) const;
  Switched switched(Switching, Place from, Place to, Bytes bytes) const;
  SecondsPerByte gamma(Place) const { return {}; }
  const MessageProtocol& protocol() const { return protocol_; }
  Port ports() const { return static_cast<Port>((2 * machine_.adapters + 1) * ranks_); }
  Port queues() const { return ports(); }

 private:
  GpuMachine machine_;
  Rank ranks_;
  MessageProtocol protocol_{MessageProtocol::Hold::delivery, Bytes(-1), {}};
};

/// The formulas as the study prints them: n ranks, message M, chunk C; M/C and M/U are real numbers.
/// They hold exactly where these divide, C/U does, and, for streaming, packets take longer than
/// copies.
namespace printed {
Seconds ring_direct(Rank n, Bytes M, const GpuMachine& m);
Seconds ring_staging(Rank n, Bytes M, const GpuMachine& m);
Seconds ring_pipeline(Rank n, Bytes M, Bytes C, const GpuMachine& m);
Seconds knomial_direct(Rank n, int k, Bytes M, const GpuMachine& m);
Seconds knomial_staging(Rank n, int k, Bytes M, const GpuMachine& m);
Seconds knomial_pipeline(Rank n, int k, Bytes M, Bytes C, const GpuMachine& m);
Seconds multicast(Bytes M, const GpuMachine& m);
Seconds streaming(Bytes M, Bytes C, const GpuMachine& m);
}  // namespace printed

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#include "tests/algorithms/gpu_machine.hpp"

#include <cmath>

namespace collcast {

Wire GpuNetwork::wire(Place from, Place to, Bytes) const {
  Wire w;
  const Rank adapters = machine_.adapters, all = adapters * ranks_;
  if (from.rank == to.rank) {
    w.out = w.in = static_cast<Port>(2 * all + from.rank);
    if (from.memory == Memory::device) w.per_byte = 1 / machine_.copy;
    return w;
  }
  w.latency = machine_.setup;
  w.per_byte = 1 / (from.memory == Memory::device ? machine_.read_device : machine_.read_host);
  w.in = static_cast<Port>(to.rank * adapters + from.rank % adapters);
  w.out = static_cast<Port>(all) + w.in;  // a port per receiver: all sends at once take the time of one
  return w;
}

Switched GpuNetwork::switched(Switching, Place from, Place to, Bytes bytes) const {
  Wire w = wire(from, to, bytes);
  w.latency = std::ceil(bytes / machine_.packet) * (machine_.setup + machine_.packet_overhead);
  return {w, bytes};
}

namespace printed {

Seconds ring_direct(Rank n, Bytes M, const GpuMachine& m) {
  return (n - 1) * (m.setup + M / m.read_device);
}
Seconds ring_staging(Rank n, Bytes M, const GpuMachine& m) {
  return M / m.copy + (n - 1) * (m.setup + M / m.read_host);
}
Seconds ring_pipeline(Rank n, Bytes M, Bytes C, const GpuMachine& m) {
  return (M / C + (n - 2)) * (m.setup + C / m.read_device);
}
Seconds knomial_direct(Rank n, int k, Bytes M, const GpuMachine& m) {
  return log_ceil(n, k) * (m.setup + M / m.read_device);
}
Seconds knomial_staging(Rank n, int k, Bytes M, const GpuMachine& m) {
  return M / m.copy + log_ceil(n, k) * (m.setup + M / m.read_host);
}
Seconds knomial_pipeline(Rank n, int k, Bytes M, Bytes C, const GpuMachine& m) {
  return M / C * log_ceil(n, k) * (m.setup + C / m.read_device);
}
Seconds multicast(Bytes M, const GpuMachine& m) {
  return M / m.packet * (m.setup + m.packet_overhead + m.packet / m.read_device);
}
Seconds streaming(Bytes M, Bytes C, const GpuMachine& m) {
  return C / m.copy + M / m.packet * (m.setup + m.packet_overhead + m.packet / m.read_host);
}

}  // namespace printed

}  // namespace collcast

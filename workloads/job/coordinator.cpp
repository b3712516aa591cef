// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/coordinator.hpp"

#include <algorithm>
#include <cmath>

namespace collcast::workloads {
namespace {

/// A rank's request for one tensor, and the answer: name, shape, type. A guess.
constexpr Bytes request(100);
/// The size of a message without tensors. A guess.
constexpr Bytes header(16);

}  // namespace

std::vector<std::vector<int>> fuse(const std::vector<Bytes>& tensors, Bytes threshold) {
  std::vector<std::vector<int>> buffers;
  std::vector<bool> taken(tensors.size());
  for (std::size_t first = 0; first < tensors.size(); ++first) {
    if (taken[first]) continue;
    std::vector<int> buffer;
    Bytes size;
    for (std::size_t i = first; i < tensors.size(); ++i) {
      if (taken[i] || (i != first && size + tensors[i] > threshold)) continue;
      taken[i] = true;
      size += tensors[i];
      buffer.push_back(static_cast<int>(i));
    }
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

/// Tensor k is in group k * groups / all.
int grouped(int offered, int all, int groups) {
  if (groups == 0) return offered;
  const std::int64_t full = std::int64_t{offered} * groups / all;
  return static_cast<int>((full * all + groups - 1) / groups);
}

RoundTime round_time(const Coordinator& c, const RankGroup& all, int tensors, const PriceOf& price,
                     Seconds Price::*time) {
  if (all.size() == 1) return {};
  const auto control = [&](Collective what, Bytes bytes) { return price({what, all, bytes, true}).*time; };
  if (tensors <= c.cache)
    return {control(Collective::allreduce, Bytes(8 * std::ceil((tensors + 3) / 64.0))), {}};
  const double p = all.size();
  const Seconds requests = control(Collective::gatherv, p * header);
  const Seconds broadcast = control(Collective::broadcast, header);
  const auto more = [&](Collective what, Bytes least, Bytes bytes, Seconds of_least) {
    return (control(what, least + bytes) - of_least) / tensors;
  };
  const Seconds per_tensor = p * c.request +
                             more(Collective::gatherv, p * header, p * tensors * request, requests) +
                             more(Collective::broadcast, header, tensors * request, broadcast);
  return {control(Collective::gather, Bytes(4 * p)) + requests + 2 * broadcast,
          std::max(Seconds(), per_tensor)};
}

}  // namespace collcast::workloads

// SPDX-License-Identifier: Apache-2.0
#include "model/calibration/isotonic.hpp"

#include <algorithm>

namespace collcast {
namespace {

/// Neighbouring sizes whose times exceed the least time of their bytes by the same amount, `beyond`.
struct Pool {
  std::size_t samples;
  double weight;
  Seconds beyond;

  void take(const Pool& next) {
    beyond = (weight * beyond + next.weight * next.beyond) / (weight + next.weight);
    weight += next.weight;
    samples += next.samples;
  }
};

}  // namespace

Samples isotonic(Samples samples, SecondsPerByte least_per_byte) {
  std::ranges::stable_sort(samples, {}, &Sample::message);
  std::vector<Pool> sizes, pools;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto& [message, time, rounding] = samples[i];
    const Pool one{1, 1 / (time.value * time.value), time - message * least_per_byte};
    if (i > 0 && samples[i - 1].message == message)
      sizes.back().take(one);
    else
      sizes.push_back(one);
  }
  for (const Pool& size : sizes) {
    pools.push_back(size);
    while (pools.size() > 1 && pools[pools.size() - 2].beyond > pools.back().beyond) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().take(last);
    }
  }
  auto sample = samples.begin();
  auto pool = pools.begin();
  for (std::size_t in_pool = 0; const Pool& size : sizes) {
    const Seconds bytes = sample->message * least_per_byte;
    const bool alone = pool->samples == size.samples;
    const double change = alone ? 1 : (bytes + pool->beyond) / (bytes + size.beyond);
    for (std::size_t i = 0; i < size.samples; ++i, ++sample) sample->time = change * sample->time;
    in_pool += size.samples;
    if (in_pool == pool->samples) ++pool, in_pool = 0;
  }
  return samples;
}

}  // namespace collcast

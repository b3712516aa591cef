// SPDX-License-Identifier: Apache-2.0
#include "algorithms/butterfly.hpp"

namespace collcast {

Butterfly::Butterfly(Rank p)
    : ranks(p), order(static_cast<std::size_t>(p)), place(static_cast<std::size_t>(p)) {
  const auto size = static_cast<std::size_t>(p);
  int s = 0;
  for (std::size_t distance = size / 2; distance > 0; distance /= 2, ++s)
    for (std::size_t i = 0; i < size; i += 2 * distance) order[i + distance] = peer(order[i], s);
  for (std::size_t i = 0; i < size; ++i) place[static_cast<std::size_t>(order[i])] = static_cast<Rank>(i);
}

Rank Butterfly::peer(Rank r, int s) const {
  const std::int64_t rho = (1 - (s % 2 == 0 ? -1 : 1) * (std::int64_t{2} << s)) / 3;
  return modulo(r % 2 == 0 ? r + rho : r - rho, ranks);
}

Schedule butterfly_allreduce(const std::shared_ptr<const Butterfly>& b) {
  const Rank p = b->ranks;
  const int rounds = log2_floor(p);
  auto gather = [=](std::int64_t s, Step& step) {
    const int round = rounds - 1 - static_cast<int>(s);
    const Rank have = 1 << s;
    for (Rank r = 0; r < p; ++r)
      step.send(r, b->peer(r, round), {b->place[static_cast<std::size_t>(r)] & ~(have - 1), have});
  };
  const Schedule allgather{p, p, rounds, gather};
  return then(mirrored(allgather, Combine::reduce), allgather);
}

}  // namespace collcast

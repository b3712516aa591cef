// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "algorithms/forest.hpp"
#include "forecast/synthesis/wiring.hpp"
#include "support/error.hpp"

namespace collcast {

/// What crosses the worst cut, and its capacity, in lowest terms.
struct Ratio {
  std::int64_t shares = 0, capacity = 1;
  double value() const { return static_cast<double>(shares) / static_cast<double>(capacity); }
};

/// The cut that takes longest if each rank has `shares[rank]` for all others; exact, by Newton's method on
/// integer max-flows. Throws InputError where ranks do not reach each other.
Ratio worst_cut(const Wiring& wiring, const std::vector<std::int64_t>& shares);

/// The messages that an allreduce needs between m parts of the ranks, 2 (m - 1), over the bandwidth out of
/// all parts, for the parts that take longest; exact, by Newton's method on integer max-flows. No schedule is
/// faster, unless switches reduce: before a first part has what it takes to know the sum, each other one has
/// sent; after that, each other one receives. Where links are equally wide both ways, some trees attain it,
/// as each edge of a tree is used both ways, wherever the root is (Nash-Williams, J. London Math. Soc. 36
/// (1961)). Throws InputError where no rank reaches another.
Ratio worst_parts(const Wiring& wiring);

/// Asked often during long work. If it answers true, the work ends, by throwing Stopped or with the best so
/// far.
using Stop = std::function<bool()>;
struct Stopped {};

/// Ranks reach each other, but no spanning trees were found: what goes into switches differs too much from
/// what leaves them.
struct NoTrees : InputError {
  explicit NoTrees(SecondsPerByte least)
      : InputError("no spanning trees were found: links differ too much by direction"), optimum(least) {}
  SecondsPerByte optimum;  ///< the time of a byte of the message, by the worst cut
};

struct Packed {
  Forest forest;
  /// Time in which the wiring carries a unit of each tree: a share of n bytes takes n / trees_per_share *
  /// time / unit.
  double time = 0;
};
/// Packs `trees_per_share` spanning trees for each share, as fast as so many can be. With 0, packs as many as
/// reach the worst cut's time. If these would be more than `most_trees`, packs the number up to `most_trees`
/// that comes closest. Zhao et al., ForestColl, arXiv 2402.06787: switches are split off edge by edge, then
/// trees grow edge by edge, each as far as max-flows leave room for all others. Throws InputError where ranks
/// do not reach each other, and NoTrees, with the time of a byte of all shares.
Packed pack(const Wiring& wiring, const std::vector<std::int64_t>& shares, std::int64_t trees_per_share = 0,
            std::int64_t most_trees = 64, const Stop& stop = {});

}  // namespace collcast

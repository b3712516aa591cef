// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include <algorithm>

namespace collcast {
namespace {

/// Every rank sends each of its faces to the neighbour there. In a dimension of size one it has no neighbour.
template <int Dimensions>
Schedule direct(const Call& c) {
  auto rule = [p = c.ranks, grid = Grid(c.ranks, Dimensions)](std::int64_t, Step& step) {
    for (int face = 0; face < grid.faces(); ++face)
      for (Rank r = 0; r < p; ++r)
        if (const Rank to = grid.neighbour(r, face); to != r)
          step.send(r, to, {Block{r} * grid.faces() + face});
  };
  return {c.ranks, Block{c.ranks} * 2 * Dimensions, 1, rule};
}

template <int Dimensions>
Seconds halo_time(const Call& c, const AlphaBetaGamma& m) {
  const Grid grid(c.ranks, Dimensions);
  const auto wide = Dimensions - std::count(grid.size.begin(), grid.size.begin() + Dimensions, 1);
  return 2.0 * static_cast<double>(wide) * (m.alpha + c.message / grid.faces() * m.beta);
}

}  // namespace

const Algorithm halo_1d_direct{
    .collective = Collective::halo_1d,
    .name = "direct",
    .description = "every rank swaps faces with its neighbours on a ring",
    .formula = "2 w (a + n/2 b), w = dimensions in which the grid is more than one rank wide",
    .source = "Hockney, Parallel Computing 20(3), 1994",
    .schedule = direct<1>,
    .time = halo_time<1>,
};

const Algorithm halo_2d_direct{
    .collective = Collective::halo_2d,
    .name = "direct",
    .description =
        "every rank swaps faces with its neighbours on a torus of two dimensions, as nearly square as the "
        "ranks divide",
    .formula = "2 w (a + n/4 b), w = dimensions in which the grid is more than one rank wide",
    .source = "Hockney, Parallel Computing 20(3), 1994",
    .schedule = direct<2>,
    .time = halo_time<2>,
};

const Algorithm halo_3d_direct{
    .collective = Collective::halo_3d,
    .name = "direct",
    .description =
        "every rank swaps faces with its neighbours on a torus of three dimensions, as nearly cubic as the "
        "ranks divide",
    .formula = "2 w (a + n/6 b), w = dimensions in which the grid is more than one rank wide",
    .source = "Hockney, Parallel Computing 20(3), 1994",
    .schedule = direct<3>,
    .time = halo_time<3>,
};

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libraries/policy.hpp"

namespace collcast {

/// The switch points of MPICH 3.3 (src/mpi/coll, *_intra_auto) with its node-aware collectives off.
Pick mpich_pick(Collective collective, const Call& call, const Situation& situation);
std::vector<Collective> mpich_ruled();

/// The `mpich` selector of SimGrid's SMPI (smpi_mpich_selector.cpp) for ranks that are alone on their hosts:
/// where they are not, it goes through one leader per host in allreduce, reduce and broadcast.
Pick smpi_mpich_pick(Collective collective, const Call& call, const Situation& situation);
std::vector<Collective> smpi_mpich_ruled();

/// The fixed rules of Open MPI's tuned component (coll_tuned_decision_fixed.c), commutative operations: those
/// of 4.0 and before, and those since 4.1.
Pick openmpi_4_0_pick(Collective collective, const Call& call, const Situation& situation);
std::vector<Collective> openmpi_4_0_ruled();
Pick openmpi_4_1_pick(Collective collective, const Call& call, const Situation& situation);
std::vector<Collective> openmpi_4_1_ruled();

/// The general tables of MVAPICH2 2.3 (src/mpi/coll/*_tuning.c); and what MVAPICH2-GDR does with them.
Pick mvapich2_2_3_pick(Collective collective, const Call& call, const Situation& situation);
std::vector<Collective> mvapich2_2_3_ruled();
namespace mvapich {
struct Settings;
Pick pick(const Settings& settings, Collective collective, const Call& call, const Situation& situation);
}  // namespace mvapich

/// What a rule of Open MPI's says.
struct OpenMpiChoice {
  std::string_view theirs, ours;  ///< the algorithm, as either calls it; ours empty: not in the catalogue
  double bytes;                   ///< that the rule looked at
  bool block;                     ///< they are one rank's
  Bytes segment = Bytes(0);       ///< 0: whole messages
  int radix = 2;
};
/// The choice as a Pick. Throws NoRule where the catalogue cannot play it on so many ranks.
Pick openmpi_play(std::string_view release, Collective collective, const Call& call,
                  const OpenMpiChoice& choice);

}  // namespace collcast

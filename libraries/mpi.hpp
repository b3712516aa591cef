// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libraries/policy.hpp"

namespace collcast {

// The algorithm selection of MPI libraries: a `pick` each, and the collectives that it has rules for.

/// MPICH 3.3 (src/mpi/coll, *_intra_auto), with its node-aware collectives off.
Pick mpich_pick(Collective collective, const Call& call, const Situation& situation);
std::vector<Collective> mpich_ruled();

/// The `mpich` selector of SimGrid's SMPI (smpi_mpich_selector.cpp) with one rank per host. With several it
/// uses a leader per host in allreduce, reduce and broadcast.
Pick smpi_mpich_pick(Collective collective, const Call& call, const Situation& situation);
std::vector<Collective> smpi_mpich_ruled();

/// Open MPI's fixed decisions of the tuned component (coll_tuned_decision_fixed.c) for commutative
/// operations: up to 4.0, and since 4.1.
Pick openmpi_4_0_pick(Collective collective, const Call& call, const Situation& situation);
std::vector<Collective> openmpi_4_0_ruled();
Pick openmpi_4_1_pick(Collective collective, const Call& call, const Situation& situation);
std::vector<Collective> openmpi_4_1_ruled();  ///< for 5.0 as well
Pick openmpi_5_0_pick(Collective collective, const Call& call, const Situation& situation);

/// MVAPICH2 2.3, by its general tables (src/mpi/coll/*_tuning.c), and MVAPICH2-GDR, which uses them too.
Pick mvapich2_2_3_pick(Collective collective, const Call& call, const Situation& situation);
std::vector<Collective> mvapich2_2_3_ruled();
namespace mvapich {
struct Settings;
Pick pick(const Settings& settings, Collective collective, const Call& call, const Situation& situation);
}  // namespace mvapich

/// A decision of Open MPI.
struct OpenMpiChoice {
  std::string_view theirs, ours;  ///< name of the algorithm; ours empty: it is not in the catalogue
  double bytes;                   ///< the size on which the decision was based
  bool block;                     ///< whether that size is of one rank's block; else of the whole message
  Bytes segment = Bytes(0);       ///< 0: whole messages
  int radix = 2;
};
/// The decision as a Pick. Throws NoRule if the catalogue cannot play it on this number of ranks.
Pick openmpi_play(std::string_view release, Collective collective, const Call& call,
                  const OpenMpiChoice& choice);

}  // namespace collcast

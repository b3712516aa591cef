// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace collcast::mpi {

/// `collcast-mpi --launch "mpirun -np 4" ARGUMENTS...`: runs this program with the other arguments by that
/// launcher. If that fails, says in one line why. Returns the exit code.
int launched(int argc, char** argv);

}  // namespace collcast::mpi

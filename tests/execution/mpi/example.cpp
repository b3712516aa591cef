// SPDX-License-Identifier: Apache-2.0
// The example of docs/mpi.md, which a test compares with this file.
#include <cstdio>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "execution/mpi/player.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    // begin
    using namespace collcast;
    std::vector<double> send(1000, 1), recv(1000);
    Call call;
    call.message = Bytes(1000 * sizeof(double));
    mpi::Player sum(algorithm(Collective::allreduce, "ring"), call, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sum.bind(send.data(), recv.data());
    sum.start();         // ... compute ...
    while (!sum.test())  // brings on all that this thread has started
      ;
    sum.run();  // again, without anything new being allocated
    // end
    std::printf("%g\n", recv[999]);
  }
  MPI_Finalize();
}

// SPDX-License-Identifier: Apache-2.0
// Every rank runs every test; rank 0 reports, the others speak only of their failures.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/execution/mpi/world.hpp"

namespace {

std::shared_ptr<collcast::mpi::Communicator> the_world;

class Failures : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed())
      std::cerr << "rank " << the_world->rank() << ": " << result.file_name() << ':' << result.line_number()
                << ": " << result.message() << '\n';
  }
};

}  // namespace

const std::shared_ptr<collcast::mpi::Communicator>& collcast::mpi::world() {
  return the_world;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  the_world = std::make_shared<collcast::mpi::Communicator>(MPI_COMM_WORLD);
  if (the_world->rank() != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Failures);
  }
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  the_world.reset();
  MPI_Finalize();
  return failed;
}

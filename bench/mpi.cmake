# SPDX-License-Identifier: Apache-2.0
# The MPI player against hand-written MPI code: mpirun -np 2 mpi_overhead --check
add_executable(mpi_overhead ${PROJECT_SOURCE_DIR}/bench/mpi_overhead.cpp)
target_link_libraries(mpi_overhead PRIVATE collcast::mpi collcast_warnings)

# SPDX-License-Identifier: Apache-2.0
find_package(SimGrid REQUIRED)
add_executable(simgrid_rate ${PROJECT_SOURCE_DIR}/bench/simgrid_rate.cpp)
target_link_libraries(simgrid_rate PRIVATE collcast::simgrid collcast::contention SimGrid::SimGrid collcast_warnings)

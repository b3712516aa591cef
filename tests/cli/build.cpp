// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/build.hpp"

namespace collcast::testing {

const std::string build_folder = COLLCAST_BINARY_DIR;
const bool has_simgrid = HAS_SIMGRID, has_recorder = HAS_RECORDER;

}  // namespace collcast::testing

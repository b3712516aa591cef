// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace collcast::testing {

/// The build whose programs are tested: where they lie, and what it has.
extern const std::string build_folder;
extern const bool has_simgrid, has_recorder;

}  // namespace collcast::testing

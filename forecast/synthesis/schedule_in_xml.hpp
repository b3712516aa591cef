// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/synthesis/front.hpp"

namespace collcast {

/// A schedule of the front in MSCCL's XML: of those that MSCCL's loader takes, the one that is the fastest
/// when the file is read back. Adds a note on what the file costs in time; if the loader takes none, on what
/// it refuses.
std::string msccl(Front& front, Bytes message, const Forecaster& forecaster, std::vector<std::string>& notes);

}  // namespace collcast

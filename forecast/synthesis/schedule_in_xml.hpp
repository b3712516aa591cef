// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/synthesis/front.hpp"

namespace collcast {

/// Of the front's schedules, in MSCCL's XML, the one that is the fastest as the file is read back, among
/// those that MSCCL's loader takes. Adds notes of what that costs, and of what the loader refuses where it
/// takes none.
std::string msccl(Front& front, Bytes message, const Forecaster& forecaster, std::vector<std::string>& notes);

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/exchange/msccl_execution.hpp"

namespace collcast::msccl {

struct Converted {
  Schedule schedule;
  std::int64_t unused_messages = 0;
};

/// Writes an execution as a schedule: each message in the earliest step after what it depends on. A rank of a
/// schedule has one copy of each block, so what was received into scratch to be added later is added as it
/// arrives. Throws InputError, after `file`, where a rank needs two versions of a block at once.
Converted convert(const Execution& execution, const std::string& file);

}  // namespace collcast::msccl

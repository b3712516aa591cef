// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/exchange/msccl_execution.hpp"

namespace collcast::msccl {

struct Converted {
  Schedule schedule;
  std::int64_t unused_messages = 0;
};

/// Writes an execution as a schedule, with each message in the earliest step after those on which it depends.
/// In a schedule a rank has one copy of each block, so data that was received into scratch and added later is
/// added on arrival. Throws InputError, which names `file`, if a rank needs two versions of a block at once.
Converted convert(const Execution& execution, const std::string& file);

}  // namespace collcast::msccl

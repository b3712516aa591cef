// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "replay/source/source.hpp"
#include "workloads/job/job.hpp"

namespace collcast::workloads {

/// A job as what each rank does, for those who play message by message. Computation beside the first stream
/// takes no processor, as in `play`. Throws InputError where the job holds what only `play` knows: a
/// coordinator, a slowdown, collectives that ranks or DPUs bring on.
std::unique_ptr<Source> source_of(Job job);

}  // namespace collcast::workloads

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "replay/source/source.hpp"
#include "workloads/job/job.hpp"

namespace collcast::workloads {

/// A job as a source of what each rank does, to be played message by message. Computation on other streams
/// than the first takes no processor, as in `play`. Throws InputError if the job has what only `play` models:
/// a coordinator, a slowdown, collectives that ranks or DPUs make progress on.
std::unique_ptr<Source> source_of(Job job);

}  // namespace collcast::workloads

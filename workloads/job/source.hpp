// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "replay/source/source.hpp"
#include "workloads/job/job.hpp"

namespace collcast::workloads {

/// A job as a source of what each rank does, to be played message by message. Computation on streams other
/// than the first takes no processor, as in `play`. Throws InputError if the job has something that only
/// `play` models: a coordinator, a slowdown, or collectives that progress by ranks or DPUs.
std::unique_ptr<Source> source_of(Job job);

}  // namespace collcast::workloads

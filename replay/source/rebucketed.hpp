// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/source/recorded.hpp"

namespace collcast {

/// The source with its gradients in buckets of `size`. Two or more allreduces of a communicator during the
/// computation count as the buckets of a backward pass if nothing else happens on their stream between them,
/// and none begins only after another was awaited. Their bytes are cut anew every `size`; a first bucket that
/// is smaller than the second stays (DDP has a limit of its own for it, 1 MiB). The bytes of a bucket become
/// ready evenly over the computation since the previous bucket; those of the first bucket all at once. What
/// awaited a bucket now awaits the bucket that has its last byte. `source` outlives the result. Throws
/// InputError if there are no such allreduces.
std::unique_ptr<RecordedSource> rebucketed(const Source& source, Bytes size);

}  // namespace collcast

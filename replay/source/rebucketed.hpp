// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/source/recorded.hpp"

namespace collcast {

/// The source with its gradients in buckets of `size`. Two or more allreduces of a communicator beside the
/// computation are taken for the buckets of a backward pass where nothing else happens on their stream
/// between them, and where none begins only after another was awaited. Their bytes in order are cut anew
/// every `size`; a first bucket that is smaller than the second stays (DDP's own limit for it is 1 MiB). Of
/// a bucket's bytes each is ready when as large a part of the computation since the bucket before was ready
/// is done; the first bucket's all with it. Who awaited a bucket awaits the one with its last byte.
/// `source` outlives the result. Throws InputError where there are no such allreduces.
std::unique_ptr<RecordedSource> rebucketed(const Source& source, Bytes size);

}  // namespace collcast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_horovod(std::string_view head);

/// A Horovod timeline (Chrome JSON of rank 0, whose array may be left open): when each rank had each tensor
/// ready, and when the tensor was reduced. Stream 0 of a rank makes tensors ready, stream 1 runs the
/// operations.
std::unique_ptr<Source> open_horovod(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast

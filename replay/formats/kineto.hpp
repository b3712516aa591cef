// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_kineto(std::string_view head);

/// PyTorch profiler JSON, one file per rank. Streams of the GPU become streams: stream 0 is the one that
/// computes most; on the others, work that is no collective only takes time. docs/traces.md says what is
/// inferred, and by which rules.
std::unique_ptr<Source> open_kineto(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast

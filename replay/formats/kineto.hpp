// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_kineto(std::string_view head);

/// PyTorch profiler JSON, one file per rank. Streams of the GPU become streams: stream 0 is the one that
/// computes most, the others keep the time of what is no collective. What is inferred, with the rules, is in
/// docs/traces.md.
std::unique_ptr<Source> open_kineto(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast

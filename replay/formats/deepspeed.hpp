// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_deepspeed(std::string_view head);

/// DeepSpeed's comms_logger: its lines per call (verbose), or, where there are none, the last table of
/// log_summary, which is a profile. Sizes are those of a call's input, rounded to 0.5 %.
std::unique_ptr<Source> open_deepspeed(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast

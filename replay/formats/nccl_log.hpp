// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_nccl_log(std::string_view head);

/// What NCCL or RCCL prints with NCCL_DEBUG=INFO: the calls (subsystem COLL), their communicators (INIT),
/// their algorithms (TUNING). Any number of files, each with any number of processes.
std::unique_ptr<Source> open_nccl_log(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast

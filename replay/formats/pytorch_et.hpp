// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_pytorch_et(std::string_view head);

/// PyTorch execution traces (JSON, schema 1.0 and 1.1): the collectives of each rank in order, with sizes,
/// without times.
std::unique_ptr<Source> open_pytorch_et(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast

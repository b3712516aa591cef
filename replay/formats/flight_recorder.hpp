// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_flight_recorder(std::string_view head);

/// PyTorch Flight Recorder dumps, one per rank, whose number is the last in the file's name. Of the pickle
/// only plain data are read: whatever could make Python run something is refused.
std::unique_ptr<Source> open_flight_recorder(const std::vector<std::string>& files,
                                             const OpenOptions& options);

}  // namespace collcast

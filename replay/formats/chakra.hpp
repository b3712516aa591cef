// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_chakra(std::string_view head);

/// MLCommons Chakra execution traces (.et, protobuf), one file per rank, whose number is the last in the
/// file's name. Nodes play in the order of their dependencies: computation on stream 0, collectives on 1,
/// messages on 2, the host's work on 3.
std::unique_ptr<Source> open_chakra(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast

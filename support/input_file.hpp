// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace collcast {

/// All of a file, or of a pipe that somebody writes to. Throws InputError where it cannot be read, is a
/// folder or a device, or holds more than 256 MiB, which no text of ours does.
std::string read_file(const std::string& path);

}  // namespace collcast

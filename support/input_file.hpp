// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace collcast {

/// All of a file, or of a pipe that somebody writes to. Throws InputError where it cannot be read, is a
/// folder or a device, or holds more than 256 MiB, which no text of ours does.
std::string read_file(const std::string& path);

/// Whether there is such a file, which is no folder, pipe or device.
bool is_file(const std::string& path);

/// The files that a text names: a path, a pattern as shells know them ("rank*.json"), or several of these in
/// lines; none where there is no such file.
std::vector<std::string> files_like(const std::string& text);

}  // namespace collcast

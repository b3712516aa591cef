// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace collcast {

/// The content of a file or a pipe. Throws InputError if it cannot be read, is a folder or a device, or has
/// more than 256 MiB.
std::string read_file(const std::string& path);

/// Reads the next line, without the end that it has on Unix or on Windows; false at the end of the text.
bool next_line(std::istream& in, std::string& line);

/// Whether the path is an existing regular file.
bool is_file(const std::string& path);

/// The existing files that a text names: a path, a shell pattern ("rank*.json"), or several of these, one per
/// line.
std::vector<std::string> files_like(const std::string& text);

}  // namespace collcast

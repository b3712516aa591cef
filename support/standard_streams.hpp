// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace collcast {

/// Makes standard input, output and error safe to use. A stream that is closed fails, and no file opened
/// later takes its place. Control characters are printed as text and do not reach the terminal. A pipe that
/// nobody reads any more ends the program silently; a file that must not grow is an error of its writer.
void prepare_standard_streams();

/// Why not everything that was printed has arrived; empty if it has.
std::string output_trouble();

}  // namespace collcast

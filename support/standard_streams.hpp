// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace collcast {

/// Makes standard input, output and error safe to use. A stream that is closed fails, and no file opened
/// later takes its place. Control characters are printed as text and do not reach the terminal. A pipe that
/// nobody reads any more ends the program silently. Writing beyond the limit of file sizes fails, and does
/// not end the program.
void prepare_standard_streams();

/// Why some of the output could not be written; empty if all was.
std::string output_trouble();

}  // namespace collcast

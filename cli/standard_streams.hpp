// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace collcast::cli {

/// Makes standard input, output and error safe to use: one that is closed fails, and no file that is opened
/// takes its place. What controls a terminal is shown, and does not reach it, whoever prints it. A pipe that
/// nobody reads any more ends the program without a word; a file that must not grow is an error of its
/// writer.
void prepare_standard_streams();

/// Why not all that was printed has arrived; empty if it has.
std::string output_trouble();

}  // namespace collcast::cli

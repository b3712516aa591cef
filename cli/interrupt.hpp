// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace collcast::cli {

/// Set by Ctrl-C once `catch_interrupts` was called; a second Ctrl-C ends the program at once.
std::atomic<bool>& interrupt_flag();
void catch_interrupts();
/// From now on Ctrl-C and SIGTERM end the program at once, with these words and exit code 130. For work whose
/// results are saved as they come.
void end_at_interrupt(const std::string& words);
inline bool interrupted() {
  return interrupt_flag().load(std::memory_order_relaxed);
}

/// Shows one line on standard error, over the one before; nothing unless that is a terminal.
void progress(const std::string& text);
/// "a replay of n: 12 of 40", and after some seconds how long the rest will take.
void progress_of(const std::string& what, std::int64_t done, std::int64_t all);
void progress_end();

}  // namespace collcast::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "support/printable.hpp"

namespace collcast::cli {

std::atomic<bool>& interrupt_flag() {
  static std::atomic<bool> flag{false};
  return flag;
}

void catch_interrupts() {
  std::signal(SIGINT, [](int) {
    interrupt_flag() = true;
    std::signal(SIGINT, SIG_DFL);
  });
}

void end_at_interrupt(const std::string& words) {
  static std::string last;  // a handler may not allocate
  last = "\ncollcast: " + printable(words) + '\n';
  for (const int signal : {SIGINT, SIGTERM})
    std::signal(signal, [](int) {
      [[maybe_unused]] const auto written = ::write(STDERR_FILENO, last.data(), last.size());
      _exit(130);
    });
}

void progress(const std::string& text) {
  if (isatty(STDERR_FILENO)) std::fputs(("\r\033[K" + printable(text)).c_str(), stderr);
}

void progress_end() {
  if (isatty(STDERR_FILENO)) std::fputs("\r\033[K", stderr);
}

}  // namespace collcast::cli

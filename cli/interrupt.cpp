// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>

#include "support/printable.hpp"
#include "support/text.hpp"

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

void progress_of(const std::string& what, std::int64_t done, std::int64_t all) {
  using Clock = std::chrono::steady_clock;
  static Clock::time_point begin;
  static std::int64_t first = 0, last = 0, of = 0;
  if (of != all || done < last) begin = Clock::now(), first = done, of = all;
  last = done;
  const double spent = std::chrono::duration<double>(Clock::now() - begin).count();
  std::string said = what + (what.empty() ? "" : ": ") + text::count(done) + " of " + text::count(all);
  if (spent > 2 && done > first)
    said += ", " +
            text::seconds(
                std::ceil(spent * static_cast<double>(all - done) / static_cast<double>(done - first))) +
            " left";
  progress(said);
}

void progress_end() {
  if (isatty(STDERR_FILENO)) std::fputs("\r\033[K", stderr);
}

}  // namespace collcast::cli
